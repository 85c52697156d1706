#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The first test on a new kind of GPU (doc/amd.md), here on simulated GPUs of both vendors.
set -eu
for gpu in h200 mi210 mi300x rx7900xtx; do
  HWLOC_GPUCACHE_SIM=$gpu "$top_builddir/tests/gpu/chase-smoke"
done
