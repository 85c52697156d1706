#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# An AMD GPU, which the kernel driver shows and HIP measures: how the library is found, what is said when
# that goes wrong, and that a GPU behind HIP gives what it gives without. The HIP libraries of tests/unit
# stand in for AMD's; their GPU is a simulated MI210 of four CUs. How long kernels wait is looked at as on a
# real GPU, and with all its 104 CUs it would be too slow for one that nobody else uses.

setup() {
  load setup.bash
  prepare
  unset ROCR_VISIBLE_DEVICES HIP_VISIBLE_DEVICES CUDA_VISIBLE_DEVICES FAKE_HIP_FAIL
  unset FAKE_HIP_LAUNCHES FAKE_HIP_LOST
  export FAKE_HIP_PROFILE=$BATS_TEST_TMPDIR/mi210
  sed -e 's/^sms = 104 /sms = 4 /' -e 's/^sm_ids = .*/sm_ids = 0-1 3 4/' "$top_srcdir/data/sim/mi210" \
    >"$FAKE_HIP_PROFILE"
  use_mi210
}

# put PATH TEXT: a file below $node.
put() {
  mkdir -p "$node/${1%/*}"
  printf '%s\n' "$2" >"$node/$1"
}

# A node with one MI210, as the kernel driver shows it.
use_mi210() {
  local nodes=sys/class/kfd/kfd/topology/nodes
  node=$BATS_TEST_TMPDIR/node
  put dev/kfd ''
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
  use_tree "$node"
}

# with_hip NAME COMMAND…: run_split, with this stand-in where libraries are looked for first.
with_hip() {
  LD_LIBRARY_PATH=$(library_path "$1") run_split "${@:2}"
  [[ $errors != *'without kernels'* ]] || skip "this build has no kernels for gfx90a"
}

# library_path NAME…: the directories of these stand-ins.
library_path() {
  local path= name
  for name; do path=$path$top_builddir/tests/unit/hip-$name/.libs:; done
  echo "${path%:}"
}

# has_real NAME…: this machine has one of these libraries.
has_real() {
  local libraries name
  ! compgen -G '/opt/rocm/lib/libamdhip64.so*' >/dev/null || return 0
  libraries=$(PATH=$PATH:/sbin:/usr/sbin ldconfig -p)
  for name; do
    [[ $libraries != *"$name "* ]] || return 0
  done
  return 1
}

@test "HIP is found under each of its names" {
  local name
  for name in 7 6 5; do
    FAKE_HIP_FAIL=hipInit=100 with_hip $name "$tool" measure
    is 3 "$status"
    has "$errors" "gpu0: HIP (libamdhip64.so.$name) shows no GPU, and so not gpu0: hipErrorNoDevice; "
  done
}

@test "HIP is found without a number" {
  has_real libamdhip64.so.5 libamdhip64.so.6 libamdhip64.so.7 && skip "this machine has ROCm"
  FAKE_HIP_FAIL=hipInit=100 with_hip any "$tool" measure
  is 3 "$status"
  has "$errors" "HIP (libamdhip64.so) shows no GPU"
}

@test "the newest HIP serves" {
  FAKE_HIP_FAIL=hipInit=100 LD_LIBRARY_PATH=$(library_path any 5 6 7) run_split "$tool" measure
  [[ $errors != *'without kernels'* ]] || skip "this build has no kernels for gfx90a"
  has "$errors" "HIP (libamdhip64.so.7)"
}

@test "no HIP: a sentence that says what to install, exit 3, no record" {
  has_real libamdhip64.so libamdhip64.so.5 libamdhip64.so.6 libamdhip64.so.7 && skip "this machine has ROCm"
  with_hip none "$tool" measure
  is 3 "$status"
  is '' "$output"
  has "$errors" "gpu0: cannot load HIP: libamdhip64.so is not there in versions 7, 6 and 5; install ROCm's libamdhip64"
  is 'passing: yes' "$(grep -h '^passing' "$records"/*.failed)" # it may come
  is '' "$(leftovers)"
}

@test "a HIP that cannot be loaded: what the linker says of it" {
  local name
  for name in libamdhip64.so libamdhip64.so.5 libamdhip64.so.6 libamdhip64.so.7; do
    echo 'no library' >"$BATS_TEST_TMPDIR/$name"
  done
  LD_LIBRARY_PATH=$BATS_TEST_TMPDIR run_split "$tool" measure
  [[ $errors != *'without kernels'* ]] || skip "this build has no kernels for gfx90a"
  is 3 "$status"
  has "$errors" "gpu0: cannot load HIP: libamdhip64.so"
  has "$errors" "file too short"
}

@test "an old HIP: what it lacks, exit 3" {
  with_hip old "$tool" measure
  is 3 "$status"
  is '' "$output"
  has "$errors" "libamdhip64.so.7 has no hipDeviceGetUuid: it is too old (ROCm 5.1 or newer is needed)"
  is '' "$(leftovers)"
}

@test "the real HIP and no GPU: a sentence, exit 3, no record" {
  has_real libamdhip64.so.5 libamdhip64.so.6 libamdhip64.so.7 || skip "this machine has no ROCm"
  [ ! -e /dev/kfd ] || skip "this machine has a /dev/kfd"
  run_split "$tool" measure
  [[ $errors != *'without kernels'* ]] || skip "this build has no kernels for gfx90a"
  is 3 "$status"
  is '' "$output"
  has "$errors" "gpu0: HIP (libamdhip64.so."
  has "$errors" "shows no GPU, and so not gpu0: hipError"
  has "$errors" "there is no /dev/kfd: load the kernel driver amdgpu"
  is '' "$(leftovers)"
}

@test "while another process measures a GPU or a partition of it, it waits; that is no failure of the GPU" {
  exec 9<"$node/sys/bus/pci/devices/0000:0a:00.0"
  flock 9
  with_hip 7 "$tool" measure --timeout 4
  flock -u 9
  exec 9<&-
  is 1 "$status"
  is '' "$output"
  has "$errors" "gpu0: the GPU, or another partition of it, is being measured by another process"
  is '' "$(leftovers)"
  is '' "$(find "$records" -name '*.failed')"
}

@test "a GPU that is hidden is not measured: a sentence, exit 3, no record" {
  HIP_VISIBLE_DEVICES=-1 with_hip 7 "$tool" measure gpu0
  is 3 "$status"
  is '' "$output"
  has "$errors" "gpu0: HIP_VISIBLE_DEVICES is '-1': it hides every AMD GPU from HIP"
  is '' "$(leftovers)"
}

@test "a GPU that is lost while it is measured: a sentence, no record" {
  local launches
  export FAKE_HIP_LOST=$BATS_TEST_TMPDIR/lost
  for launches in 0 2; do
    rm -f "$FAKE_HIP_LOST"
    FAKE_HIP_LAUNCHES=$launches with_hip 7 "$tool" measure
    is 3 "$status"
    is '' "$output"
    has "$errors" "gpu0: cannot finish kernel"
    has "$errors" "on gpu0: hipErrorNoDevice"
    is '' "$(leftovers)"
  done
  # in the midst, another process tries to measure the rest, and finds no GPU
  rm -f "$FAKE_HIP_LOST"
  FAKE_HIP_LAUNCHES=30 with_hip 7 "$tool" measure
  [ "$status" -ne 0 ]
  is '' "$output"
  has "$errors" "on gpu0: hipErrorNoDevice; this is left out"
  has "$errors" "gpu0: HIP (libamdhip64.so.7) shows no GPU, and so not gpu0: hipErrorNoDevice"
  is '' "$(leftovers)"
}

# found: what was measured of the caches and does not depend on noise.
found() {
  jq -r '.[0].elements[] | select(.LatencySource == "measured") | select(.subtype | endswith("Cache")) |
    "\(.subtype) \(.CapacityBytes) \(.LineBytes) \(.FetchBytes) \(.LatencyCycles | round)"'
}

@test "what is measured over HIP is what the GPU has" {
  command -v jq >/dev/null || skip "jq is not installed"
  local over_hip
  with_hip 7 "$tool" show --json gpu0
  is 0 "$status"
  over_hip=$(found <<<"$output")
  has "$over_hip" "L2Cache 8388608 128 64 290"
  has "$over_hip" "L1Cache 16384 64 64 116"
  run_split "$tool" show --json --sim "$FAKE_HIP_PROFILE"
  is "$(found <<<"$output")" "$over_hip"
  [ -f "$records/GPU-0123456789abcdef.xml" ]
}
