#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs every kernel once on the first GPU.
exec "$top_builddir/tests/gpu/chase-smoke"
