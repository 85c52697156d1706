#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# check.sh [DIR]: predicted against counted hit rates on the GPU of this machine; make
# check-gpu-predict. It needs a GPU of compute capability 9.0 (an H100 or H200: grids follow the
# number of SMs, the other sizes are made for their caches), nvcc, cuobjdump, and ncu with the right
# to read counters; otherwise it is skipped (77). It takes four minutes with 16 cores, and writes
# all data and the tables into DIR (default: a new directory under /tmp). doc/results/predict.md
# explains them.
here=$(cd "$(dirname "$0")" && pwd) || exit 1
tool=${HWLOC_GPUCACHE_TOOL:-$top_builddir/hwloc-gpucache}
baselines=${BASELINES:-$top_builddir/tests/predict/gpu/baselines}
out=${1:-$(mktemp -d)}

skip() {
  echo "check-gpu-predict: SKIPPED, nothing was tested: $*"
  exit 77
}

[ "$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader -i 0 2>/dev/null)" = 9.0 ] ||
  skip "GPU 0 is not of compute capability 9.0"
for program in nvcc cuobjdump ncu python3; do
  command -v "$program" >/dev/null || skip "there is no $program"
done

set -e
mkdir -p "$out/traces"
nvcc -std=c++17 -O2 -arch=sm_90 -o "$out/kernels" "$here/kernels.cu" "$here/cases.cu"
for program in replay loops sequences; do
  nvcc -std=c++17 -O2 -arch=sm_90 -o "$out/$program" "$here/$program.cu"
done
cuobjdump -sass "$out/kernels" | python3 "$here/at-once.py" >"$out/at-once.tsv"
"$tool" measure --force --no-store --xml gpu0 >"$out/record.xml"
sh "$here/count.sh" "$out/kernels" "$out/counts"
python3 "$here/collect.py" "$out/counts" >"$out/counters.tsv"
"$out/kernels" place >"$out/place.tsv"
"$out/kernels" trace "$out/traces" >/dev/null
: >"$out/baselines.tsv"
: >"$out/timed.tsv"
threshold=$(sh "$here/facts.sh" threshold "$out/record.xml")
sms=$(sh "$here/facts.sh" sms "$out/record.xml")
masks=$(sh "$here/facts.sh" masks "$out/record.xml")
lines=$(sh "$here/facts.sh" lines "$out/record.xml")
"$out/loops" "$threshold" >"$out/loops.tsv"
"$out/sequences" "$threshold" "$masks" | python3 "$here/policies.py" "$masks" "$lines" >"$out/policies.tsv"
for trace in "$out/traces"/*.tsv; do
  sh "$here/add-at-once.sh" "$out/at-once.tsv" <"$trace" >"$out/trace.tsv"
  rm "$trace"
  "$baselines" "$out/record.xml" 10 "$out/trace.tsv" >"$out/rows.tsv"
  cat "$out/rows.tsv" >>"$out/baselines.tsv"
  # the blocks that the model runs on an SM at once
  resident=$(awk -F'\t' '$2 == "full" { print $12 }' "$out/rows.tsv")
  "$out/replay" "$out/trace.tsv" "$sms" "$resident" "$threshold" >>"$out/timed.tsv"
done
rm "$out/rows.tsv"
rm "$out/trace.tsv"
echo "data: $out"
python3 "$here/timed.py" "$out/timed.tsv" "$out/baselines.tsv" "$out/counters.tsv"
python3 "$here/table.py" "$out/counters.tsv" "$out/baselines.tsv" "$here/held-out"
