#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The example of doc/write-a-program.md says what is in the topology it is given.
expected='gpu0-L1 217KiB x132: 222720 bytes, 31.5 cycles
gpu1-L1 24KiB x30: 24576 bytes, 82.0 cycles'
found=$(HWLOC_XMLFILE=$top_srcdir/tests/data/two-gpus.xml "$top_builddir/doc/examples/gpucache-read") ||
  exit 1
[ "$found" = "$expected" ] || { printf 'expected:\n%s\nfound:\n%s\n' "$expected" "$found"; exit 1; }
