#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Host memory in hwloc's memory attributes, as doc/placement.md describes them. The node has two GPUs
# and two NUMA nodes; the second GPU is near to the second node.

setup() {
  load setup.bash
  prepare
  use_node
  "$topo_check" io-important load >/dev/null # writes the records
  host "$gpu0" 0:50.8,1:38 0:1150,1:1420
  host "$gpu1" 1:50.8,0:38 1:1150,0:1420
  examples=$top_builddir/doc/examples
}

# host GPU GBPS NS: what its record says about host memory.
host() {
  sed -i "0,/<info name=\"lstopoStyle\"/s||<info name=\"HostReadGBps\" value=\"$2\"/><info name=\"HostReadSource\" value=\"measured\"/><info name=\"HostWriteGBps\" value=\"$2\"/><info name=\"HostLatencyNs\" value=\"$3\"/>&|" \
    "$HWLOC_GPUCACHE_DIR/$1.xml"
}

@test "the programs of doc/placement.md find the near node and the near GPU" {
  if ! hwloc_before 2.8; then
    run "$examples/best-node"
    is 0 "$status"
    is "0000:17:00.0: NUMA node 0, 48447 MiB/s
0000:97:00.0: NUMA node 1, 48447 MiB/s" "$output"
  fi
  run "$examples/best-gpu" 3
  is 0 "$status"
  is "gpu1-Memory 80GiB, 1150 ns" "$output"
  run "$examples/best-gpu" 0
  is "gpu0-Memory 80GiB, 1150 ns" "$output"
  run "$examples/best-gpu" 77
  is 1 "$status"
  is "no GPU is known to reach that memory" "$output"
}

@test "lstopo shows them from the PCI device, its OS devices and DeviceMemory" {
  ! hwloc_before 2.8 || skip "hwloc has no attributes for reads and writes before 2.8"
  run topology --filter io:all --memattrs
  is 0 "$status"
  has 'ReadBandwidth'
  has '= 1420 from'
  [ "$(grep -c '= 1150 from PCI' <<<"$output")" = 2 ]
  [ "$(grep -c '= 1150 from .*gpu[01]-Memory' <<<"$output")" = 2 ]
  [ "$(grep -c '= 1150 from .*renderD129' <<<"$output")" = 1 ]
}

@test "they survive XML, and nothing else of hwloc changes" {
  ! hwloc_before 2.8 || skip "hwloc has no attributes for reads and writes before 2.8"
  topology --memattrs > attributes
  topology --of xml -f node.xml
  HWLOC_GPUCACHE=off topology -i node.xml --memattrs | cmp - attributes
  HWLOC_GPUCACHE=off topology --memattrs > without
  # the same but for the lines from GPUs
  diff <(grep -v ' from \(PCI\|OS\|Block\|Mem\|GPU\|CoProc\)' attributes | grep -v '^Memory attribute') \
    <(grep -v '^Memory attribute' without)
  run "$topo_check" io-important load check dup xml restrict
  is 0 "$status"
}

@test "distances have all GPUs and nodes, and survive XML" {
  ! hwloc_before 2.5 || skip "plugins cannot add distances before hwloc 2.5"
  run topology --distances
  is 0 "$status"
  for name in GPUCacheReadBandwidth GPUCacheWriteBandwidth GPUCacheLatency; do has "$name"; done
  has '0000:17:00.0'
  # from each GPU to its near node
  [ "$(grep -c ' 50800 ' <<<"$output ")" -ge 2 ]
  topology --distances > distances
  topology --of xml -f node.xml
  HWLOC_GPUCACHE=off topology -i node.xml --distances | cmp - distances
  run "$topo_check" io-important load check dup xml restrict
  is 0 "$status"
}

# fnv TEXT: its 64-bit FNV-1a hash.
fnv() {
  local hash=$((0xcbf29ce484222325)) i
  for ((i = 0; i < ${#1}; i++)); do
    hash=$(((hash ^ $(printf '%d' "'${1:i:1}")) * 0x100000001b3))
  done
  printf '%016x' "$hash"
}

# peers INFO=VALUE…: the record of the node says so.
peers() {
  local infos='' info id
  id=node-$(fnv "$gpu0 0000:17:00.0 ;$gpu1 0000:97:00.0 ;")
  for info; do infos+="<info name=\"${info%%=*}\" value=\"${info#*=}\"/>"; done
  sed "s|$gpu0|$id|; s|<info name=\"GPUCacheMIG\" value=\"[^\"]*\"/>||; 0,/<info name=\"HostReadGBps\"/s||$infos&|" "$HWLOC_GPUCACHE_DIR/$gpu0.xml" \
    >"$HWLOC_GPUCACHE_DIR/$id.xml"
}

@test "distances between GPUs have each direction" {
  ! hwloc_before 2.5 || skip "plugins cannot add distances before hwloc 2.5"
  peers "$gpu0.PeerReadGBps=$gpu1:389.1" "$gpu1.PeerReadGBps=$gpu0:377" "$gpu0.PeerLatencyNs=$gpu1:911"
  is "$gpu1:389.1" "$(info PeerReadGBps 'os=gpu0-Memory 80GiB')"
  is "$gpu0:377" "$(info PeerReadGBps 'os=gpu1-Memory 80GiB')"
  run topology --distances
  is 0 "$status"
  # rows: the first GPU, the second one
  [[ $(tr -s ' ' <<<"$output") == *'0 389100 50800 38000'* ]]
  [[ $(tr -s ' ' <<<"$output") == *'377000 0 38000 50800'* ]]
  [[ $(tr -s ' ' <<<"$output") == *'0 911 1150 1420'* ]]
  [[ $(tr -s ' ' <<<"$output") == *'0 0 1420 1150'* ]]
  topology --distances > distances
  topology --of xml -f node.xml
  HWLOC_GPUCACHE=off topology -i node.xml --distances | cmp - distances
  run "$topo_check" io-important load check dup xml restrict
  is 0 "$status"
}

@test "a record of a node with other GPUs, or with bad lists, changes nothing" {
  topology --distances > before
  peers "GPU-3.PeerReadGBps=$gpu1:389.1" "$gpu1.PeerReadGBps=GPU-3:377"
  topology --distances | cmp - before
  peers "$gpu0.PeerReadGBps=$gpu1"
  topology --distances | cmp - before
  is '' "$(info PeerReadGBps 'os=gpu0-Memory 80GiB')"
}

@test "a program that wants no distances and no memory attributes gets none" {
  ! hwloc_before 2.8 || skip "programs cannot ask for that before hwloc 2.8"
  run "$topo_check" io-important load count-attributes
  is "4 distances, 2 targets" "$output" # one distance is that of the NUMA nodes
  run "$topo_check" io-important plain load count-attributes check
  is 0 "$status"
  is "0 distances, 0 targets" "$output"
}

@test "a GPU that was measured elsewhere has no host values" {
  export HWLOC_GPUCACHE=cached
  place() {
    sed -i "s|<info name=\"GPUCacheHostPlace\" value=\"[^\"]*\"/>||; s|<info name=\"GPUCacheModel\"|<info name=\"GPUCacheHostPlace\" value=\"$1\"/>&|" \
      "$HWLOC_GPUCACHE_DIR/$gpu0.xml"
  }
  link() {
    root=$HWLOC_FSROOT
    . "$top_srcdir/tests/data/tree.bash"
    put /sys/bus/pci/devices/0000:17:00.0/max_link_speed "$1"
    put /sys/bus/pci/devices/0000:17:00.0/max_link_width "$2"
    write_tree
  }
  place '0000:17:00.0, NUMA nodes 0-1'
  is 0:50.8,1:38 "$(info HostReadGBps 'os=gpu0-Memory 80GiB')"
  place '0000:18:00.0, NUMA nodes 0-1'
  is '' "$(info HostReadGBps 'os=gpu0-Memory 80GiB')"
  is 1:50.8,0:38 "$(info HostReadGBps 'os=gpu1-Memory 80GiB')"
  run topology --memattrs
  has_not 'from PCI L#0'
  place '0000:17:00.0, NUMA nodes 0'
  is '' "$(info HostLatencyNs 'os=gpu0-Memory 80GiB')"
  # a link that cannot be read now is the same
  place '0000:17:00.0, NUMA nodes 0-1, link 32.0 GT/s PCIe x16'
  is 0:50.8,1:38 "$(info HostReadGBps 'os=gpu0-Memory 80GiB')"
  link '32.0 GT/s PCIe' 16
  is 0:50.8,1:38 "$(info HostReadGBps 'os=gpu0-Memory 80GiB')"
  link '16.0 GT/s PCIe' 16
  is '' "$(info HostReadGBps 'os=gpu0-Memory 80GiB')"
  link '32.0 GT/s PCIe' 8
  is '' "$(info HostReadGBps 'os=gpu0-Memory 80GiB')"
  is 2 "$(starts)" # those of setup

  # otherwise the command measures it there; all else of the record stays
  unset HWLOC_GPUCACHE
  FAKE_TOOL_DOES=fail run topology
  has 'gpu0-L1'
  is 3 "$(starts)"
  is "measure --timeout 10 $gpu0" "$(tail -n 1 "$FAKE_TOOL_LOG")"
  link '32.0 GT/s PCIe' 16
  is 0:50.8,1:38 "$(info HostReadGBps 'os=gpu0-Memory 80GiB')"
  is 3 "$(starts)"
  # a command that crashes, or sees the GPU in yet another place, is not started by every load
  link '32.0 GT/s PCIe' 8
  for _ in 1 2; do
    FAKE_TOOL_DOES=crash run topology
    has 'gpu0-L1'
    is 4 "$(starts)"
  done
  rm "$HWLOC_GPUCACHE_DIR"/*.failed
  for _ in 1 2; do
    FAKE_TOOL_DOES=lie run topology
    has 'gpu0-L1'
    is 5 "$(starts)"
  done
}

@test "values of nodes that the topology lacks, and broken lists, change nothing" {
  host "$gpu0" 7:50.8 7:1150
  run "$topo_check" io-important load check
  is 0 "$status"
  run topology --memattrs
  has_not 'from PCI L#0'
}

# The first GPU is a Grace Hopper: its memory is NUMA node 2. hwloc before 2.11 hides such nodes.
use_coherent_node() {
  export HWLOC_KEEP_NVIDIA_GPU_NUMA_NODES=1
  root=$HWLOC_FSROOT
  . "$top_srcdir/tests/data/tree.bash"
  put /sys/devices/system/node/online 0-2
  put /sys/devices/system/node/possible 0-2
  put /sys/devices/system/node/node2/cpumap 00000000
  put /sys/devices/system/node/node2/meminfo 'Node 2 MemTotal:       99614720 kB'
  put /proc/driver/nvidia/gpus/0000:17:00.0/numa_status 'Node:     2' 'Status: online'
  # the second one is not coherent
  put /proc/driver/nvidia/gpus/0000:97:00.0/numa_status 'Node:     -1' 'Status: disabled'
  write_tree
  sed -i "0,/<info name=\"lstopoStyle\"/s||<info name=\"ReadGBps\" value=\"3690\"/><info name=\"ReadSource\" value=\"measured\"/><info name=\"WriteGBps\" value=\"3500\"/><info name=\"LatencyNs\" value=\"480\"/>&|" \
    "$HWLOC_GPUCACHE_DIR/$gpu0.xml"
}

@test "a NUMA node that is the memory of a GPU is linked with DeviceMemory" {
  use_coherent_node
  # hwloc numbers the nodes by their CPUs: its second one is the node 2 of the operating system
  run topology
  has 'NUMANode(GPUMemory) L#1 (P#2 95G' # GB before hwloc 3, GiB since
  is 0000:17:00.0 "$(info PCIBusID node:1)"
  is "$gpu0" "$(info GPUCacheUUID node:1)"
  is 2 "$(info NUMANode 'os=gpu0-Memory 80GiB')"
  # neither the nodes of the host nor the memory of other GPUs
  is '' "$(info GPUCacheUUID node:0)$(info GPUCacheUUID node:2)"
  is '' "$(info NUMANode 'os=gpu1-Memory 80GiB')"
  run "$topo_check" io-important load check dup xml restrict
  is 0 "$status"
}

@test "a GPU reaches its own NUMA node as it reaches DeviceMemory, and others by the link" {
  ! hwloc_before 2.8 || skip "hwloc has no attributes for reads and writes before 2.8"
  use_coherent_node
  # an earlier version has measured the node as one of the host
  sed -i 's|HostLatencyNs" value="0:1150|HostLatencyNs" value="2:999,0:1150|' "$HWLOC_GPUCACHE_DIR/$gpu0.xml"
  run topology --filter io:all --memattrs
  [ "$(grep -c 'NUMANode L#1 = 480 from' <<<"$output")" = 3 ] # PCI device, renderD129, DeviceMemory
  has_not '= 999 '
  has "NUMANode L#1 = 3519058 from PCI" # 3690 GB/s in MiB/s
  has "NUMANode L#1 = 3337860 from PCI"
  [ "$(grep -c 'NUMANode L#0 = 1150 from PCI' <<<"$output")" = 1 ]
  run topology --distances
  has 480
  has 3690000
  run "$examples/best-node"
  is "0000:17:00.0: NUMA node 2, 3519058 MiB/s
0000:97:00.0: NUMA node 1, 48447 MiB/s" "$output"
}

# use_machine KIND NODES: the GPUs and NUMA nodes of tests/data/machine.sh, with four cores.
use_machine() {
  local n
  root=$BATS_TEST_TMPDIR/$1
  "$top_srcdir/tests/data/machine.sh" "$root" "$1"
  . "$top_srcdir/tests/data/tree.bash"
  cp -r "$HWLOC_FSROOT/sys/devices/system/cpu" "$root/sys/devices/system"
  cp "$HWLOC_FSROOT"/proc/{cpuinfo,meminfo} "$root/proc"
  put /sys/devices/system/node/possible 0-$(($2 - 1))
  for ((n = 0; n < $2; n++)); do
    put /sys/devices/system/node/node$n/cpumap "$([ $n -gt 3 ] && echo 0 || printf '%08x' $((1 << n)))"
    put /sys/devices/system/node/node$n/meminfo "Node $n MemTotal:       1024 kB"
  done
  write_tree
  export HWLOC_FSROOT=$root HWLOC_KEEP_NVIDIA_GPU_NUMA_NODES=1
}

@test "four Grace Hoppers: each has its own node" {
  local n
  export FAKE_TOOL_DRIVER=580.95.05
  use_machine gh200x4 36
  for n in 0 1 2 3; do
    is $((4 + 8 * n)) "$(info NUMANode "os=gpu$n-Memory 80GiB")"
  done
  run topology
  [ "$(grep -c 'NUMANode(GPUMemory)' <<<"$output")" = 4 ]
}

@test "a GPU that is a platform device has its elements under the root" {
  export FAKE_TOOL_DOES=measure-tegra
  use_machine orin 1
  run topology
  [[ $output =~ $'\n  '[A-Za-z]+\(DeviceMemory\)\ \"gpu0-Memory\ 80GiB ]]
  is tegra-1421721046782-17000000 "$(info GPUCacheUUID 'os=gpu0-Memory 80GiB')"
  run "$topo_check" io-important load check dup xml
  is 0 "$status"
}

@test "the node of a GPU without a record, or of a MIG instance, is not linked" {
  use_coherent_node
  rm "$HWLOC_GPUCACHE_DIR/$gpu0.xml"
  HWLOC_GPUCACHE=cached run info GPUCacheUUID node:1
  is '' "$output"
  mig_instance 0 1 0
  export FAKE_TOOL_MIG=gi1/ci0
  run topology
  has '"gpu2-Memory 80GiB"'
  run info GPUCacheUUID node:1
  is '' "$output"
  is '' "$(info NUMANode 'os=gpu2-Memory 80GiB')"
}
