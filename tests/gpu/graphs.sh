#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The kernels of a graph are recorded like kernels that are launched alone: as many accesses, each in
# its own launch. Needs nvcc and python3.
set -eu
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
for command in "$nvcc" python3; do
  command -v "$command" >/dev/null || { echo "skipped: $command was not found"; exit 77; }
done
. "${srcdir:-.}/tests/gpu/recording.sh"
"$nvcc" -O2 -arch=native -o graphs "$here/graphs.cu"
"$tool" trace --launches all --blocks all --output graphs.trace -- ./graphs
"$tool" export --output record.xml gpu0
"$tool" predict --record record.xml --seeds 0 --json graphs.trace >graphs.json
python3 - <<'EOF'
import json
launches = [(k["launch"]["name"], k["launch"]["blocks"], k["l1_loads"]["sectors"], k["l1_stores"])
            for k in json.load(open("graphs.json"))["kernels"]]
for i in range(0, len(launches), 4):
    print(launches[i:i + 4])
# streams of a graph may be named in another order
assert len(launches) == 12 and all(sorted(launches[i:i + 4]) == sorted(launches[:4]) for i in (4, 8))
assert all(sectors for _, _, sectors, _ in launches)
EOF
