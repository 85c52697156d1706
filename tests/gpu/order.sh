#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Which warps of an SM go first? tests/gpu/order.cu prints it. If many loads wait, one of eight blocks must
# get more than twice what another gets; if few wait, at most a tenth more. This holds on compute
# capability 9.0, and is not checked on other GPUs. There, the command must find that the oldest blocks go
# first. Needs nvcc.
set -u
tool=$top_builddir/hwloc-gpucache
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
if ! "$nvcc" -O2 -arch=native -o "$HOME/order" "${srcdir:-.}/tests/gpu/order.cu" 2>"$HOME/why"; then
  echo "skipped: no program: $(head -n 1 "$HOME/why")"
  exit 77
fi
"$tool" measure --only GPU --no-store --xml gpu0 >"$HOME/record.xml" || exit 1
# CUDA may count the GPUs in another order
uuid=$(sed -n 's/.*"GPUCacheUUID" value="\(GPU-[^"]*\)".*/\1/p' "$HOME/record.xml" | head -n 1)
CUDA_VISIBLE_DEVICES=$uuid "$HOME/order" >"$HOME/order.txt"
status=$?
cat "$HOME/order.txt"
[ $status = 0 ] || exit $status # 77: another GPU
awk -F': ' '
  /^shares/ {
    n = split($2, of, " ")
    most = least = of[1]
    for (i in of) { most = of[i] > most ? of[i] : most; least = of[i] < least ? of[i] : least }
  }
  /^shares\t8 loads, 8 x 4/ { many = most > 2 * least }
  /^shares\t1 loads, 8 x 4/ { few = most <= 1.1 * least }
  END { exit !(many && few) }' "$HOME/order.txt" || { echo "FAILED"; exit 1; }
grep -o 'GPUCacheWarpOrder[^/]*' "$HOME/record.xml"
grep -q '"GPUCacheWarpOrder" value="oldest"' "$HOME/record.xml" || { echo "FAILED"; exit 1; }
