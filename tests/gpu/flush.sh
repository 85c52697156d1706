#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Another program finds at most 5 % of its lines in caches after FlushBytes were read, and more after
# 0.84 times as much, which is the next smaller size that measuring tries. Lines that it finds after 256 MiB
# are its errors, and do not count. Needs nvcc.
set -u
tool=$top_builddir/hwloc-gpucache
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
if ! "$nvcc" -arch=native -o "$HOME/flush" "${srcdir:-.}/tests/gpu/flush.cu" 2>"$HOME/why"; then
  echo "skipped: no program for the comparison: $(head -n 1 "$HOME/why")"
  exit 77
fi
"$tool" measure --force --no-store --xml gpu0 >"$HOME/record.xml" || exit 1
bytes=$(sed -n 's/.*"GPUCacheFlushBytes" value="\([0-9]*\)".*/\1/p' "$HOME/record.xml")
[ -n "$bytes" ] || { grep GPUCacheFlush "$HOME/record.xml"; echo "FAILED: no FlushBytes"; exit 1; }
# CUDA may count the GPUs in another order
uuid=$(sed -n 's/.*"GPUCacheUUID" value="\(GPU-[^"]*\)".*/\1/p' "$HOME/record.xml" | head -n 1)
CUDA_VISIBLE_DEVICES=$uuid "$HOME/flush" $((bytes / 100 * 84)) "$bytes" $((256 << 20)) >"$HOME/left" || exit 1
echo "bytes, lines left in percent:"
cat "$HOME/left"
awk '{ left[NR] = $2 } END { exit !(left[2] - left[3] <= 5 && left[1] - left[3] > 5) }' "$HOME/left" ||
  { echo "FAILED"; exit 1; }
