#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Simulated AMD GPUs: show, JSON, the record, the driver tables.

setup() {
  load setup.bash
  prepare
  use_record mi100 mi210 mi300x rx7900xtx
}

@test "the table of an MI210 has its elements, CUs instead of SMs, and nothing of NVIDIA" {
  run_split "$tool" show --all --sim mi210
  is 0 "$status"
  is '' "$errors"
  [[ ${lines[0]} =~ ^gpu0:\ AMD\ Instinct\ MI210,\ 104\ CUs\ at\ 1700\ MHz,\ driver\ simulated,\ measured\ 20 ]]
  [[ ${lines[1]} =~ PER\ CU\ +IN\ ALL ]]
  [[ ${lines[2]} =~ ^\ {2}DeviceMemory\ +63\.98\ GiB ]]
  [[ ${lines[3]} =~ ^\ {4}L2Cache\ +8\ MiB\ +8\ MiB\ +128\ B\ +64\ B\ +-\ +1\ +0\.[0-9]+\ +measured ]]
  [[ ${lines[4]} =~ ^\ {6}L1Cache\ +16\ KiB\ +16\ KiB\ +64\ B\ +64\ B\ +1\ +104\ +0\.[0-9]+\ +measured ]]
  [[ ${lines[5]} =~ ^\ {6}ScalarL1Cache\ +16\ KiB\ +16\ KiB\ +64\ B\ +64\ B\ +-\ +56\ +0\.[0-9]+\ +measured ]]
  has "$output" "ScalarL1Cache: 48 shared by 2 CUs each, 8 used by 1 CU"
  has_not "$output" "share it"
  has_not "$output" PerSM
  [[ $output =~ LDS\ +64\ KiB\ +64\ KiB\ +-\ +-\ +1\ +104\ +0\.[0-9]+\ +api\+measured ]]
  [[ $output =~ InstructionCache\ +32\ KiB\ +32\ KiB\ +64\ B\ +-\ +-\ +56\ +-\ +sysfs ]]
  has "$output" "the GPU: gfx90a"
  has_not "$output" XCD
  for word in SharedMemory TextureCache ConstantL1 carve-out 'SMs' 'differs'; do
    has_not "$output" "$word"
  done
}

@test "JSON has measured and nominal values, each with its source" {
  run_split "$tool" show --json --sim mi210
  is 0 "$status"
  q() { jq -r ".[0].elements[] | select(.subtype == \"$1\") | $2" <<<"$output"; }
  is "sim-mi210 true gfx90a 104" "$(jq -r '.[0] | "\(.id) \(.simulated) \(.GFX) \(.SMs)"' <<<"$output")"
  is "L2Cache 16384 measured 16384 sysfs" \
    "$(q L1Cache '"\(.parent) \(.CapacityBytes) \(.CapacitySource) \(.NominalBytes) \(.NominalSource)"')"
  is "48x2,8x1 measured 56" "$(q ScalarL1Cache '"\(.SharedByCUs) \(.SharedByCUsSource) \(.Instances)"')"
  is "0,1 3 4,5 6,7" "$(q ScalarL1Cache '.CUGroups[0:13]')"
  is "32768 sysfs" "$(q InstructionCache '"\(.CapacityBytes) \(.CapacitySource)"')"
  is null "$(q InstructionCache .LatencyCycles)"
  is null "$(jq '.[0].ComputeCapability' <<<"$output")"
}

@test "an L3: reasons for the missing line, fetch granularity and number per CU" {
  local why="loads reach it through an L2, which asks it for lines of its own"
  run_split "$tool" show --all --sim mi300x
  is 0 "$status"
  has "$output" "no Line, Fetch of L3Cache: $why"
  has_not "$output" " CUs share "
  # rows in the same order as for driver tables only
  is "DeviceMemory L3Cache L2Cache L1Cache ScalarL1Cache LDS InstructionCache L1TLB" \
    "$(sed -n '2,/^$/s/^ *\([A-Za-z0-9]*\).*/\1/p' <<<"$output" | sed '1d;/^$/d' | xargs)"
  run_split "$tool" show --json --sim mi300x
  is "absent:$why absent:$why null absent:304 CUs share it 1" "$(jq -r '.[0].elements[] |
    select(.subtype == "L3Cache") | "\(.LineSource) \(.FetchSource) \(.PerSM) \(.PerSMSource) \(.Instances)"' \
    <<<"$output")"
  # a line size of the driver tables is printed
  run_split "$tool" show --all --sim rx7900xtx
  has "$output" "no Fetch of L3Cache: $why"
}

@test "a record of an AMD GPU is the same when it is read again" {
  run_split "$tool" measure --sim mi210
  has "$output" "already measured"
  is "$(cat "$records/sim-mi210.xml")" "$("$tool" show --xml --sim mi210)"
  run "$LSTOPO" --of console -i "$records/sim-mi210.xml"
  has "$output" '"gpu0-ScalarL1 16KiB x56"'
  has "$output" '"gpu0-LDS 64KiB x104"'
}

@test "driver tables that differ from the measurement: a message, both values in the record and in show" {
  is "$(cat "$top_builddir/tests/records/mi100.messages")" \
    "hwloc-gpucache: gpu0: SharedByCUs of ScalarL1Cache is 24x3,24x2, but the kernel driver's tables state 32x3,8x2,8x1; the measured value is kept, and nothing needs to be done"
  run_split "$tool" show --sim mi100
  is 0 "$status"
  is '' "$errors"
  has "$output" "  not as in the kernel driver's tables: SharedByCUs of ScalarL1Cache"
  has_not "$output" "(sysfs)"
  run_split "$tool" show --all --sim mi100
  # show may break lines in a list
  has "$(tr -d "\n " <<<"$output")" "$(tr -d " " <<<"ScalarL1Cache: SharedByCUs is the measured value; the kernel driver's tables (sysfs) state 32x3,8x2,8x1")"
  has "$(cat "$records/sim-mi100.xml")" '<info name="SharedByCUsDiffers" value="sysfs:32x3,8x2,8x1"/>'
  # the same chip: these tables, and correct ones
  run_split "$tool" measure --no-store --only ScalarL1Cache --sim mi100
  is 0 "$status"
  has "$errors" tables
  sed 's/^SharedByCUs = .*/SharedByCUs = 24x3,24x2/' "$HWLOC_GPUCACHE_SIM_PATH/mi100" \
    >"$BATS_TEST_TMPDIR/right"
  run_split "$tool" measure --no-store --only ScalarL1Cache --sim "$BATS_TEST_TMPDIR/right"
  is 0 "$status"
  is '' "$errors"
  has_not "$output" tables
}

@test "wrong driver tables: the message names the profile and the line" {
  sed 's/^NominalBytes = 8388608/NominalBytes = plenty/' "$HWLOC_GPUCACHE_SIM_PATH/mi210" \
    >"$BATS_TEST_TMPDIR/bad"
  run_split "$tool" measure --sim "$BATS_TEST_TMPDIR/bad"
  is 1 "$status"
  [[ $errors =~ bad:[0-9]+:\ wrong\ value\ \'plenty\' ]]
}
