#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Two GPUs with records in a topology, in lstopo and through the API.

setup() {
  load setup.bash
  prepare
  use_node
}

@test "each GPU has its elements, nested like the memories" {
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

@test "an element without any value has no object; what contains values has one" {
  local record=$HWLOC_GPUCACHE_DIR/$gpu0.xml
  "$topo_check" io-important load
  # of the first GPU, the constant L1.5 and L2 have only a reason left, and L2 contains others
  sed -i '/subtype="ConstantL15Cache"/,/<\/object>/ { s/LatencyCycles" value="[^"]*/LatencySource" value="absent:no miss/; /Instances/d }
    /subtype="L2Cache"/,/subtype="L1Cache"/ { /<info/d }' "$record"
  grep -q 'absent:no miss' "$record"
  run "$topo_check" io-important load check list dup xml
  is 0 "$status"
  is "0 DeviceMemory gpu0-Memory 80GiB
1 L2Cache gpu0-L2
2 L1Cache gpu0-L1 217KiB x132
2 SharedMemory gpu0-Shared 228KiB x132" "$(grep gpu0 <<<"$output")"
  has "ConstantL15Cache gpu1-ConstantL1.5 x132"
}

@test "lstopo draws them under the PCI device" {
  local memory=Block # hwloc 3.0 prints Mem
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

@test "the PCI device has all values flat, without sources and confidences" {
  is "$gpu0" "$(info GPUCacheUUID pci=17:00.0)"
  is measured "$(info GPUCacheStatus pci=17:00.0)"
  is 2025-11-21 "$(info GPUCacheMeasured pci=17:00.0)"
  is 222208 "$(info GPUCacheL1CapacityBytes pci=17:00.0)"
  is 80.5 "$(info GPUCacheConstantL15LatencyCycles pci=17:00.0)"
  is 85899345920 "$(info GPUCacheDeviceMemoryNominalBytes pci=97:00.0)"
  is 233472 "$(info GPUCacheSharedMemoryNominalBytes pci=97:00.0)"
  run hwloc-info pci=17:00.0
  is 0 "$(grep -c 'GPUCache.*\(Source\|Confidence\) =' <<<"$output")"
  # one for each value of the record: the identity, two facts and the status, and the values
  is 19 "$(grep -c 'info GPUCache' <<<"$output")"
  is '' "$(info GPUCacheStatus pci=27:00.0)"
  is '' "$(info lstopoStyle pci=17:00.0)"
}

@test "an OS device of another component has the UUID and the status only" {
  run hwloc-info --filter io:all os=renderD129
  is "$gpu0" "$(sed -n 's/^ *info GPUCacheUUID = //p' <<<"$output")"
  is measured "$(sed -n 's/^ *info GPUCacheStatus = //p' <<<"$output")"
  is 2 "$(grep -c 'info GPUCache' <<<"$output")"
  is '' "$(info GPUCacheUUID --filter io:all os=ib0)"
}

@test "flat names are found from the PCI device and from an OS device of another component" {
  run "$topo_check" io-all load flat
  is 0 "$status"
  is "renderD129 222208 measured 0.99 132
17:00.0 222208 measured 0.99 132
97:00.0 222208 measured 0.99 132" "$output"
}

@test "no object has a type or a name that programs count as an accelerator" {
  run "$topo_check" io-all load no-accelerator
  is 0 "$status"
}

@test "hwloc_topology_check passes, also after dup and restrict" {
  run "$topo_check" io-important load check dup restrict check dup list
  is 0 "$status"
  has "gpu0-L1 217KiB x132"
  has_not "gpu1-L1" # its package was removed
}

@test "XML export, import, export are identical" {
  run "$topo_check" io-all load xml
  is 0 "$status"
  "$LSTOPO" "$BATS_TEST_TMPDIR/a.xml"
  "$LSTOPO" -i "$BATS_TEST_TMPDIR/a.xml" "$BATS_TEST_TMPDIR/b.xml"
  diff "$BATS_TEST_TMPDIR/a.xml" "$BATS_TEST_TMPDIR/b.xml"
  run topology -i "$BATS_TEST_TMPDIR/a.xml"
  is 5 "$(grep -c '"gpu0-' <<< "$output")" # each object once
}

@test "with PCI devices filtered out, elements are where hwloc puts that bus" {
  run "$topo_check" io-important no-pci load check list dup xml
  is 0 "$status"
  has "0 DeviceMemory gpu0-Memory 80GiB"
  has "2 L1Cache gpu1-L1 217KiB x132"
  is 0 "$(info CapacityBytes --filter pci:none --filter bridge:none package:0 | wc -l)"
  run topology --filter pci:none --filter bridge:none
  has 'Package L#1'
  [[ ${output#*Package L#1} == *gpu1-Memory* && ${output#*Package L#1} != *gpu0-Memory* ]]
}

@test "with default filters, or OS devices filtered out, the plugin does nothing" {
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

@test "a topology that is not this system is not changed" {
  unset HWLOC_COMPONENTS # or hwloc ignores the variables below
  run env -u HWLOC_THISSYSTEM "$topo_check" io-all load list
  is '' "$output"
  unset HWLOC_FSROOT HWLOC_THISSYSTEM
  use_sim
  HWLOC_SYNTHETIC="pack:2 pu:2" run "$topo_check" io-all load list
  is '' "$output"
  is 0 "$(starts)"
}

@test "a topology of another processor is not changed, and no thread is left" {
  [ "$(uname -m)" = x86_64 ] || skip "hwloc reads dumps of x86 processors only"
  unset HWLOC_COMPONENTS HWLOC_FSROOT HWLOC_THISSYSTEM
  use_sim
  mkdir "$BATS_TEST_TMPDIR/cpuid"
  echo "Architecture: x86" > "$BATS_TEST_TMPDIR/cpuid/hwloc-cpuid-info"
  echo "1 0 0 0 0 => 1 756e6547 6c65746e 49656e69" > "$BATS_TEST_TMPDIR/cpuid/pu0"
  run "$topo_check" io-all load list no-threads
  has gpu0-L1 # this processor
  HWLOC_CPUID_PATH=$BATS_TEST_TMPDIR/cpuid run "$topo_check" io-all load list no-threads
  is 0 "$status"
  has_not gpu0-
}

@test "HWLOC_COMPONENTS=-gpucache disables it" {
  HWLOC_COMPONENTS=-gpucache run "$topo_check" io-all load list
  is 0 "$status"
  is '' "$output"
}

@test "a node with CPU caches and with GPUs of NVIDIA and AMD" {
  "$top_srcdir/tests/data/two-vendors-node.sh" "$BATS_TEST_TMPDIR/other"
  cp -r "$BATS_TEST_TMPDIR/node/proc/driver" "$BATS_TEST_TMPDIR/other/proc/"
  HWLOC_FSROOT=$BATS_TEST_TMPDIR/other run "$topo_check" io-important load check dup xml list
  is 0 "$status"
  is 10 "${#lines[@]}"
}

@test "without a driver the status says so, and no tool is started" {
  rm -r "$HWLOC_FSROOT/proc/driver"
  run topology
  is 0 "$status"
  has_not gpu0-
  is "the NVIDIA kernel driver does not list it" "$(info GPUCacheStatus pci=97:00.0)"
  is 0 "$(starts)"
}

@test "the status of a GPU that its driver has not initialized says so" {
  sed -i 's/GPU-1111.*/GPU-????????-????-????-????-????????????/; s/96.00.*/??.??.??.??.??/' \
    "$HWLOC_FSROOT/proc/driver/nvidia/gpus/0000:17:00.0/information"
  run topology
  has_not gpu0-
  has gpu1-Memory
  [[ $(info GPUCacheStatus pci=17:00.0) == *"UUID yet"* ]]
  is 1 "$(starts)"
}
