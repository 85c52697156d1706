#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# An AMD GPU that the kernel driver lists and HIP measures: how the library is found, the messages when it is
# not, and the same values as without HIP. The HIP libraries of tests/unit take the place of AMD's; their GPU
# is a simulated MI210 with four CUs. The interference check works as on a real GPU, so that a slow simulator looks
# like a busy GPU; tests that measure preload a library with which the machine seems fast.

setup() {
  load setup.bash
  load ../data/mi210-node.bash
  prepare
  unset ROCR_VISIBLE_DEVICES HIP_VISIBLE_DEVICES CUDA_VISIBLE_DEVICES FAKE_HIP_FAIL
  unset FAKE_HIP_LAUNCHES FAKE_HIP_LOST
  use_mi210
}

# with_hip NAME COMMAND…: run_split, with this stand-in first in the library path.
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

@test "the newest HIP is used" {
  FAKE_HIP_FAIL=hipInit=100 LD_LIBRARY_PATH=$(library_path any 5 6 7) run_split "$tool" measure
  [[ $errors != *'without kernels'* ]] || skip "this build has no kernels for gfx90a"
  has "$errors" "HIP (libamdhip64.so.7)"
}

@test "measured, but not stored: noted, with the reason" {
  local fast faults="$top_builddir/tests/tool/.libs/libfaults.so"
  [ -e "$faults" ] || skip "$faults is not built"
  fast=$(fast_machine)
  with_hip 7 env FAULTS=rename LD_PRELOAD="$fast $faults" "$tool" measure
  is 1 "$status"
  has "$errors" "gpu0: measured, but not stored: cannot replace $records/"
  is 'kind: passes' "$(grep -h '^kind' "$records"/*.failed)"
  has "$(grep -h '^why' "$records"/*.failed)" "why: measured, but not stored: cannot replace"
  has "$(LD_LIBRARY_PATH=$(library_path 7) "$tool" list)" "measured, but not stored"
}

@test "no HIP: a message that says what to install, exit 3, no record" {
  has_real libamdhip64.so libamdhip64.so.5 libamdhip64.so.6 libamdhip64.so.7 && skip "this machine has ROCm"
  with_hip none "$tool" measure
  is 3 "$status"
  is '' "$output"
  has "$errors" "gpu0: cannot load HIP: libamdhip64.so is not there in versions 7, 6 and 5; install ROCm's libamdhip64"
  is 'kind: passes' "$(grep -h '^kind' "$records"/*.failed)" # a library may be installed
  is '' "$(leftovers)"
}

@test "a HIP that cannot be loaded: the message of the linker" {
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

@test "an old HIP: the message names what it lacks, exit 3" {
  with_hip old "$tool" measure
  is 3 "$status"
  is '' "$output"
  has "$errors" "libamdhip64.so.7 has no hipDeviceGetUuid: it is too old (ROCm 5.1 or newer is needed)"
  is '' "$(leftovers)"
}

@test "the real HIP and no GPU: a message, exit 3, no record" {
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

@test "the command waits while another process measures a partition of the GPU; the note says that it was held" {
  local fast
  fast=$(fast_machine)
  exec 9<"$node/sys/bus/pci/devices/0000:0a:00.0"
  flock 9
  # The command polls the lock for three quarters of its time, by a clock that only advances while it sleeps. The
  # deadline is a wait in real time, which takes as long on every machine.
  with_hip 7 env FAST_SLEEPS=1 LD_PRELOAD="$fast" "$tool" measure --timeout 36
  flock -u 9
  exec 9<&-
  is 1 "$status"
  is '' "$output"
  has "$errors" "gpu0: the GPU, or another partition of it, is being measured by another process"
  is '' "$(leftovers)"
  is 'kind: held' "$(grep -h '^kind' "$records"/*.failed)"
}

@test "a hidden GPU is not measured: a message, exit 3, no record" {
  HIP_VISIBLE_DEVICES=-1 with_hip 7 "$tool" measure gpu0
  is 3 "$status"
  is '' "$output"
  has "$errors" "gpu0: HIP_VISIBLE_DEVICES is '-1', which hides this GPU; measure it in a job that may use it"
  is '' "$(leftovers)"
}

@test "a GPU that is lost during the measurement: a message, no record" {
  local launches fast
  fast=$(fast_machine)
  export FAKE_HIP_LOST=$BATS_TEST_TMPDIR/lost
  for launches in 0 2; do
    rm -f "$FAKE_HIP_LOST"
    FAKE_HIP_LAUNCHES=$launches with_hip 7 env LD_PRELOAD="$fast" "$tool" measure
    is 3 "$status"
    is '' "$output"
    has "$errors" "gpu0: cannot finish kernel"
    has "$errors" "on gpu0: hipErrorNoDevice"
    is '' "$(leftovers)"
  done
  # during the measurement another process tries to measure the rest, and finds no GPU
  rm -f "$FAKE_HIP_LOST"
  FAKE_HIP_LAUNCHES=30 with_hip 7 env LD_PRELOAD="$fast" "$tool" measure
  [ "$status" -ne 0 ]
  is '' "$output"
  has "$errors" "on gpu0: hipErrorNoDevice; this is measured again"
  has "$errors" "gpu0: HIP (libamdhip64.so.7) shows no GPU, and so not gpu0: hipErrorNoDevice"
  is '' "$(leftovers)"
}

# found: the measured values of the caches that do not depend on noise.
found() {
  jq -r '.[0].elements[] | select(.LatencySource == "measured") | select(.subtype | endswith("Cache")) |
    "\(.subtype) \(.CapacityBytes) \(.LineBytes) \(.FetchBytes) \(.LatencyCycles | round)"'
}

@test "values measured through HIP are those of the GPU" {
  command -v jq >/dev/null || skip "jq is not installed"
  local over_hip fast
  fast=$(fast_machine)
  with_hip 7 env LD_PRELOAD="$fast" "$tool" show --json gpu0
  is 0 "$status"
  over_hip=$(found <<<"$output")
  has "$over_hip" "L2Cache 8388608 128 64 290"
  has "$over_hip" "L1Cache 16384 64 64 116"
  run_split "$tool" show --json --sim "$FAKE_HIP_PROFILE"
  is "$(found <<<"$output")" "$over_hip"
  [ -f "$records/GPU-0123456789abcdef.xml" ]
}

# record INFO: of the stored record; of the GPU or of an element.
record() {
  grep -o "name=\"$1\" value=\"[^\"]*\"" "$records/GPU-0123456789abcdef.xml" | head -n 1 | cut -d '"' -f 4
}

# link SPEED WIDTH: the fastest link of the GPU.
link() {
  put sys/bus/pci/devices/0000:0a:00.0/max_link_speed "$1"
  put sys/bus/pci/devices/0000:0a:00.0/max_link_width "$2"
}

# number LIST: the value of the only NUMA node, whatever its number.
number() {
  [[ $1 =~ ^[0-9]+:([0-9.]+)$ ]] && echo "${BASH_REMATCH[1]}"
}

@test "in another place only the host is measured again" {
  local fast latency
  fast=$(fast_machine)
  printf '%s\n' '[host 0]' 'latency_ns = 900' 'read_gbps = 20' 'write_gbps = 20' 'copy_to_gbps = 25' \
    'copy_from_gbps = 25' 'copy_both_gbps = 40' >>"$FAKE_HIP_PROFILE"
  link '16.0 GT/s PCIe' 16
  with_hip 7 env LD_PRELOAD="$fast" "$tool" measure
  is 0 "$status"
  is '0000:0a:00.0, NUMA nodes 0, link 16.0 GT/s PCIe x16' "$(record GPUCacheHostPlace)"
  latency=$(number "$(record HostLatencyNs)") || skip "no memory of a NUMA node can be bound here: $(record HostLatencySource)"
  awk -v ns="$latency" 'BEGIN { exit ns < 870 || ns > 930 }'

  # what is not measured again keeps values that no measurement finds
  sed -i -e 's|name="HostLatencyNs" value="[^"]*"|name="HostLatencyNs" value="0:1"|' \
    -e 's|name="GPUCacheMeasured" value="[^"]*"|name="GPUCacheMeasured" value="2001-01-01T00:00:00Z"|' \
    -e 's|name="MissPenaltyCycles" value="[^"]*"|name="MissPenaltyCycles" value="1.5"|' \
    "$records/GPU-0123456789abcdef.xml"
  with_hip 7 env LD_PRELOAD="$fast" "$tool" measure
  is 0 "$status"
  is 0:1 "$(record HostLatencyNs)" # the same place: nothing is measured
  with_hip 7 "$tool" show --all
  has "$output" 'host memory of NUMA node 0'

  # a sleeping GPU does not tell its link
  link 'Unknown' 255
  put sys/bus/pci/devices/0000:0a:00.0/power/runtime_status suspended
  with_hip 7 env LD_PRELOAD="$fast" "$tool" measure
  is 0:1 "$(record HostLatencyNs)"
  put sys/bus/pci/devices/0000:0a:00.0/power/runtime_status active

  link '16.0 GT/s PCIe' 8
  # a GPU that cannot be measured: nothing of the other host is shown, and the record stays
  FAKE_HIP_FAIL=hipInit=100 with_hip 7 "$tool" show --all
  has_not "$output" 'host memory of NUMA'
  is 0:1 "$(record HostLatencyNs)"
  with_hip 7 env LD_PRELOAD="$fast" "$tool" measure
  is 0 "$status"
  has "$errors" "gpu0: the GPU is in another place than when the record of 2001-01-01T00:00:00Z was measured"
  is "$latency" "$(number "$(record HostLatencyNs)" | awk -v ns="$latency" '$1 > ns * 0.97 && $1 < ns * 1.03 { print ns }')"
  is '0000:0a:00.0, NUMA nodes 0, link 16.0 GT/s PCIe x8' "$(record GPUCacheHostPlace)"
  is 1.5 "$(record MissPenaltyCycles)"
  is 2001-01-01T00:00:00Z "$(record GPUCacheMeasured)"
}
