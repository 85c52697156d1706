#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# two-vendors-node.sh DIR: writes /proc and /sys of a node for HWLOC_FSROOT=DIR HWLOC_THISSYSTEM=1:
# two packages of four cores with three levels of CPU cache, two NUMA nodes, an InfiniBand card, a
# VGA, two NVIDIA H100 and an AMD MI300X. No GPU driver is loaded.
set -e
[ $# -eq 1 ] || { echo "usage: $0 DIR" >&2; exit 2; }
root=$1
. "${BASH_SOURCE%/*}/tree.bash"

# mask FIRST COUNT: sets $cpus to COUNT CPUs from FIRST on, in hexadecimal.
mask() { printf -v cpus %08x $((((1 << $2) - 1) << $1)); }

# cache CPU INDEX LEVEL TYPE SIZE FIRST COUNT: a cache that COUNT CPUs share.
cache() {
  local dir=/sys/devices/system/cpu/cpu$1/cache/index$2
  put "$dir/level" "$3"
  put "$dir/type" "$4"
  put "$dir/size" "$5"
  put "$dir/coherency_line_size" 64
  mask "$6" "$7"
  put "$dir/shared_cpu_map" "$cpus"
}

for list in online possible present; do put /sys/devices/system/cpu/$list 0-7; done
for list in online possible; do put /sys/devices/system/node/$list 0-1; done
for cpu in 0 1 2 3 4 5 6 7; do
  package=$((cpu / 4))
  dir=/sys/devices/system/cpu/cpu$cpu
  put $dir/online 1
  put $dir/topology/physical_package_id $package
  put $dir/topology/core_id $((cpu % 4))
  mask $((4 * package)) 4
  for list in package_cpus core_siblings; do put $dir/topology/$list "$cpus"; done
  mask $cpu 1
  for list in core_cpus thread_siblings; do put $dir/topology/$list "$cpus"; done
  cache $cpu 0 1 Data 48K $cpu 1
  cache $cpu 1 2 Unified 2048K $cpu 1
  cache $cpu 2 3 Unified 61440K $((4 * package)) 4
done
put /proc/cpuinfo "$(for cpu in 0 1 2 3 4 5 6 7; do printf 'processor\t: %d\nmodel name\t: Fake CPU\n\n' $cpu; done)"
put /proc/meminfo 'MemTotal:       67108864 kB'
for node in 0 1; do
  mask $((4 * node)) 4
  put /sys/devices/system/node/node$node/cpumap "$cpus"
  put /sys/devices/system/node/node$node/meminfo "Node $node MemTotal:       33554432 kB"
  put /sys/devices/system/node/node$node/distance "$([ $node = 0 ] && echo 10 21 || echo 21 10)"
done

pci 0000:02:00.0 0x030000 0x1a03 0x2000 0000000f
pci 0000:15:01.0 0x060400 0x8086 0x352a 0000000f 16 18
pci 0000:17:00.0 0x030200 0x10de 0x2330 0000000f
pci 0000:25:01.0 0x060400 0x8086 0x352a 0000000f 26 28
pci 0000:27:00.0 0x020700 0x15b3 0x1021 0000000f
pci 0000:95:01.0 0x060400 0x8086 0x352a 000000f0 96 98
pci 0000:97:00.0 0x030200 0x10de 0x2330 000000f0
pci 0000:a5:01.0 0x060400 0x8086 0x352a 000000f0 a6 a8
pci 0000:a7:00.0 0x120000 0x1002 0x74a1 000000f0
put /sys/bus/pci/devices/0000:27:00.0/infiniband/mlx5_0/node_guid 0000:0000:0000:0000
mkdir -p "$root/sys/class/infiniband/mlx5_0"
write_tree
