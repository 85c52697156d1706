#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Records the kernels of a PyTorch program, predicts their hit rates, and compares them with hardware
# counters. The results of the program must be those of a run alone. If Triton is installed, a kernel of
# it is recorded, too. OUT=DIR keeps the files. Needs python3 with torch and a GPU that it can use, and ncu.
set -eu
for command in python3 ncu; do
  command -v "$command" >/dev/null || { echo "skipped: $command was not found"; exit 77; }
done
python3 -c 'import sys, torch; sys.exit(not torch.cuda.is_available())' 2>/dev/null ||
  { echo "skipped: python3 has no torch that can use a GPU"; exit 77; }
. "${srcdir:-.}/tests/gpu/recording.sh"
check=$here/../../contrib/predict-check

triton=
python3 -c 'import triton' 2>/dev/null && triton=triton
python3 "$here/torch_kinds.py" $triton >alone
"$tool" trace --output results.trace -- python3 "$here/torch_kinds.py" $triton >recorded
diff alone recorded
cat alone
export TOOL="$tool"
"$tool" export --output record.xml gpu0
status=0
"$check" --record record.xml --output . --most 3 --most-l2 6 -- python3 "$here/torch_kinds.py" || status=$?
[ $status -ne 3 ] || { echo "skipped: ncu cannot count here"; exit 77; }
python3 "$here/programs.py" "$check" .
exit $status
