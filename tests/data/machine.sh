#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# machine.sh DIR KIND: writes what /proc and /sys of a kind of machine show of NUMA nodes and GPUs. The
# files have the form that the kernel and the drivers document; where the vendors' guides state numbers
# (nodes, distances, bus ids of a GH200), they are those. UUIDs are made up.
set -e
[ $# -eq 2 ] || { echo "usage: $0 DIR KIND" >&2; exit 2; }
root=$1 kind=$2
here=${BASH_SOURCE%/*}
. "$here/tree.bash"

system=/sys/devices/system/node

# nodes ONLINE WITH_MEMORY: lists of nodes.
nodes() {
  put $system/online "$1"
  put $system/has_memory "$2"
}

# distance NODE DISTANCE...: to each online node.
distance() {
  local node=$1
  shift
  put $system/node$node/distance "$*"
}

# driver: NVIDIA's, with the nodes that CUDA opens.
driver() {
  put /proc/driver/nvidia/version \
    'NVRM version: NVIDIA UNIX Open Kernel Module for aarch64  580.95.05  Release Build  (root@)' \
    'GCC version:  gcc version 13.3.0'
  mkdir -p "$root/proc/driver/nvidia/gpus"
}

# nvidia BUSID DEVICE NUMA_NODE MODEL OWN_NODE: the GPU is near to NUMA_NODE; its memory is OWN_NODE,
# or -1.
nvidia() {
  pci "$1" 0x030200 0x10de "$2" 00000001
  put "/sys/bus/pci/devices/$1/numa_node" "$3"
  put "/proc/driver/nvidia/gpus/$1/information" $'Model: \t\t '"$4" $'IRQ:   \t\t 41' \
    $'GPU UUID: \t GPU-00000000-0000-0000-'"${1:0:4}-00000000${1:5:2}${1:8:2}" \
    $'Video BIOS: \t 96.00.a5.00.1a' $'Bus Type: \t PCIe' $'Bus Location: \t '"$1" \
    $'Device Minor: \t '"$((minor++))" $'GPU Excluded:\t No'
  if [ "$5" = -1 ]; then
    put "/proc/driver/nvidia/gpus/$1/numa_status" 'Node:         -1' 'Status:       disabled'
  else
    put "/proc/driver/nvidia/gpus/$1/numa_status" "Node:         $5" 'Status:       online' \
      'Pages offlined:'
  fi
}
minor=0

case $kind in
gh200) # node 1 is the HBM, 2 to 8 are for MIG instances and empty
  driver
  nodes 0-8 0-1
  distance 0 10 80 80 80 80 80 80 80 80
  distance 1 80 10 255 255 255 255 255 255 255
  nvidia 0009:01:00.0 0x2342 0 'NVIDIA GH200 480GB' 1
  ;;
gh200x4) # four modules; eight nodes for each GPU
  driver
  nodes 0-35 0-4,12,20,28
  distance 0 10 40 40 40 $(printf '80 %.0s' {4..35})
  distance 1 40 10 40 40 $(printf '80 %.0s' {4..35})
  distance 2 40 40 10 40 $(printf '80 %.0s' {4..35})
  distance 3 40 40 40 10 $(printf '80 %.0s' {4..35})
  for i in 0 1 2 3; do
    nvidia 00${i}9:01:00.0 0x2342 $i 'NVIDIA GH200 120GB' $((4 + 8 * i))
  done
  ;;
gb10) # one memory, and no NUMA node is stated for the GPU
  driver
  nodes 0 0
  distance 0 10
  nvidia 000f:01:00.0 0x2e12 -1 'NVIDIA GB10' -1
  ;;
mi300a) # the HBM of each of four APUs is the memory of its CPUs: a NUMA node
  nodes 0-3 0-3
  for i in 0 1 2 3; do
    distance $i $(for j in 0 1 2 3; do [ $i = $j ] && echo 10 || echo 32; done)
    "$here/amd-tree.sh" "$root" mi300a $((4 + i)) 0000:0$((i + 1)):00.0
    put /sys/bus/pci/devices/0000:0$((i + 1)):00.0/numa_node $i
  done
  ;;
hgx) # two sockets with four GPUs each
  driver
  nodes 0-1 0-1
  distance 0 10 21
  distance 1 21 10
  for bus in 18 2a 3a 5d; do nvidia 0000:$bus:00.0 0x2330 0 'NVIDIA H100 80GB HBM3' -1; done
  for bus in 9a ab ba db; do nvidia 0000:$bus:00.0 0x2330 1 'NVIDIA H100 80GB HBM3' -1; done
  ;;
cxl) # two sockets, each with a CXL memory that is a node without CPUs; node 4 is not online
  driver
  nodes 0-3 0-3
  distance 0 10 21 14 24
  distance 1 21 10 24 14
  distance 2 14 24 10 26
  distance 3 24 14 26 10
  put $system/possible 0-4
  nvidia 0000:17:00.0 0x2330 1 'NVIDIA H100 PCIe' -1
  ;;
no-list) # a container that has the PCI devices and the version of the driver, and no list of GPUs
  nodes 0 0
  pci 0000:00:05.0 0x030200 0x10de 0x2330 00000001
  pci 0000:00:06.0 0x030200 0x10de 0x2330 00000001
  put /sys/module/nvidia/version 580.95.05
  put /etc/machine-id 0123456789abcdef0123456789abcdef
  ;;
orin) # Jetson AGX Orin: the GPU is a platform device; the driver of the display lists none
  driver
  nodes 0 0
  mkdir -p "$root/sys/bus/platform/drivers/gk20a" "$root/sys/devices/platform/bus@0/17000000.gpu"
  ln -s ../../../../devices/platform/bus@0/17000000.gpu "$root/sys/bus/platform/drivers/gk20a/17000000.gpu"
  for file in bind module uevent unbind; do put /sys/bus/platform/drivers/gk20a/$file; done
  put /proc/sys/kernel/osrelease 5.15.136-tegra
  mkdir -p "$root/proc/device-tree"
  printf 'NVIDIA Jetson AGX Orin Developer Kit\0' > "$root/proc/device-tree/model"
  printf '1421721046782\0' > "$root/proc/device-tree/serial-number"
  ;;
wsl) # WSL 2: the PCI device is Microsoft's
  nodes 0 0
  pci 5582:00:00.0 0x030200 0x1414 0x008e 00000001
  put /dev/dxg
  ;;
*)
  echo "machine.sh: no kind '$kind'" >&2
  exit 2
  ;;
esac
write_tree
