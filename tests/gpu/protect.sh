#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Which accesses protect a line of L1 whose replacement is segmented LRU: hits, and misses of a
# sector of a line that is there (doc/results/predict.md). Needs nvcc and python3.
set -eu
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
for command in "$nvcc" python3; do
  command -v "$command" >/dev/null || { echo "skipped: $command was not found"; exit 77; }
done
tool=${TOOL:-$PWD/hwloc-gpucache}
here=$(cd "${srcdir:-.}/tests/gpu" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$tool" show --json >"$dir/gpus.json"
masks=$(python3 - "$dir/gpus.json" <<'EOF'
import json, sys
for element in json.load(open(sys.argv[1]))[0]["elements"]:
    if element["subtype"] == "L1Cache" and element.get("Replacement") == "slru":
        print(element.get("SetIndexMasks") or "")
EOF
)
[ -n "$masks" ] || { echo "skipped: the L1 of this GPU has no segmented LRU with known sets"; exit 77; }
"$nvcc" -O2 -arch=native -o "$dir/protect" "$here/protect.cu"
"$dir/protect" "$masks" | tee "$dir/there"
# of 64 sets, after 8 new lines
awk '/^loaded once/ { bad += $NF > 6; next } { bad += $NF < 58 } END { exit bad > 0 }' "$dir/there"
