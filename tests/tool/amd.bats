#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# AMD GPUs of which only the kernel driver's tables are known, and failures that are remembered.

setup() {
  load setup.bash
  prepare
  unset ROCR_VISIBLE_DEVICES HIP_VISIBLE_DEVICES CUDA_VISIBLE_DEVICES
  node=$BATS_TEST_TMPDIR/node
  amd=GPU-1d3c0ffee000a700
}

# use_amd MODEL [MODEL…]: a machine with these.
use_amd() {
  local number=1 model
  for model; do
    "$top_srcdir/tests/data/amd-tree.sh" "$node" "$model" $number "0000:$(printf %02x $number):00.0"
    number=$((number + 8))
  done
  use_tree "$node"
}

caveat="nothing of what is shown was measured: the kernel driver's tables (sysfs) state it"

@test "list: model, target, partitions and why nothing can be measured" {
  use_amd mi100 mi300x-cpx rx6800
  run_split "$tool" list
  is 0 "$status"
  is '' "$errors"
  is 11 "${#lines[@]}"
  has "${lines[1]}" "AMD Instinct MI100 (gfx908)"
  has "${lines[1]}" "cannot be measured: this is a copy (HWLOC_FSROOT): only the machine itself can be measured"
  has "${lines[2]}" "AMD GPU gfx942 [1002:74a1]"
  [[ ${lines[9]} =~ -7\ +cannot ]]
  has "${lines[10]}" "AMD GPU gfx1030 [1002:73bf]"
}

@test "show: the tables, said to be no measurement, exit 0" {
  use_amd mi300x
  run_split "$tool" show
  is 0 "$status"
  has "$errors" "$caveat"
  has "$errors" "this is a copy (HWLOC_FSROOT)"
  has "$output" "gpu0: AMD Instinct MI300X OAM, 304 CUs at 2100 MHz, driver 6.10.5"
  [[ $output =~ $'\n'\ {2}DeviceMemory\ .*$'\n'\ {4}L3Cache\  ]]
  [[ $output =~ L2Cache\ +4\ MiB\ +4\ MiB\ +128\ B\ .*\ 8\ +sysfs ]]
  has "$output" "ScalarL1Cache: 144 for 2 CUs together, 16 for 1 CU"
  has "$output" "no PerCU of ScalarL1Cache, InstructionCache: 304 CUs share 160 of them"
  is "DeviceMemory L3Cache L2Cache L1Cache ScalarL1Cache LDS InstructionCache" \
    "$(grep -o '^ *[A-Za-z0-9]* .* sysfs ' <<<"$output" | awk '{print $1}' | xargs)"
  has "$output" "the GPU: gfx942, 8 XCDs"
  has_not "$output" measured
  is '' "$(leftovers)"
}

@test "what is true of several partitions is said once" {
  use_amd mi300x-cpx
  run_split "$tool" show
  is 0 "$status"
  is "hwloc-gpucache: gpu0 to gpu7: this is a copy (HWLOC_FSROOT): only the machine itself can be measured
hwloc-gpucache: gpu0 to gpu7: $caveat. Measuring has never been tried on an AMD GPU" "$errors"
  run_split "$tool" show gpu1 gpu2
  has "$errors" "gpu1, gpu2: $caveat"
  run_split "$tool" show gpu2 gpu1 gpu0
  has "$errors" "gpu2, gpu1, gpu0: $caveat"
  # one that is another case, in between
  HWLOC_GPUCACHE_SIM=$tiny run_split "$tool" show gpu3 gpu8 gpu4 gpu5 gpu6
  has "$errors" "gpu3, gpu4 to gpu6: $caveat"
}

@test "show --json: the same for programs" {
  command -v jq > /dev/null || skip "jq is not installed"
  use_amd rx6800
  run_split "$tool" show --json
  is 0 "$status"
  has "$errors" "$caveat"
  local json=$output
  is "facts of the kernel driver (sysfs), nothing measured" "$(jq -r '.[0].Status' <<< "$json")"
  is "this is a copy (HWLOC_FSROOT): only the machine itself can be measured" "$(jq -r '.[0].problem' <<< "$json")"
  is gfx1030 "$(jq -r '.[0].GFX' <<< "$json")"
  is null "$(jq -r '.[0].gfx' <<< "$json")"
  is 60 "$(jq -r '.[0].SMs' <<< "$json")"
  is GL1Cache "$(jq -r '.[0].elements[] | select(.subtype == "ScalarL1Cache").parent' <<< "$json")"
  is 131072 "$(jq -r '.[0].elements[] | select(.subtype == "GL1Cache").CapacityBytes' <<< "$json")"
  is "6x10 sysfs" "$(jq -r '.[0].elements[] | select(.subtype == "GL1Cache") |
    "\(.SharedByCUs) \(.SharedByCUsSource)"' <<< "$json")"
  is null "$(jq -r '.[0].Measured' <<< "$json")"
  is 0 "$(grep -c '"measured"' <<< "$json")"
}

@test "one that cannot be measured is no failure of those that can, unless it was named" {
  use_amd mi100 # without access
  HWLOC_GPUCACHE_SIM=$tiny run_split "$tool" measure
  is 0 "$status"
  has "$errors" "gpu0: this is a copy (HWLOC_FSROOT)"
  has "$output" "gpu1: Tiny Test GPU"
  HWLOC_GPUCACHE_SIM=$tiny run_split "$tool" measure
  is 0 "$status"
  has "$output" "gpu1: already measured"
  HWLOC_GPUCACHE_SIM=$tiny run_split "$tool" measure gpu0 gpu1
  is 3 "$status"
  rm -r "$node/sys/class/kfd" # nor tables to show
  HWLOC_GPUCACHE_SIM=$tiny run_split "$tool" show
  is 0 "$status"
  has "$errors" "gpu0: the amdgpu kernel driver shows no compute node (KFD) of it"
  has "$output" "gpu1: Tiny Test GPU"
  HWLOC_GPUCACHE_SIM=$tiny run_split "$tool" show gpu0 gpu1
  is 3 "$status"
  # what a user attaches is named thereby
  HWLOC_GPUCACHE_SIM=$tiny,nonsense run_split "$tool" show
  is 3 "$status"
  # GPUs beside it that should have been measured, and were not
  use_node
  HWLOC_GPUCACHE_SIM=$tiny run_split "$tool" measure
  is 1 "$status"
  has "$errors" "gpu1: cannot"
  has "$output" "gpu3: already measured"
  run_split "$tool" measure
  is 3 "$status"
}

@test "show --xml prints records, and there is none" {
  use_amd mi100
  run_split "$tool" show --xml
  is 3 "$status"
  is '' "$output"
}

@test "measure: not without access, exit 3, nothing kept" {
  use_amd mi100
  run_split "$tool" measure
  is 3 "$status"
  is '' "$output"
  has "$errors" "this is a copy (HWLOC_FSROOT)"
  is '' "$(find "$records" -type f 2> /dev/null)"
}

@test "a GPU without a compute node: nothing can be shown, exit 3" {
  use_amd mi100
  rm -r "$node/sys/class/kfd"
  run_split "$tool" show
  is 3 "$status"
  is '' "$output"
  has "$errors" "the amdgpu kernel driver shows no compute node (KFD) of it"
  run_split "$tool" list
  is 0 "$status"
  has "$output" "AMD Instinct MI100"
}

@test "a failure is remembered, listed, and purged" {
  use_node # NVIDIA, but for a driver that answers
  local note=$records/GPU-11111111-0000-0000-0000-000000000017.failed
  run_split "$tool" measure gpu0
  is 3 "$status"
  [ -f "$note" ]
  run_split "$tool" list
  [[ ${lines[1]} =~ failed\ 20..-..-..T..:..:..Z:\ cannot\ load\ the\ CUDA\ driver ]]
  [[ ${lines[2]} =~ none$ ]]
  # by hand it is tried again, and noted again
  rm "$note"
  run_split "$tool" measure gpu0
  is 3 "$status"
  [ -f "$note" ]
  run_split "$tool" purge gpu0
  is 0 "$status"
  has "$output" "forgot that measuring GPU-11111111-0000-0000-0000-000000000017 failed"
  [ ! -e "$note" ]
  run_split "$tool" measure gpu0
  [ -f "$note" ]
  run_split "$tool" purge
  is 0 "$status"
  is "forgot that measuring GPU-11111111-0000-0000-0000-000000000017 failed" "$output"
  [ ! -e "$note" ]
  run_split "$tool" purge
  is "there are no records to remove" "$output"
}

@test "list: a failure is told beside a record that is stale or cannot be read" {
  use_node
  local record=$records/GPU-11111111-0000-0000-0000-000000000017.xml
  "$tool" measure --sim "$tiny" > /dev/null
  sed -e 's/name="GPUCacheUUID" value="[^"]*"/name="GPUCacheUUID" value="'"$(basename "$record" .xml)"'"/' \
    -e 's/name="GPUCacheDriver" value="[^"]*"/name="GPUCacheDriver" value="older"/' \
    "$records/sim-tiny.xml" > "$record"
  chmod 600 "$record"
  run_split "$tool" list
  [[ ${lines[1]} =~ stale:\ .*older ]]
  has_not "${lines[1]}" failed
  run_split "$tool" measure gpu0
  is 3 "$status"
  run_split "$tool" list
  [[ ${lines[1]} =~ stale:\ .*older.*\;\ failed\ 20.*Z:\ cannot\ load\ the\ CUDA\ driver ]]
  echo garbage > "$record"
  run_split "$tool" list
  [[ ${lines[1]} =~ unreadable:\ .*\;\ failed\ 20.*Z:\ cannot\ load\ the\ CUDA\ driver ]]
}

# with_cuda ERROR COMMAND…: run_split with a stand-in for the CUDA driver that fails so.
with_cuda() {
  FAKE_CUDA_FAIL=$1 LD_LIBRARY_PATH=$top_builddir/tests/unit/fake-cuda/.libs run_split "${@:2}"
}

@test "only what this program has nothing for is remembered for a day" {
  use_node
  local note=$records/GPU-11111111-0000-0000-0000-000000000017.failed case
  # exclusive to another job; fabric manager not up; no device for this user; an error of the driver
  for case in cuDeviceGetCount=46:yes:1 cuInit=802:yes:3 cuInit=100:yes:3 cuDeviceGetCount=2:yes:1 \
    cuDeviceGetCount=999:yes:1 cuDeviceGetCount=209:no:1 cuDeviceGetCount=222:no:1 \
    cuDeviceGetCount=801:no:1; do
    rm -f "$note"
    with_cuda "${case%%:*}" "$tool" measure gpu0
    echo "$case: $errors"
    is "${case##*:}" "$status"
    case=${case#*:}
    is "passing: ${case%:*}" "$(grep '^passing' "$note")"
  done
}

@test "what is remembered does not call the GPU by a number" {
  use_node
  local note=$records/GPU-11111111-0000-0000-0000-000000000017.failed
  with_cuda cuInit=802 "$tool" measure gpu0
  has "$errors" "gpu0: cannot initialize CUDA for gpu0: "
  is "why: cannot initialize CUDA for this GPU: CUDA error 802" "$(grep '^why' "$note")"
}

@test "what is not the GPU's fault is not remembered" {
  use_node
  run_split "$tool" measure gpu0 --only L1Cache
  is 3 "$status"
  run_split "$tool" measure gpu0 --no-store
  is 3 "$status"
  run_split "$tool" measure gpu0 --only Nonsense
  run_split "$tool" measure gpu7
  sed 's/^sms = 4/sms = many/' "$tiny" > "$BATS_TEST_TMPDIR/bad"
  run_split "$tool" measure --sim "$BATS_TEST_TMPDIR/bad"
  is 1 "$status"
  is '' "$(find "$records" -name '*.failed' 2> /dev/null)"
}

@test "a record ends the memory of a failure" {
  use_node
  run_split "$tool" measure gpu0
  local note=$records/GPU-11111111-0000-0000-0000-000000000017.failed
  [ -f "$note" ]
  mv "$note" "$records/sim-tiny.failed"
  run_split "$tool" measure --sim "$tiny"
  is 0 "$status"
  [ -f "$records/sim-tiny.xml" ]
  [ ! -e "$records/sim-tiny.failed" ]
}

@test "what was measured is completed by the tables, but for what --only asked for" {
  command -v jq > /dev/null || skip "jq is not installed"
  local gpu=$BATS_TEST_TMPDIR/mi210
  sed -e 's/^sms = 104 /sms = 4 /' -e 's/^sm_ids = .*/sm_ids = 0-1 3 4/' "$top_srcdir/data/sim/mi210" > "$gpu"
  grep -q '^sms = 4 ' "$gpu"
  run_split "$tool" show --json --sim "$gpu"
  is 0 "$status"
  # value ELEMENT KEY
  value() { jq -r --arg kind "$1" --arg key "$2" '.[0].elements[] | select(.subtype == $kind)[$key]' <<< "$output"; }
  is measured "$(value L1Cache CapacitySource)"
  is sysfs "$(value L1Cache NominalSource)"
  is sysfs "$(value InstructionCache CapacitySource)"
  is gfx90a "$(jq -r '.[0].GFX' <<< "$output")"
  grep -q 'subtype="InstructionCache"' "$records/sim-mi210.xml"
  has "$("$tool" show --sim "$gpu")" InstructionCache
  run_split "$tool" measure --only L1Cache --sim "$gpu"
  is 0 "$status"
  has "$output" L1Cache
  has_not "$output" InstructionCache
}
