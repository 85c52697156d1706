#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Which SMs have their loads of the same sector joined before L2, and when: doc/results/predict.md.
# They must be those of a GPC. Needs a GPU whose GPCs are known and whose SMs have 200 KiB of shared
# memory, nvcc, ncu and python3.
set -eu
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
for command in "$nvcc" ncu python3; do
  command -v "$command" >/dev/null || { echo "skipped: $command was not found"; exit 77; }
done
tool=${TOOL:-$PWD/hwloc-gpucache}
here=$(cd "${srcdir:-.}/tests/gpu" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$tool" export gpu0 --output "$dir/record.xml"
gpcs=$(sed -n 's/.*name="GPUCacheGPCSMs" value="\([^"]*\)".*/\1/p' "$dir/record.xml" | head -n 1)
[ -n "$gpcs" ] || { echo "skipped: the GPCs of gpu0 are not known"; exit 77; }
# the first SM of a GPC, two others of it, and one of each other GPC
set -- $gpcs
pairs=$(echo "$1" | awk -F, '{ print $1, $2, $NF }')
shift
for gpc; do pairs="$pairs ${gpc%%,*}"; done
"$nvcc" -O2 -arch=native -o "$dir/join" "$here/join.cu"
requested=l1tex__t_sectors_pipe_lsu_mem_global_op_ld arrived=lts__t_sectors_srcunit_tex_op_read
CUDA_DEVICE_ORDER=PCI_BUS_ID
export CUDA_DEVICE_ORDER
timeout 60 "$dir/join" $pairs
timeout 300 ncu --cache-control none --clock-control none --replay-mode application \
  --kernel-name load_pair --csv --print-units base --metrics $requested.sum,$arrived.sum \
  "$dir/join" $pairs >"$dir/counted.csv" || true
grep -q '^"' "$dir/counted.csv" || { echo "skipped: ncu cannot count here"; exit 77; }
python3 - "$dir/counted.csv" "$gpcs" $requested.sum $arrived.sum $pairs <<'EOF'
import csv, sys
RANGE = 1024  # of join.cu
path, gpcs, requested, arrived, first, *others = sys.argv[1:]
gpc_of = {sm: gpc for gpc, sms in enumerate(gpcs.split()) for sm in sms.split(",")}
launches = {}
for row in csv.DictReader(line for line in open(path) if line.startswith('"')):
    launches.setdefault(int(row["ID"]), {})[row["Metric Name"]] = float(row["Metric Value"].replace(",", ""))
wrong = len(launches) != len(others)
for (_, launch), other in zip(sorted(launches.items()), others):
    missing = launch[requested] - launch[arrived]
    same = gpc_of[first] == gpc_of[other]
    cycles = missing / (launch[requested] / 2) * RANGE
    print(f"SM {first} and {other}, {'the same GPC' if same else 'another GPC'}: joined within {cycles:.0f} cycles")
    wrong |= same != (cycles > 1)
sys.exit(wrong)
EOF
