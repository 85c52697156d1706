#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# fake-node.sh DIR: writes /proc and /sys of a node with two packages of two cores, a network card, a
# VGA and two NVIDIA H100 with a loaded driver, for HWLOC_FSROOT=DIR HWLOC_THISSYSTEM=1.
set -e
root=$1

. "${BASH_SOURCE%/*}/../data/tree.bash"

for list in online possible present; do put /sys/devices/system/cpu/$list 0-3; done
for n in 0 1 2 3; do
  package=$((n / 2))
  printf -v siblings %08x $((3 << 2 * package))
  printf -v core %08x $((1 << n))
  dir=/sys/devices/system/cpu/cpu$n
  put $dir/topology/physical_package_id $package
  put $dir/topology/core_id $((n % 2))
  put $dir/topology/package_cpus "$siblings"
  put $dir/topology/core_siblings "$siblings"
  put $dir/topology/thread_siblings "$core"
  put $dir/topology/core_cpus "$core"
done
put /proc/cpuinfo "$(for n in 0 1 2 3; do printf 'processor\t: %d\nmodel name\t: Fake CPU\n\n' $n; done)"
put /proc/meminfo 'MemTotal:       67108864 kB'
for list in online possible; do put /sys/devices/system/node/$list 0-1; done
for n in 0 1; do
  printf -v cpus %08x $((3 << 2 * n))
  put /sys/devices/system/node/node$n/cpumap "$cpus"
  put /sys/devices/system/node/node$n/meminfo "Node $n MemTotal:       33554432 kB"
done
put /sys/devices/system/node/node0/distance '10 21'
put /sys/devices/system/node/node1/distance '21 10'

pci 0000:15:01.0 0x060400 0x8086 0x352a 00000003 16 18
pci 0000:17:00.0 0x030200 0x10de 0x2330 00000003
pci 0000:25:01.0 0x060400 0x8086 0x352a 00000003 26 28
pci 0000:27:00.0 0x020700 0x15b3 0x1021 00000003
pci 0000:95:01.0 0x060400 0x8086 0x352a 0000000c 96 98
pci 0000:97:00.0 0x030200 0x10de 0x2330 0000000c
pci 0000:02:00.0 0x030000 0x1a03 0x2000 00000003
# osdev CLASS NAME BRIDGE BUSID: hwloc finds the PCI device in the target of the link.
osdev() {
  mkdir -p "$root/sys/class/$1"
  put "/sys/devices/pci0000:00/$3/$4/$1/$2/dev" 1:1
  ln -s "../../devices/pci0000:00/$3/$4/$1/$2" "$root/sys/class/$1/$2"
}
osdev net ib0 0000:25:01.0 0000:27:00.0
# An OS device of another component below the first GPU, like cuda0 or nvml0. hwloc shows it with
# --filter io:all.
osdev drm renderD129 0000:15:01.0 0000:17:00.0

put /proc/driver/nvidia/version \
  'NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build  (nobody@)' \
  'GCC version:  gcc version 12'
# gpu BUSID MINOR UUID
gpu() {
  put "/proc/driver/nvidia/gpus/$1/information" $'Model: \t\t NVIDIA H100' $'IRQ:   \t\t 41' \
    $'GPU UUID: \t '"$3" $'Video BIOS: \t 96.00.a5.00.1a' $'Bus Type: \t PCIe' \
    $'Bus Location: \t '"$1" $'Device Minor: \t '"$2" $'GPU Firmware: \t 580.159.04' \
    $'GPU Excluded:\t No'
  mkdir -p "$root/proc/driver/nvidia/capabilities/gpu$2/mig" "$root/sys/bus/pci/drivers/nvidia"
  ln -s "../../devices/$1" "$root/sys/bus/pci/drivers/nvidia/$1"
}
put /sys/module/nvidia/initstate live
gpu 0000:17:00.0 0 GPU-11111111-0000-0000-0000-000000000017
gpu 0000:97:00.0 1 GPU-22222222-0000-0000-0000-000000000097
write_tree
