#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Another program, which checks the data, sees the same bulk copies: their latency within 15 %, because that
# of the other program includes two clock reads, and their bandwidth, from the times of single copies, within 5 %. Needs nvcc.
set -u
tool=$top_builddir/hwloc-gpucache
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
if ! "$nvcc" -arch=native -o "$HOME/bulk" "${srcdir:-.}/tests/gpu/bulk.cu" 2>"$HOME/why"; then
  echo "skipped: no program for the comparison: $(grep -m 1 -i error "$HOME/why" || head -n 1 "$HOME/why")"
  exit 77
fi
"$tool" measure --force --no-store --xml gpu0 >"$HOME/record.xml" || exit 1
value() { sed -n "s/.*\"BulkCopy$1\" value=\"\([0-9.]*\)\".*/\1/p" "$HOME/record.xml"; }
# CUDA may count the GPUs in another order
uuid=$(sed -n 's/.*"GPUCacheUUID" value="\(GPU-[^"]*\)".*/\1/p' "$HOME/record.xml" | head -n 1)
CUDA_VISIBLE_DEVICES=$uuid "$HOME/bulk" >"$HOME/other" || exit 1
echo "cycles and bytes per cycle: $(value LatencyCycles) $(value BytesPerCycle); the other program: $(cat "$HOME/other")"
awk -v cycles="$(value LatencyCycles)" -v rate="$(value BytesPerCycle)" '
  { exit !(cycles > 0 && rate > 0 && $1 / cycles < 1.15 && $1 / cycles > 0.85 && $2 / rate < 1.05 && $2 / rate > 0.95) }
' "$HOME/other" || { echo "FAILED"; exit 1; }
