#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# amd-tree.sh DIR MODEL NODE BUSID: adds an AMD GPU to a made-up /proc and /sys in DIR, as the
# Linux drivers amdgpu and KFD show it: a PCI device, and a node of KFD's topology (for mi300x-cpx,
# eight nodes). The choice of disabled CUs is made up; everything else is as on real GPUs.
set -e
[ $# -eq 4 ] || { echo "usage: $0 DIR MODEL NODE BUSID" >&2; exit 2; }
root=$1 model=$2 node=$3 bus_id=$4
. "${BASH_SOURCE%/*}/tree.bash"

nodes=/sys/class/kfd/kfd/topology/nodes
base=2147487744 # the first CU's number

# bits NUMBER COUNT: sets $map to the lowest COUNT bits, each after a comma, and zeros up to 32 entries.
zeros=,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0
bits() {
  local bit
  map=
  for ((bit = 0; bit < $2; bit++)); do map+=,$(($1 >> bit & 1)); done
  map+=${zeros:2*$2}
}

# kind KIB TYPE SHARED LINE: describes one kind of level 1 cache that SHARED neighbours share. Each
# group with an active CU has an entry. $masks has the active CUs of each shader array of
# $cus_per_array CUs.
kind() {
  local mask group cu first map processor=$base
  for mask in $masks; do
    for ((cu = 0; cu < cus_per_array; cu += $3)); do
      group=$((mask >> cu & ((1 << $3) - 1)))
      [ $group != 0 ] || continue
      for ((first = 0; (group >> first & 1) == 0; first++)); do :; done
      bits $((group >> first)) "$3"
      entry 1 "$1" "$2" "$4" $((processor + cu + first)) "${map#,}"
    done
    processor=$((processor + cus_per_array))
  done
}

# entry LEVEL KIB TYPE LINE PROCESSOR MAP: adds a cache to the list that describe writes.
entry() {
  caches+=("processor_id_low $5
level $1
size $2
cache_line_size $4
cache_lines_per_tag 1
association 0
latency 0
type $3
sibling_map $6")
}

# all: sets $all to the map of all CUs, 32 entries for each array.
all() {
  local mask map
  all=
  for mask in $masks; do
    bits "$mask" "$cus_per_array"
    all+=$map
  done
  all=${all#,}
}

# describe SIMDS_PER_CU WAVES WAVE GFX DEVICE MHZ UNIQUE_ID: writes the node and its caches. Uses
# $location and $xccs.
describe() {
  local mask bit cus=0 arrays=0 i
  for i in ${!caches[*]}; do put $nodes/$node/caches/$i/properties "${caches[i]}"; done
  for mask in $masks; do
    arrays=$((arrays + 1))
    for ((bit = 0; bit < cus_per_array; bit++)); do cus=$((cus + (mask >> bit & 1))); done
  done
  put "$nodes/$node/name" 'ip discovery'
  put "$nodes/$node/gpu_id" $((20000 + node))
  put "$nodes/$node/properties" 'cpu_cores_count 0' "simd_count $((cus * $1))" 'mem_banks_count 1' \
    "caches_count ${#caches[*]}" 'io_links_count 0' "simd_id_base $base" "max_waves_per_simd $2" \
    'lds_size_in_kb 64' 'gds_size_in_kb 0' "wave_front_size $3" "array_count $arrays" \
    "cu_per_simd_array $cus_per_array" "simd_per_cu $1" "gfx_target_version $4" 'vendor_id 4098' \
    "device_id $(($5))" "location_id $location" "domain $((16#${bus_id%%:*}))" 'drm_render_minor 128' \
    "max_engine_clk_fcompute $6" 'local_mem_size 0' "unique_id $7" "num_xcc $xccs" \
    'max_engine_clk_ccompute 3800'
}

# bank BYTES BITS MHZ: writes a memory bank of the node.
bank() {
  put "$nodes/$node/mem_banks/0/properties" 'heap_type 1' "size_in_bytes $1" 'flags 0' "width $2" \
    "mem_clk_max $3"
}

location=$((16#${bus_id:5:2} << 8 | 16#${bus_id:8:2} << 3 | 16#${bus_id:11}))
caches=() xccs=1
device=/sys/bus/pci/devices/$bus_id
put /sys/module/amdgpu/version 6.10.5
put $nodes/0/properties 'cpu_cores_count 4' 'simd_count 0' 'caches_count 0' 'location_id 0'
unique_id=$((0x1d3c0ffee0000000 + location))

# mi300x L2_KIB: adds the caches of one XCD: four arrays of ten CUs, 38 active; two neighbours
# share.
mi300x() {
  cus_per_array=10
  kind 32 9 1 128
  kind 64 10 2 64
  kind 16 9 2 64
  all
  entry 2 "$1" 9 128 $base "$all"
}

case $model in
mi100) # 120 CUs of 128; a scalar cache for three, two or one
  masks='0x7fff 0xfffe 0x7fff 0xfffe 0x7fff 0xfffe 0x7fff 0xfffe' cus_per_array=16
  kind 16 9 1 64
  kind 32 10 3 64
  kind 16 9 3 64
  all
  entry 2 8192 9 64 $base "$all"
  describe 4 10 64 90008 0x738c 1502 $unique_id
  bank $((32 << 30)) 4096 1200
  pci "$bus_id" 0x038000 0x1002 0x738c 00000003
  put $device/product_name 'AMD Instinct MI100'
  put $device/vbios_version 113-D3431500-100
  ;;
mi300x | mi300x-6.6) # kernel 6.6 states the L2 of all XCDs as one sum
  xccs=8 masks=$(for ((i = 0; i < 8; i++)); do echo 0x3ff 0x3ff 0x1ff 0x3fe; done)
  l2=4096
  [ $model = mi300x ] || l2=$((8 * 4096))
  mi300x $l2
  entry 3 262144 9 64 $base "$all"
  describe 4 8 64 90402 0x74a1 2100 $unique_id
  bank $((192 << 30)) 8192 1300
  pci "$bus_id" 0x120000 0x1002 0x74a1 00000003
  put $device/product_name 'AMD Instinct MI300X OAM'
  put $device/vbios_version 113-M3000100-102
  put $device/current_compute_partition SPX
  put $device/current_memory_partition NPS1
  ;;
mi300a) # six XCDs; its memory is that of its CPU cores
  xccs=6 masks=$(for ((i = 0; i < 6; i++)); do echo 0x3ff 0x3ff 0x1ff 0x3fe; done)
  mi300x 4096
  entry 3 262144 9 64 $base "$all"
  describe 4 8 64 90402 0x74a0 2100 $unique_id
  bank $((128 << 30)) 8192 1300
  pci "$bus_id" 0x120000 0x1002 0x74a0 00000003
  put $device/vbios_version 113-M300000-100
  put $device/current_compute_partition SPX
  put $device/current_memory_partition NPS1
  ;;
mi300x-cpx) # the function number of the PCI bus id is the number of the partition
  masks='0x3ff 0x3ff 0x1ff 0x3fe' first=$location
  for ((i = 0; i < 8; i++)); do
    location=$((first + i)) caches=()
    mi300x 4096
    entry 3 65536 9 64 $base "$all"
    describe 4 8 64 90402 0x74a1 2100 $unique_id
    bank $((24 << 30)) 8192 1300
    node=$((node + 1))
  done
  pci "$bus_id" 0x120000 0x1002 0x74a1 00000003
  put $device/vbios_version 113-M3000100-102
  put $device/current_compute_partition CPX
  put $device/current_memory_partition NPS4
  ;;
rx6800) # RDNA 2: three engines of two arrays, each with a GL1; consumer GPUs have no unique id
  masks='0x3ff 0x3ff 0x3ff 0x3ff 0x3ff 0x3ff' cus_per_array=10
  kind 16 9 1 128
  kind 32 10 2 64
  kind 16 9 2 64
  kind 128 9 10 128
  all
  entry 2 4096 9 128 $base "$all"
  entry 3 131072 9 64 $base "$all"
  describe 2 16 32 100300 0x73bf 2105 0
  bank $((16 << 30)) 256 1000
  pci "$bus_id" 0x030000 0x1002 0x73bf 00000003
  put $device/vbios_version 113-D4120100-100
  ;;
*)
  echo "amd-tree.sh: no model '$model'" >&2
  exit 2
  ;;
esac
write_tree
