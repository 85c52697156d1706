#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What a person runs first on a GPU that nobody has seen yet (doc/amd.md), on simulated ones of both vendors.
set -eu
for gpu in h200 mi210 mi300x rx7900xtx; do
  HWLOC_GPUCACHE_SIM=$gpu "$top_builddir/tests/gpu/chase-smoke"
done
