#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What a topology shows of two GPUs with records, in real lstopo and through the API.

setup() {
  load setup.bash
  prepare
  use_node
}

@test "elements are there, nested as memory is nested, under each GPU" {
  run "$topo_check" io-important load list
  is 0 "$status"
  is "0 DeviceMemory gpu0-Memory 80GiB
1 L2Cache gpu0-L2 50MiB
2 L1Cache gpu0-L1 217KiB x132
2 ConstantL15Cache gpu0-ConstantL1.5 x132
2 SharedMemory gpu0-Shared 228KiB x132
0 DeviceMemory gpu1-Memory 80GiB
1 L2Cache gpu1-L2 50MiB
2 L1Cache gpu1-L1 217KiB x132
2 ConstantL15Cache gpu1-ConstantL1.5 x132
2 SharedMemory gpu1-Shared 228KiB x132" "$output"
}

@test "lstopo draws them under the PCI device" {
  local memory=Block # what hwloc 3.0 calls Mem
  [[ $(topology --version) != *" 3."* ]] || memory=Mem
  run topology
  is 0 "$status"
  has "PCI 17:00.0 (3D)
          $memory(DeviceMemory) \"gpu0-Memory 80GiB\"
            $memory(L2Cache) \"gpu0-L2 50MiB\"
              $memory(L1Cache) \"gpu0-L1 217KiB x132\""
  has "PCI 97:00.0 (3D)
          $memory(DeviceMemory) \"gpu1-Memory 80GiB\""
}

@test "each object carries its attributes and its colour" {
  is 222208 "$(info CapacityBytes 'os=gpu0-L1 217KiB x132')"
  is measured "$(info CapacitySource 'os=gpu0-L1 217KiB x132')"
  is 80.5 "$(info LatencyCycles 'os=gpu1-ConstantL1.5 x132')"
  is 'absent:replicated <twice> & noisy' "$(info CapacitySource 'os=gpu0-L2 50MiB')"
  is '' "$(info CapacityBytes 'os=gpu0-L2 50MiB')"
  is 'Background=#ffffff' "$(info lstopoStyle 'os=gpu0-L1 217KiB x132')"
  is 'Background=#efdfde' "$(info lstopoStyle 'os=gpu0-Memory 80GiB')"
  is 'Background=#efdfde' "$(info lstopoStyle 'os=gpu0-Shared 228KiB x132')"
}

@test "facts of the GPU are on the outermost object, and each once" {
  is "$gpu0" "$(info GPUCacheUUID 'os=gpu0-Memory 80GiB')"
  is "$gpu1" "$(info GPUCacheUUID 'os=gpu1-Memory 80GiB')"
  is measured "$(info GPUCacheStatus 'os=gpu0-Memory 80GiB')"
  is 132 "$(info GPUCacheSMs 'os=gpu0-Memory 80GiB')"
  is '' "$(info GPUCacheUUID 'os=gpu0-L2 50MiB')"
}

@test "the PCI device has everything flat" {
  is "$gpu0" "$(info GPUCacheUUID pci=17:00.0)"
  is measured "$(info GPUCacheStatus pci=17:00.0)"
  is 2025-11-21 "$(info GPUCacheMeasured pci=17:00.0)"
  is 222208 "$(info GPUCacheL1CapacityBytes pci=17:00.0)"
  is 80.5 "$(info GPUCacheConstantL15LatencyCycles pci=17:00.0)"
  is 85899345920 "$(info GPUCacheDeviceMemoryNominalBytes pci=97:00.0)"
  is 233472 "$(info GPUCacheSharedMemoryNominalBytes pci=97:00.0)"
  is '' "$(info GPUCacheStatus pci=27:00.0)"
  is '' "$(info lstopoStyle pci=17:00.0)"
}

@test "an OS device that another component made has everything flat too" {
  is 222208 "$(info GPUCacheL1CapacityBytes --filter io:all os=renderD129)"
  is "$gpu0" "$(info GPUCacheUUID --filter io:all os=renderD129)"
  is '' "$(info GPUCacheUUID --filter io:all os=ib0)"
}

@test "no object is of a type that is counted as an accelerator, nor has a name of one" {
  run "$topo_check" io-all load no-accelerator
  is 0 "$status"
}

@test "hwloc_topology_check passes, also after dup and restrict" {
  run "$topo_check" io-important load check dup restrict check dup list
  is 0 "$status"
  has "gpu0-L1 217KiB x132"
  has_not "gpu1-L1" # its package is gone
}

@test "XML export, import, export are identical" {
  run "$topo_check" io-all load xml
  is 0 "$status"
  "$LSTOPO" "$BATS_TEST_TMPDIR/a.xml"
  "$LSTOPO" -i "$BATS_TEST_TMPDIR/a.xml" "$BATS_TEST_TMPDIR/b.xml"
  diff "$BATS_TEST_TMPDIR/a.xml" "$BATS_TEST_TMPDIR/b.xml"
  run topology -i "$BATS_TEST_TMPDIR/a.xml"
  is 5 "$(grep -c '"gpu0-' <<< "$output")" # not a second time
}

@test "with PCI devices filtered out, elements hang where hwloc puts that bus" {
  run "$topo_check" io-important no-pci load check list dup xml
  is 0 "$status"
  has "0 DeviceMemory gpu0-Memory 80GiB"
  has "2 L1Cache gpu1-L1 217KiB x132"
  is 0 "$(info CapacityBytes --filter pci:none --filter bridge:none package:0 | wc -l)"
  run topology --filter pci:none --filter bridge:none
  has 'Package L#1'
  [[ ${output#*Package L#1} == *gpu1-Memory* && ${output#*Package L#1} != *gpu0-Memory* ]]
}

@test "with default filters, or OS devices filtered out, nothing is done at all" {
  run "$topo_check" load list
  is 0 "$status"
  is '' "$output"
  run "$topo_check" io-all no-os load list
  is 0 "$status"
  is '' "$output"
  is 0 "$(starts)"
  is '' "$(info GPUCacheStatus --filter os:none pci=17:00.0)"
}

@test "with all I/O kept, nothing is lost" {
  run "$topo_check" io-all load check dup xml list
  is 0 "$status"
  is 10 "${#lines[@]}"
}

@test "a topology that is not this system is left alone" {
  unset HWLOC_COMPONENTS # or hwloc ignores the variables below
  run env -u HWLOC_THISSYSTEM "$topo_check" io-all load list
  is '' "$output"
  unset HWLOC_FSROOT HWLOC_THISSYSTEM
  use_sim
  HWLOC_SYNTHETIC="pack:2 pu:2" run "$topo_check" io-all load list
  is '' "$output"
  is 0 "$(starts)"
}

@test "HWLOC_COMPONENTS=-gpucache disables it" {
  HWLOC_COMPONENTS=-gpucache run "$topo_check" io-all load list
  is 0 "$status"
  is '' "$output"
}

@test "the tree of the shared fixtures" {
  local make=$top_srcdir/../shared/fixtures/fake-node.py
  [ -r "$make" ] || skip "../shared/fixtures/fake-node.py is not there"
  command -v python3 > /dev/null || skip "python3 is not installed"
  python3 "$make" "$BATS_TEST_TMPDIR/other"
  cp -r "$BATS_TEST_TMPDIR/node/proc/driver" "$BATS_TEST_TMPDIR/other/proc/"
  HWLOC_FSROOT=$BATS_TEST_TMPDIR/other run "$topo_check" io-important load check dup xml list
  is 0 "$status"
  is 10 "${#lines[@]}"
}

@test "without a driver the GPUs say so, and no tool is started" {
  rm -r "$HWLOC_FSROOT/proc/driver"
  run topology
  is 0 "$status"
  has_not gpu0-
  is "the NVIDIA kernel driver does not serve it" "$(info GPUCacheStatus pci=97:00.0)"
  is 0 "$(starts)"
}

@test "a GPU whose driver has not initialized it says so" {
  sed -i 's/GPU-1111.*/GPU-????????-????-????-????-????????????/; s/96.00.*/??.??.??.??.??/' \
    "$HWLOC_FSROOT/proc/driver/nvidia/gpus/0000:17:00.0/information"
  run topology
  has_not gpu0-
  has gpu1-Memory
  [[ $(info GPUCacheStatus pci=17:00.0) == *"UUID yet"* ]]
  is 1 "$(starts)"
}
