#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Prints the times of reuse distances on this machine. make bench-predict runs it.
#   NUGTEREN=DIR   also times the released code of Nugteren et al., and compares all counts of
#                  distances with it. DIR/bin/cachemodel must be there:
#                    git clone https://github.com/CNugteren/gpu-cache-model DIR && cd DIR &&
#                    mkdir -p bin && g++ -O3 -std=c++11 src/model/*.cpp -o bin/cachemodel
#   ACCESSES=N     of each stream (by default 10 million; for NUGTEREN a tenth, as it needs 200 bytes
#                  of memory for each)
# Exit status: 1 if two methods give other distances.
set -u
bench=${top_builddir:-.}/tests/predict/bench-distance
accesses=${ACCESSES:-10000000}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
status=0

echo "machine   $(hostname), $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores"
echo "date      $(date -u +%Y-%m-%dT%H:%MZ)"
echo
echo "CPU time per access in ns, best of 3, $accesses accesses (the stack: once, and fewer). Histogram: with"
echo "hints, and counted in a histogram"
echo "shape         lines histogram    hints no hints  Fenwick      stack"
for lines in 1000 10000 100000 300000 1000000; do
  for shape in streaming uniform stencil zipf near; do
    "$bench" time $shape $lines "$accesses" || status=1
  done
done
[ -n "${NUGTEREN:-}" ] || exit $status

# Seconds of user time that the last command in the subshell took.
user_seconds() { sed -n '2s/^\([0-9]*\)m\([0-9.]*\)s.*/\1 \2/p' "$1" | awk '{ print $1 * 60 + $2 }'; }

# The program computes distances four times, for four models; here they are equal: one set, no
# latency. With stores only it reads the trace, and stops.
cachemodel() { # SHAPE LINES [stores]
  "$bench" trace "$1" "$2" "$few" ${3:+"$3"} >"$work/output/bench/bench_00.trc"
  (cd "$work" && { "$NUGTEREN/bin/cachemodel" bench >log; times >spent; })
  user_seconds "$work/spent"
}

few=$((accesses / 10))
mkdir -p "$work/output/bench" "$work/configurations"
printf 'LINE_SIZE 128\nCACHE_BYTES %d\nCACHE_WAYS %d\nNUM_MSHR 1000000\nMEM_LATENCY 0\nMEM_LATENCY_STDDEV 0\n' \
  $((128 * 128)) 128 >"$work/configurations/current.conf"
echo
echo "Nugteren et al. on $few accesses of one thread, CPU time per access in ns; hits with 128 lines"
echo "shape         lines  theirs     ours  distances   our hits  their hits"
for lines in 1000 100000; do
  for shape in streaming uniform stencil zipf near; do
    reading=$(cachemodel $shape $lines stores)
    all=$(cachemodel $shape $lines)
    sed -n '/^histogram/,/^$/p' "$work/output/bench/bench_00.out" | sed '1d;/^$/d;s/^99999999 /inf /' |
      sort >"$work/theirs"
    "$bench" counts $shape $lines $few >"$work/ordered"
    sort "$work/ordered" >"$work/ours"
    equal=equal
    cmp -s "$work/theirs" "$work/ours" || { equal=DIFFERENT; status=1; }
    ours=$("$bench" time $shape $lines $few | awk '{ print $3 }')
    hits=$(awk '$1 != "inf" && $1 < 128 { n += $2 } END { print n + 0 }' "$work/ordered")
    awk -v shape=$shape -v lines=$lines -v all="$all" -v reading="$reading" -v n=$few -v ours="$ours" \
      -v equal=$equal -v hits="$hits" -v their="$(sed -n 's/^modelled_hits: //p' "$work/output/bench/bench_00.out")" \
      'BEGIN { printf "%-10s %8d %7.0f %8.1f  %-9s %10d  %10d\n", shape, lines, (all - reading) / 4 / n * 1e9, ours,
               equal, hits, their }'
  done
done
exit $status
