#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# AMD GPUs in a topology: the driver tables, where nothing was measured.

setup() {
  load setup.bash
  prepare
  node=$BATS_TEST_TMPDIR/node
  export HWLOC_FSROOT=$node HWLOC_THISSYSTEM=1
}

# use_amd MODEL: the usual node with two H100, and an AMD GPU behind another bridge.
use_amd() {
  "$here/fake-node.sh" "$node"
  (
    root=$node
    . "$here/../data/tree.bash"
    pci 0000:a5:01.0 0x060400 0x8086 0x352a 0000000c a6 a8
    write_tree
  )
  "$here/../data/amd-tree.sh" "$node" "$1" 2 0000:a7:00.0
  amd=GPU-1d3c0ffee000a700
}

# Only the AMD GPU, without the two of NVIDIA.
without_nvidia() { rm -r "$node/proc/driver/nvidia" "$node"/sys/bus/pci/devices/0000:[19]7:00.0; }

# tree: the AMD GPU's objects with their depth, without numbers that hwloc chooses.
tree() { topology "$@" | sed -n '/ a7:00\.0/,$p' | sed 's/L#[0-9]*//; s/(P#.*)//'; }

known="facts of the kernel driver (sysfs), nothing measured"

@test "an MI300X: its driver tables under its PCI device, no process started" {
  use_amd mi300x
  run topology
  is 0 "$status"
  has "gpu2-Memory 192GiB"
  has "gpu2-L3 256MiB"
  has "gpu2-L2 4MiB x8"
  has "gpu2-L1 32KiB x304"
  has "gpu2-ScalarL1 16KiB x160"
  has "gpu2-Instruction 64KiB x160"
  has "gpu2-LDS 64KiB x304"
  is 2 "$(starts)" # both NVIDIA GPUs
  is "$known: HWLOC_FSROOT names a copy: GPUs can be measured only on the machine itself" "$(info GPUCacheStatus pci=a7:00.0)"
  is "$amd" "$(info GPUCacheUUID pci=a7:00.0)"
  is SPX/NPS1 "$(info GPUCacheMIG pci=a7:00.0)"
  is gfx942 "$(info GPUCacheGFX pci=a7:00.0)"
  is 304 "$(info GPUCacheSMs pci=a7:00.0)"
  is 32768 "$(info GPUCacheL1CapacityBytes pci=a7:00.0)"
  is sysfs "$(info CapacitySource 'os=gpu2-L1 32KiB x304')"
  is 144x2,16x1 "$(info GPUCacheScalarL1SharedByCUs pci=a7:00.0)"
  is '' "$(info GPUCacheMeasured pci=a7:00.0)"
  run "$topo_check" io-all load check no-children no-descriptors
  is 0 "$status"
  is '' "$output"
}

@test "no value of the driver tables is called measured" {
  use_amd mi300x
  without_nvidia
  topology --of xml > "$BATS_TEST_TMPDIR/xml"
  grep -q 'value="sysfs"' "$BATS_TEST_TMPDIR/xml"
  is 0 "$(grep -c 'value="measured"' "$BATS_TEST_TMPDIR/xml")"
  is 0 "$(grep -c 'Confidence"' "$BATS_TEST_TMPDIR/xml")"
}

@test "filters are obeyed" {
  use_amd mi300x
  without_nvidia
  run topology --filter osdev:none
  has_not gpu0-
  run topology --filter io:none
  has_not gpu0-
  HWLOC_GPUCACHE=off run topology
  has_not gpu0-
  HWLOC_THISSYSTEM=0 run topology
  has_not gpu0-
  is 0 "$(starts)"
}

@test "partitions: eight of everything under one PCI device, each with its own id" {
  use_amd mi300x-cpx
  without_nvidia
  run topology --of xml
  local i
  is 8 "$(grep -c 'name="gpu[0-7]-Memory 24GiB"' <<< "$output")"
  for i in 0 1 2 3 4 5 6 7; do has "value=\"$amd-$i\""; done
  # the device has the attributes of the first partition only
  is "$amd-0" "$(info GPUCacheUUID pci=a7:00.0)"
  is CPX/NPS4 "$(info GPUCacheMIG pci=a7:00.0)"
  is 38 "$(info GPUCacheSMs pci=a7:00.0)"
  run tree
  is 8 "$(grep -c 'gpu[0-7]-L2 4MiB' <<< "$output")"
}

@test "two nodes with one bus id: both are shown, the device has the facts of one" {
  use_amd mi100
  without_nvidia
  cp -r "$node/sys/class/kfd/kfd/topology/nodes/2" "$node/sys/class/kfd/kfd/topology/nodes/3"
  run topology
  has gpu0-L1
  has gpu1-L1
  is "$amd-0" "$(info GPUCacheUUID pci=a7:00.0)"
  is 120 "$(info GPUCacheSMs pci=a7:00.0)"
}

# depth NAME: the indentation of NAME in the last output.
depth() { sed -n "s/^\( *\).*$1.*/\1/p" <<< "$output" | wc -c; }

@test "RDNA: a GL1 between L2 and the caches of the CUs" {
  use_amd rx6800
  without_nvidia
  run topology
  has "gpu0-GL1 128KiB x6"
  has "gpu0-ScalarL1 16KiB x30"
  [ "$(depth gpu0-L2)" -lt "$(depth gpu0-GL1)" ]
  [ "$(depth gpu0-GL1)" -lt "$(depth gpu0-L1)" ]
  is "$(depth gpu0-L1)" "$(depth gpu0-ScalarL1)"
  is "$(depth gpu0-GL1)" "$(depth gpu0-LDS)"
}

@test "without PCI devices in the topology the objects are still there" {
  use_amd mi100
  without_nvidia
  run topology --filter pci:none
  has gpu0-L1
}

@test "with access to /dev/kfd it is measured like any other GPU" {
  use_amd mi100
  without_nvidia
  mkdir "$node/dev"
  : > "$node/dev/kfd"
  FAKE_TOOL_DOES=fail run topology
  has "gpu0-L1 16KiB x120" # the driver tables
  is 1 "$(starts)"
  is "measure --timeout 10 $amd" "$(cat "$FAKE_TOOL_LOG")"
  FAKE_TOOL_DOES=fail run info GPUCacheStatus pci=a7:00.0
  is "$known: the GPU is busy: 3 processes use it" "$output"
}

@test "a failed attempt is noted, and the driver tables are shown" {
  use_amd mi100
  without_nvidia
  mkdir "$node/dev"
  : > "$node/dev/kfd"
  FAKE_TOOL_DOES=crash topology > /dev/null
  run info GPUCacheStatus pci=a7:00.0
  has "$known: measuring was killed by signal 11 (remembered since 20"
  is 1 "$(starts)"
}

@test "cached: the driver tables, and the reason why there is nothing else" {
  use_amd mi100
  without_nvidia
  mkdir "$node/dev"
  : > "$node/dev/kfd"
  HWLOC_GPUCACHE=cached run info GPUCacheStatus pci=a7:00.0
  is "$known: no record; HWLOC_GPUCACHE=cached forbids measuring" "$output"
  is 0 "$(starts)"
}

@test "a valid record is used, also for a user without access to the GPU" {
  use_amd mi100
  without_nvidia
  mkdir "$node/dev"
  : > "$node/dev/kfd"
  export FAKE_TOOL_DOES=measure-amd
  run topology
  has "gpu0-L1 217KiB x132" # the record that the tool wrote
  rm "$node/dev/kfd"
  run topology
  has "gpu0-L1 217KiB x132"
  is measured "$(info GPUCacheStatus pci=a7:00.0)"
  is 1 "$(starts)"
}

@test "real trees of KFD" {
  local trees=${KFD_TREES:-$top_srcdir/tests/data/kfd}
  "$here/fake-node.sh" "$node"
  without_nvidia
  mkdir -p "$node/sys/class/kfd/kfd"
  tar -C "$node" -xf "$trees/mi308x-cpx.tar.xz"
  mv "$node/topology-parsing-mi308/topology" "$node/sys/class/kfd/kfd/"
  run topology
  is 0 "$status"
  is 32 "$(grep -c -- '-L1 32KiB x20' <<< "$output")"
  is 32 "$(grep -c -- '-ScalarL1 16KiB x12' <<< "$output")"
}

@test "under valgrind nothing is leaked and nothing undefined is used" {
  command -v valgrind > /dev/null || skip "valgrind is not installed (Debian package valgrind)"
  [ "${SANITIZERS:-no}" = no ] || skip "valgrind and sanitizers do not go together"
  use_amd mi300x-cpx
  without_nvidia
  local check=$topo_check
  [ ! -x "${check%/*}/.libs/topo-check" ] || check=${check%/*}/.libs/topo-check
  run valgrind -q --leak-check=full --error-exitcode=9 "$check" io-all load dup
  [[ $output != *"Valgrind: debuginfo reader:"* ]] ||
    skip "this valgrind cannot read what this compiler says about itself"
  is 0 "$status"
  has_not "definitely lost"
}
