#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Records the kernels of a program that knows nothing of the tracer, predicts their hit rates, and
# compares them with hardware counters. Then says how much slower recording makes two kernels.
# OUT=DIR keeps the files. Needs nvcc, ncu, python3 and the CUDA Toolkit's libraries.
set -eu
for command in nvcc ncu python3; do
  command -v "$command" >/dev/null || { echo "skipped: $command was not found"; exit 77; }
done
tool=${TOOL:-$PWD/hwloc-gpucache}
HWLOC_GPUCACHE_TRACE_LIBRARY=${HWLOC_GPUCACHE_TRACE_LIBRARY:-$PWD/src/trace/.libs/hwloc-gpucache-trace.so}
export HWLOC_GPUCACHE_TRACE_LIBRARY
here=$(cd "${srcdir:-.}/tests/gpu" && pwd)
dir=${OUT:-$(mktemp -d)}
[ -n "${OUT:-}" ] || trap 'rm -rf "$dir"' EXIT
cd "$dir"

nvcc -O2 -arch=native -o kinds "$here/trace.cu" -lcublas -lcufft
"$tool" export --output record.xml
"$tool" trace -- ./kinds
"$tool" predict --record record.xml --seeds 0 --json kinds.trace >predicted.json
"$tool" trace --blocks all --output all.trace -- ./kinds
"$tool" predict --record record.xml --seeds 0 --json all.trace >all.json
rates=l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum
rates=$rates,lts__t_sectors_srcunit_tex_op_read.sum,lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum
ncu --cache-control none --clock-control none --replay-mode application --csv --metrics "$rates" ./kinds >counted.csv || {
  echo "skipped: ncu cannot count here"
  exit 77
}

# The times of kernels: without recording, and while a sample or all blocks are recorded.
./kinds cost
"$tool" trace --verbose --output cost.trace --kernel 'copy|product' -- ./kinds cost
"$tool" trace --verbose --output cost.trace --kernel 'copy|product' --blocks all -- ./kinds cost
echo "all blocks:"
python3 "$here/trace.py" all.json counted.csv
echo "a sample of the blocks:"
python3 "$here/trace.py" predicted.json counted.csv
