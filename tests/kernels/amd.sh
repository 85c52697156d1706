#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The machine code of every code object for AMD GPUs: timed loads, chains and cache policies (amd-order.awk);
# arguments, registers and stack (amd-notes.awk).
set -eu
cd "$top_builddir"
if [ -z "$AMD_IMAGES" ]; then
  echo "SKIPPED: no code objects for AMD GPUs were made (configure says why)"
  exit 77
fi
count=0
for image in $AMD_IMAGES; do
  processor=${image#kernels/amd.}
  sh "$top_srcdir/tests/kernels/amd-check.sh" "${processor%.image}" "$image"
  count=$((count + 1))
done
echo "$count code objects: every timed load, chain and iteration is in order; nothing spills"
