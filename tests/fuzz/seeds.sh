#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Makes the seeds of the fuzz targets anew, from the files of tests/data and data/sim. Inputs that
# once failed have other names (fixed-*) and stay.
set -euo pipefail
cd "${BASH_SOURCE%/*}/../.."
fuzz=tests/fuzz
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir -p $fuzz/corpus-{failure,gpus,kfd,plot,profile,record,remember,sim,topology,trace,visible}

# files ROOT PATTERN...: the files below ROOT that match, as fuzz_gpus.c reads them.
files()
{
  local root=$1 file
  shift
  (cd "$root" && find . -type f | sort | grep -E "$(IFS='|'; echo "$*")") | while read -r file; do
    echo "=${file#.}"
    cat "$root/$file"
  done
}

# A note, without its head and with one that does not match.
printf '+since: 2025-11-21T10:00:00Z\npassing: yes\nwhy: the GPU is busy\n' > $fuzz/corpus-failure/tail
printf '+since: 2999-13-41T25:61:61Z\npassing: no\nwhy: \n' > $fuzz/corpus-failure/date
printf 'hwloc-gpucache failure 1\nid: GPU-1\ndriver: 1\nvbios: \nmig: \nformat: 1\n' > $fuzz/corpus-failure/head

cp data/sim/h100 $fuzz/corpus-profile/h100
cp data/sim/mi300x $fuzz/corpus-profile/mi300x
cp tests/tool/small $fuzz/corpus-profile/tiny
sed -e 's/^seed = 1$/&\npages = 64 KiB mixed\npage_seed = 7\nwhole_sectors = yes/' \
    -e 's/^scope = chip$/&\nsurvives_launch = no\ninsertion = dip 32/' \
    -e 's/^\[space ca\]$/[tlb L1TLB]\nentries = 16\ncovers = 2 MiB\npenalty = 50\n[tlb L2TLB]\n'$(
      )'entries = 512\nways = 8\ncovers = 32 MiB\npenalty = 300\nscope = group 2\n\n&/' \
    tests/tool/small > $fuzz/corpus-profile/physical

cp tests/data/record-good.xml tests/data/two-gpus.xml $fuzz/corpus-record/
cp tests/data/record-good.xml tests/data/two-gpus.xml $fuzz/corpus-topology/
: > $fuzz/corpus-record/empty
cat > $fuzz/corpus-record/small.xml <<'END'
<topology version="2.0"><object type="Machine"><object type="OSDev" subtype="DeviceMemory">
<info name="GPUCacheUUID" value="GPU-1"/><info name="NominalBytes" value="1"/><!-- c -->
<object type="OSDev" subtype="L2Cache"><info name="LatencyNs" value="1.5"/>
<info name="CapacitySource" value="absent:a &lt; b &#38; c"/></object></object></object></topology>
END

tests/plugin/fake-node.sh "$tmp/node"
mkdir -p "$tmp"/node/proc/driver/nvidia/capabilities/gpu0/mig/gi{1,7}/ci0
touch "$tmp"/node/proc/driver/nvidia/capabilities/gpu0/mig/gi{1,7}/ci0/access
files "$tmp/node" /driver/nvidia '0000:(1|9)7:00.0/(vendor|class|device)' > $fuzz/corpus-gpus/nvidia
{
  files "$tmp/node" '0000:17:00.0/(vendor|class|device)'
  echo =/sys/module/nvidia/version
  echo 535.54.03
} > $fuzz/corpus-gpus/no-driver
for model in mi100 mi300x-cpx rx6800; do
  tests/data/amd-tree.sh "$tmp/$model" $model 1 0000:a7:00.0
  files "$tmp/$model" /module/ '0000:a7:00\.' 'nodes/[0-9]/(name|properties)' '/[1-3]/mem_banks/' \
    'nodes/1/caches/[0-4]/' > $fuzz/corpus-gpus/$model
  { for file in "$tmp/$model"/sys/class/kfd/kfd/topology/nodes/1/{,mem_banks/0/}properties; do
      cat "$file"; echo
    done
    for i in {0..4}; do
      cat "$tmp/$model/sys/class/kfd/kfd/topology/nodes/1/caches/$i/properties" 2>/dev/null || break
      echo
    done; } > $fuzz/corpus-kfd/$model
done
cat > $fuzz/corpus-sim/tables <<'END'
model = Tiny
gfx = gfx90a # comment
[sysfs DeviceMemory]
NominalBytes = 68702699520
[sysfs L2Cache]
NominalBytes = 8388608
LineBytes = 128
Instances = 1
[cache L1]
size = 16 KiB
END
sed -n '/^[^#]/p' data/sim/mi210 > $fuzz/corpus-sim/mi210
cp tests/data/traces/* $fuzz/corpus-trace/

# Texts of the node of fuzz_remember.c (node.h): right ones, wrong ones, and one that is too old.
entry()
{
  printf '%s %d %d\n%s\n' "$1" "${3:-1700000000}" $((${#2} + 1)) "$2"
}
gpu=$'Model: \t\t NVIDIA H200\nGPU UUID: \t GPU-33333333-0000-0000-0000-000000000017\nDevice Minor: \t 0'
pci=$'pci\n10de 2330 0000:17:00.0\n10de 2335 0000:a7:00.0'
{ printf +; entry @0 "$pci"; entry @1 "$gpu"; entry 0123456789abcdef other; } > $fuzz/corpus-remember/wrong
{ printf +; entry @0 pci; entry @1 "$gpu" 1699900000; entry @1 "$gpu" 1800000000; } > $fuzz/corpus-remember/old
{ printf +; entry @0 "$pci"; entry @0 pci; } > $fuzz/corpus-remember/twice
printf 'hwloc-gpucache remembered 1\nend 8f3ac2ae6a8fbd11\n' > $fuzz/corpus-remember/damaged

# Environments as in /proc/PID/environ, and files that replace those of node.h.
mig=MIG-c7384736-a75d-5afc-978f-d2f1294409fd
uuid=GPU-11111111-0000-0000-0000-000000000017
printf 'CUDA_VISIBLE_DEVICES=%s\0' "$mig,MIG-$uuid/1/0,$mig" > $fuzz/corpus-visible/mig
printf 'CUDA_VISIBLE_DEVICES=%s\0CUDA_DEVICE_ORDER=PCI_BUS_ID\0' "MIG-$uuid/2/0" > $fuzz/corpus-visible/older
printf '%s\0' CUDA_VISIBLE_DEVICES=1,0 CUDA_DEVICE_ORDER=PCI_BUS_ID ROCR_VISIBLE_DEVICES=1 HIP_VISIBLE_DEVICES=0 \
  '' > $fuzz/corpus-visible/indices
printf '%s\0' "CUDA_VISIBLE_DEVICES=$uuid,GPU-2" ROCR_VISIBLE_DEVICES=GPU-8c29,0x1 GPU_DEVICE_ORDINAL=1 '' \
  > $fuzz/corpus-visible/uuids
printf '=/dev/nvidia1\n!\n=/dev/nvidia-caps/nvidia-cap20\n=/dev/nvidia-caps/nvidia-cap21\n' >> $fuzz/corpus-visible/uuids
printf '\0=/dev/nvidia-caps/nvidia-cap10\n!\n=/dev/dri/renderD129\n!\n' > $fuzz/corpus-visible/nodes

# Files of measure --raw, shortened; two forms that the small GPU does not have.
raw=$tmp/raw
"${TOOL:-build/dev/hwloc-gpucache}" --sim tests/tool/small measure --force --no-store --raw "$raw" > /dev/null
for form in curve trace repeats table; do
  file=$(grep -l "^# form: $form" "$raw"/*.tsv)
  file=${file%%$'\n'*}
  { sed -n '1p; /^# \(gpu\|element\|property\|form\|unit\|found\|timing\|confidence\|threshold\|miss\)/p' "$file"
    awk '!/^#/ && rows++ < 9' "$file"; } > "$fuzz/corpus-plot/$form"
done
printf '%s\n' '# hwloc-gpucache 1' '# form: curve' '# found: 1000' '# CarveoutTable: 0:222208,15:189440,default:222208' \
  $'bytes\tloads\tslow\tmin\tp01\tmedian\tp99\tmax\tmean\tcarve-out' $'1000\t9\t1\t30\t30\t31\t35\t40\t32\t0' \
  $'2000\t9\t8\t30\t30\t31\t35\t400\t99\t15' $'2000\t9\t8\t30\t30\t31\t35\t400\t99\t-1' > $fuzz/corpus-plot/carveouts
printf '%s\n' '# hwloc-gpucache 1' '# form: rates' '# CarveoutTable: 0:222208,15:189440' $'capacity, KiB\thits, %\tall' \
  $'10\t20\t30' $'11\tnan\t1e9' > $fuzz/corpus-plot/rates
printf '%s\n' '# hwloc-gpucache 1' '# form: distances' '# line: 128' '# CarveoutTable: 0:222208,15:189440' $'from\tto\tloads' \
  $'0\t0\t20' $'1e9\t2e9\t30' $'none\tnone\t9' > $fuzz/corpus-plot/distances
du -sh $fuzz/corpus-*
