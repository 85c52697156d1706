#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Records the kernels of a program that knows nothing of the tracer, predicts their hit rates, and
# compares them with hardware counters. Then says how much slower recording makes two kernels.
# OUT=DIR keeps the files. Needs nvcc, ncu, python3 and the CUDA Toolkit's libraries.
set -eu
for command in nvcc ncu python3; do
  command -v "$command" >/dev/null || { echo "skipped: $command was not found"; exit 77; }
done
. "${srcdir:-.}/tests/gpu/recording.sh"
check=$here/../../contrib/predict-check

nvcc -O2 -arch=native -o kinds "$here/trace.cu" -lcublas -lcufft
"$tool" export --output record.xml gpu0
# The times of kernels: without recording, and while a sample or all blocks are recorded.
./kinds cost
"$tool" trace --verbose --output cost.trace --kernel 'copy|product' -- ./kinds cost
"$tool" trace --verbose --output cost.trace --kernel 'copy|product' --blocks all -- ./kinds cost
export TOOL=$tool
status=0
echo "all blocks:"
"$check" --record record.xml --output all --blocks all --most 3 --most-l2 8 -- ./kinds || status=$?
[ $status -ne 3 ] || { echo "skipped: ncu cannot count here"; exit 77; }
python3 "$here/programs.py" "$check" all
echo "a sample of the blocks:"
"$check" --record record.xml --output sample --counted all/counted.csv --most 3 --most-l2 8 -- ./kinds || status=1
cp all/counted.csv sample
python3 "$here/programs.py" "$check" sample
exit $status
