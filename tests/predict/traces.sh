#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# make-trace: the same bytes each time, wrong usage is refused, and counts that follow from the
# kernels by hand, for n = 64. Prints the first difference.
set -u
make=${top_builddir:-.}/tests/predict/traces/make-trace
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

fail() { echo "$*"; exit 1; }

for trace in $("$make" | sed 's/ .*//' | uniq); do
  "$make" "$trace" 33 >"$work/one" || fail "$trace: failed"
  "$make" "$trace" 33 >"$work/two" || fail "$trace: failed"
  cmp "$work/one" "$work/two" || fail "$trace: not the same twice"
  [ "$(sed -n '$p' "$work/one")" = end ] || fail "$trace: no end"
done
for arguments in no-such-trace 'vector-add 0' 'vector-add 12x' 'vector-add 67108865' 'vector-add 1 2'; do
  # shellcheck disable=SC2086 # several arguments
  "$make" $arguments >"$work/out" 2>&1 && fail "make-trace $arguments: no failure"
done

# Trace, sectors of loads, stores and atomics, different sectors loaded, different sectors in all.
#   A row of 64 floats is 8 sectors; a tile of 16 x 16 has 2 sectors in each row.
#   transpose-naive: a warp reads 2 rows of a tile, and writes 16 rows of 2 floats.
#   gemm-naive: a warp loads one float of 2 rows of A, and the same 16 floats of B for both.
#   gemm-tiled: each of 16 blocks loads 4 tiles of A and of B.
while read -r trace loads stores atomics loaded all; do
  "$make" "$trace" 64 | grep "^# .*sectors" >"$work/one"
  printf "# sectors: loads %d, stores %d, atomics %d\n# different sectors: loaded %d, all %d\n" \
    "$loads" "$stores" "$atomics" "$loaded" "$all" >"$work/two"
  cmp -s "$work/one" "$work/two" || { diff "$work/two" "$work/one"; fail "$trace: other counts"; }
done <<'END'
vector-add 16 8 0 16 24
strided-copy 512 512 0 64 128
transpose-naive 512 2048 0 512 1024
transpose-tiled 512 512 0 512 1024
gemm-naive 32768 512 0 1024 1536
gemm-tiled 4096 512 0 1024 1536
column-copy 16384 16384 0 2048 4096
END
