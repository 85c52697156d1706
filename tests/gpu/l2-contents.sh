#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What stores, atomic operations, memsets and copies leave in L2, counted by ncu: doc/results/predict.md. Stores must be
# hits for the SM that stored, on a GPU with partitions of L2. Needs nvcc, ncu and python3.
set -eu
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
for command in "$nvcc" ncu python3; do
  command -v "$command" >/dev/null || { echo "skipped: $command was not found"; exit 77; }
done
here=$(cd "${srcdir:-.}/tests/gpu" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$nvcc" -O2 -arch=native -o "$dir/contents" "$here/l2-contents.cu"
loads=lts__t_sectors_srcunit_tex_op_read
ncu --cache-control none --clock-control none --replay-mode application --kernel-name regex:case_ --csv \
  --metrics $loads.sum,${loads}_lookup_hit.sum,dram__sectors_read.sum "$dir/contents" >"$dir/counted.csv" || true
grep -q '^"' "$dir/counted.csv" || { echo "skipped: ncu cannot count here"; exit 77; }
python3 - "$dir/counted.csv" <<'EOF'
import csv, sys
cases = {}
for row in csv.DictReader(line for line in open(sys.argv[1]) if line.startswith('"')):
    name = row["Kernel Name"].split("(")[0].removeprefix("case_").replace("_", " ")
    cases.setdefault(name, {})[row["Metric Name"].removesuffix(".sum")] = float(row["Metric Value"].replace(",", ""))
def shares(of):
    loads = of["lts__t_sectors_srcunit_tex_op_read"]
    return of["lts__t_sectors_srcunit_tex_op_read_lookup_hit"] / loads, of["dram__sectors_read"] / loads
for name, of in cases.items():
    print("%s: %.3f near hits, %.3f of the sectors read from memory" % (name, *shares(of)))
sys.exit(shares(cases["stored here"])[0] < 0.9)
EOF
