#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Which warps of an SM go first? tests/gpu/order.cu prints it. If many loads wait, one of eight blocks must
# get more than twice what another gets; if few wait, at most a tenth more. This holds on compute
# capability 9.0, and is not checked on other GPUs. Needs nvcc.
set -u
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
if ! "$nvcc" -O2 -arch=native -o "$HOME/order" "${srcdir:-.}/tests/gpu/order.cu" 2>"$HOME/why"; then
  echo "skipped: no program: $(head -n 1 "$HOME/why")"
  exit 77
fi
"$HOME/order" >"$HOME/order.txt"
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
