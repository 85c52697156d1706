#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every kernel once, on the first GPU.
exec "$top_builddir/tests/gpu/chase-smoke"
