#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The machine code from ptxas, for every architecture that it supports: timed loads and chains in order (sass-check),
# no stack and no spills (ptxas -v). nvdisasm, where it is installed, confirms the former.
set -eu
cd "$top_builddir"
if [ -z "${PTXAS:-}" ]; then
  echo "SKIPPED: no machine code was made, because there is no ptxas (CUDA Toolkit)"
  exit 77
fi
set -- kernels/cuda.sm_*.cubin
set -- "$@" kernels/copies.sm_*.cubin kernels/filler.sm_*.cubin kernels/jumps.sm_*.cubin kernels/system.sm_*.cubin
[ ! -e kernels/cluster.sm_90.cubin ] || set -- "$@" kernels/cluster.sm_*.cubin
tests/kernels/sass-check "$@"
set -- kernels/cuda.sm_*.cubin kernels/copies.sm_*.cubin

for log in kernels/cuda.sm_*.ptxas kernels/copies.sm_*.ptxas kernels/filler.sm_*.ptxas kernels/jumps.sm_*.ptxas kernels/cluster.sm_*.ptxas \
  kernels/system.sm_*.ptxas; do
  [ -e "$log" ] || continue # a ptxas that knows no GPU with clusters
  kernels=$(grep -c 'Compiling entry function' "$log")
  clean=$(grep -c ' 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads' "$log")
  if [ "$kernels" -ne "$clean" ] || [ "$kernels" -eq 0 ] || grep 'bytes smem' "$log"; then
    echo "$log: $kernels kernels, $clean without stack and spills"
    exit 1
  fi
done
echo "$# logs of ptxas: no stack, no spills, no static shared memory"

if ! command -v nvdisasm >/dev/null; then
  echo "nvdisasm was not found: only sass-check has checked the code"
  exit 0
fi
for cubin in "$@"; do
  nvdisasm -c "$cubin" >"$HOME/sass" 2>/dev/null || { echo "nvdisasm does not support $cubin"; continue; }
  awk -f "$top_srcdir/tests/kernels/sass-order.awk" "$HOME/sass" || { echo "$cubin: out of order"; exit 1; }
done
echo "nvdisasm agrees"
