#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# check.sh [DIR]: predicted against counted hit rates on the GPU of this machine; make
# check-gpu-predict. It needs an H200 (the sizes of the kernels are made for it), nvcc, cuobjdump and
# ncu with the right to read counters; otherwise it is skipped (77). It takes two minutes, and writes
# all data and the table into DIR (default: a new directory under /tmp). doc/results/predict.md
# explains the table.
here=$(cd "$(dirname "$0")" && pwd) || exit 1
tool=${HWLOC_GPUCACHE_TOOL:-$top_builddir/hwloc-gpucache}
baselines=${BASELINES:-$top_builddir/tests/predict/gpu/baselines}
out=${1:-$(mktemp -d)}

skip() {
  echo "check-gpu-predict: SKIPPED, nothing was tested: $*"
  exit 77
}

nvidia-smi -L 2>/dev/null | grep -q H200 || skip "there is no H200"
for program in nvcc cuobjdump ncu python3; do
  command -v "$program" >/dev/null || skip "there is no $program"
done

set -e
mkdir -p "$out/traces"
nvcc -std=c++17 -O2 -arch=sm_90 -o "$out/kernels" "$here/kernels.cu" "$here/cases.cu"
cuobjdump -sass "$out/kernels" | python3 "$here/at-once.py" >"$out/at-once.tsv"
"$tool" measure --force --no-store --xml gpu0 >"$out/record.xml"
sh "$here/count.sh" "$out/kernels" "$out/counts"
python3 "$here/collect.py" "$out/counts" >"$out/counters.tsv"
"$out/kernels" place >"$out/place.tsv"
"$out/kernels" trace "$out/traces" >/dev/null
: >"$out/baselines.tsv"
for trace in "$out/traces"/*.tsv; do
  sh "$here/add-at-once.sh" "$out/at-once.tsv" <"$trace" >"$out/trace.tsv"
  rm "$trace"
  "$baselines" "$out/record.xml" 10 "$out/trace.tsv" >>"$out/baselines.tsv"
done
rm "$out/trace.tsv"
echo "data: $out"
python3 "$here/table.py" "$out/counters.tsv" "$out/baselines.tsv" "$here/held-out"
