# SPDX-License-Identifier: BSD-3-Clause
# Loaded by .bats files. An AMD GPU that is measured like a real one: the kernel driver lists it, and the HIP libraries of
# tests/unit (hip-5, hip-6 …) simulate it.

# fast_machine: the value of LD_PRELOAD with which the speed of this machine is no sign of a busy GPU.
fast_machine() {
  local fast=$top_builddir/tests/tool/.libs/libfast.so
  [ -e "$fast" ] || skip "$fast is not built"
  echo "$SANITIZER_PRELOAD $fast"
}

# put PATH TEXT: writes a file below $node.
put() {
  mkdir -p "$node/${1%/*}"
  printf '%s\n' "$2" >"$node/$1"
}

# Uses a node with one MI210, as the kernel driver lists it, and a simulated MI210 with four CUs for these libraries.
use_mi210() {
  local nodes=sys/class/kfd/kfd/topology/nodes list
  export FAKE_HIP_PROFILE=$BATS_TEST_TMPDIR/mi210
  sed -e 's/^sms = 104 /sms = 4 /' -e 's/^sm_ids = .*/sm_ids = 0-1 3 4/' "$top_srcdir/data/sim/mi210" \
    >"$FAKE_HIP_PROFILE"
  node=$BATS_TEST_TMPDIR/node
  put dev/kfd ''
  for list in online possible present; do put sys/devices/system/cpu/$list 0; done
  for list in core_id physical_package_id; do put sys/devices/system/cpu/cpu0/topology/$list 0; done
  for list in core_cpus package_cpus thread_siblings core_siblings; do
    put sys/devices/system/cpu/cpu0/topology/$list 1
  done
  put $nodes/0/properties $'cpu_cores_count 8\nsimd_count 0'
  put $nodes/1/properties "simd_count 16
simd_per_cu 4
max_waves_per_simd 8
wave_front_size 64
lds_size_in_kb 64
gfx_target_version 90010
vendor_id 4098
device_id 29711
location_id 2560
domain 0
unique_id 81985529216486895
max_engine_clk_fcompute 1700"
  put sys/bus/pci/devices/0000:0a:00.0/vendor 0x1002
  put sys/bus/pci/devices/0000:0a:00.0/device 0x740f
  put sys/bus/pci/devices/0000:0a:00.0/class 0x038000
  put sys/bus/pci/devices/0000:0a:00.0/product_name 'AMD Instinct MI210'
  export HWLOC_FSROOT=$node HWLOC_THISSYSTEM=1
}
