#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The default sample of the launches: of a program with several threads, streams and graphs, and of one
# that runs for 10 s and makes many launches. Both compute the same as alone; the second one
# takes at most ten times as long. Needs nvcc and cuBLAS.
set -eu
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
command -v "$nvcc" >/dev/null || { echo "skipped: $nvcc was not found"; exit 77; }
. "${srcdir:-.}/tests/gpu/recording.sh"
seconds=10
now() { date +%s%N | cut -c1-13; } # ms

"$nvcc" -O2 -arch=native -o sample "$here/sample.cu" -lcublas
timeout 60 "$tool" trace --output threads.trace -- ./sample threads >out 2>messages || { cat out messages; exit 1; }
cat out messages
grep -q "of $(cut -d' ' -f1 out) launches" messages

begin=$(now)
./sample work "$seconds" >alone
alone=$(($(now) - begin))
begin=$(now)
timeout $((10 * seconds)) "$tool" trace --output work.trace -- ./sample rounds "$(cut -d' ' -f1 alone)" >traced
cmp alone traced
cat alone
echo "alone $alone ms, traced $(($(now) - begin)) ms, trace of $(wc -c <work.trace) bytes"
