#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# AMD GPUs with driver tables only, and notes of failures.

setup() {
  load setup.bash
  prepare
  unset ROCR_VISIBLE_DEVICES HIP_VISIBLE_DEVICES CUDA_VISIBLE_DEVICES
  node=$BATS_TEST_TMPDIR/node
  amd=GPU-1d3c0ffee000a700
}

# use_amd MODEL [MODEL…]: a machine with these GPUs.
use_amd() {
  local number=1 model
  for model; do
    "$top_srcdir/tests/data/amd-tree.sh" "$node" "$model" $number "0000:$(printf %02x $number):00.0"
    number=$((number + 8))
  done
  use_tree "$node"
}

caveat="no value shown is measured: all come from the kernel driver's tables (sysfs)"

@test "list: model, target, partitions and why nothing can be measured" {
  use_amd mi100 mi300x-cpx rx6800
  run_split "$tool" list
  is 0 "$status"
  is '' "$errors"
  is 11 "${#lines[@]}"
  has "${lines[1]}" "AMD Instinct MI100 (gfx908)"
  has "${lines[1]}" "cannot be measured: HWLOC_FSROOT names a copy: GPUs can be measured only on the machine itself"
  has "${lines[2]}" "AMD GPU gfx942 [1002:74a1]"
  [[ ${lines[9]} =~ -7\ +cannot ]]
  has "${lines[10]}" "AMD GPU gfx1030 [1002:73bf]"
}

@test "show prints the driver tables, says that they are not measured, exit 0" {
  use_amd mi300x
  run_split "$tool" show --all
  is 0 "$status"
  has "$errors" "$caveat"
  has "$errors" "HWLOC_FSROOT names a copy"
  has "$output" "gpu0: AMD Instinct MI300X OAM, 304 CUs at 2100 MHz, driver 6.10.5"
  [[ $output =~ $'\n'\ {2}DeviceMemory\ .*$'\n'\ {4}L3Cache\  ]]
  [[ $output =~ L2Cache\ +4\ MiB\ +4\ MiB\ +128\ B\ .*\ 8\ +sysfs ]]
  has "$output" "ScalarL1Cache: 144 shared by 2 CUs each, 16 used by 1 CU"
  has_not "$output" "no PerCU of ScalarL1Cache"
  is "DeviceMemory L3Cache L2Cache L1Cache ScalarL1Cache LDS InstructionCache" \
    "$(grep -o '^ *[A-Za-z0-9]* .* sysfs ' <<<"$output" | awk '{print $1}' | xargs)"
  has "$output" "the GPU: gfx942, 8 XCDs"
  has_not "$output" measured
  is '' "$(leftovers)"
  # what matters of that
  run_split "$tool" show
  has "$output" "  CUs that share one: L2Cache 38, ScalarL1Cache 1 to 2, InstructionCache 1 to 2"
  has_not "$output" "the GPU: "
  has "$(cat "$top_srcdir/doc/amd.md")" "$output"
}

@test "a message about several partitions is printed once" {
  use_amd mi300x-cpx
  run_split "$tool" show
  is 0 "$status"
  is "hwloc-gpucache: gpu0 to gpu7: HWLOC_FSROOT names a copy: GPUs can be measured only on the machine itself
hwloc-gpucache: gpu0 to gpu7: $caveat. Measuring has never been tried on an AMD GPU" "$errors"
  run_split "$tool" show gpu1 gpu2
  has "$errors" "gpu1, gpu2: $caveat"
  run_split "$tool" show gpu2 gpu1 gpu0
  has "$errors" "gpu2, gpu1, gpu0: $caveat"
  # a GPU with another message, in between
  HWLOC_GPUCACHE_SIM=$tiny run_split "$tool" show gpu3 gpu8 gpu4 gpu5 gpu6
  has "$errors" "gpu3 to gpu6: $caveat"
}

@test "show --json prints the driver tables for programs" {
  command -v jq > /dev/null || skip "jq is not installed"
  use_amd rx6800
  run_split "$tool" show --json
  is 0 "$status"
  has "$errors" "$caveat"
  local json=$output
  is "facts of the kernel driver (sysfs), nothing measured" "$(jq -r '.[0].Status' <<< "$json")"
  is "HWLOC_FSROOT names a copy: GPUs can be measured only on the machine itself" "$(jq -r '.[0].problem' <<< "$json")"
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

@test "a GPU that cannot be measured beside others is a failure only if it is named" {
  use_amd mi100 # without access
  HWLOC_GPUCACHE_SIM=$tiny run_split "$tool" measure
  is 0 "$status"
  has "$errors" "gpu0: HWLOC_FSROOT names a copy"
  has "$output" "gpu1: Tiny Test GPU"
  HWLOC_GPUCACHE_SIM=$tiny run_split "$tool" measure
  is 0 "$status"
  has "$output" "gpu1: already measured"
  HWLOC_GPUCACHE_SIM=$tiny run_split "$tool" measure gpu0 gpu1
  is 3 "$status"
  rm -r "$node/sys/class/kfd" # and no driver tables
  HWLOC_GPUCACHE_SIM=$tiny run_split "$tool" show
  is 0 "$status"
  has "$errors" "gpu0: the amdgpu kernel driver has no compute node (KFD) for it"
  has "$output" "gpu1: Tiny Test GPU"
  HWLOC_GPUCACHE_SIM=$tiny run_split "$tool" show gpu0 gpu1
  is 3 "$status"
  # a GPU of --sim is a named one
  HWLOC_GPUCACHE_SIM=$tiny,nonsense run_split "$tool" show
  is 3 "$status"
  # GPUs beside it that could not be measured
  use_node
  HWLOC_GPUCACHE_SIM=$tiny run_split "$tool" measure
  is 1 "$status"
  has "$errors" "gpu1: cannot"
  has "$output" "gpu3: already measured"
  run_split "$tool" measure
  is 3 "$status"
}

@test "show --xml fails without a record" {
  use_amd mi100
  run_split "$tool" show --xml
  is 3 "$status"
  is '' "$output"
}

@test "measure without access: exit 3, nothing stored" {
  use_amd mi100
  run_split "$tool" measure
  is 3 "$status"
  is '' "$output"
  has "$errors" "HWLOC_FSROOT names a copy"
  is '' "$(find "$records" -type f 2> /dev/null)"
}

@test "a GPU without a compute node: nothing can be shown, exit 3" {
  use_amd mi100
  rm -r "$node/sys/class/kfd"
  run_split "$tool" show
  is 3 "$status"
  is '' "$output"
  has "$errors" "the amdgpu kernel driver has no compute node (KFD) for it"
  run_split "$tool" list
  is 0 "$status"
  has "$output" "AMD Instinct MI100"
}

@test "a failure is noted, listed, and purged" {
  use_node # NVIDIA, with a driver that does not answer
  local note=$records/GPU-11111111-0000-0000-0000-000000000017.failed
  run_split "$tool" measure gpu0
  is 3 "$status"
  [ -f "$note" ]
  run_split "$tool" list
  [[ ${lines[1]} =~ failed\ 20..-..-..T..:..:..Z:\ cannot\ load\ the\ CUDA\ driver ]]
  [[ ${lines[2]} =~ none$ ]]
  # the command tries again, and notes the failure again
  rm "$note"
  run_split "$tool" measure gpu0
  is 3 "$status"
  [ -f "$note" ]
  run_split "$tool" purge gpu0
  is 0 "$status"
  has "$output" "removed the note that measuring GPU-11111111-0000-0000-0000-000000000017 failed"
  [ ! -e "$note" ]
  run_split "$tool" measure gpu0
  [ -f "$note" ]
  run_split "$tool" purge
  is 0 "$status"
  is "removed the note that measuring GPU-11111111-0000-0000-0000-000000000017 failed" "$output"
  [ ! -e "$note" ]
  run_split "$tool" purge
  is "there are no records to remove" "$output"
}

@test "list shows a failure beside a stale or unreadable record" {
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

# with_cuda ERROR COMMAND…: run_split with a stand-in for the CUDA driver that returns this error.
with_cuda() {
  FAKE_CUDA_GPUS=0000:17:00.0=GPU-11111111-0000-0000-0000-000000000017 FAKE_CUDA_FAIL=$1 \
    LD_LIBRARY_PATH=$top_builddir/tests/unit/fake-cuda/.libs run_split "${@:2}"
}

@test "only a GPU without kernels has a note for a day" {
  use_node
  local note=$records/GPU-11111111-0000-0000-0000-000000000017.failed case
  # exclusive to another job; fabric manager not up; no device for this user; an error of the driver
  for case in cuDeviceGetCount=46:passes:1 cuInit=802:passes:3 cuInit=100:passes:3 cuDeviceGetCount=2:passes:1 \
    cuDeviceGetCount=999:passes:1 cuDeviceGetCount=209:lasts:1 cuDeviceGetCount=222:lasts:1 \
    cuDeviceGetCount=801:lasts:1; do
    rm -f "$note"
    with_cuda "${case%%:*}" "$tool" measure gpu0
    echo "$case: $errors"
    is "${case##*:}" "$status"
    case=${case#*:}
    is "kind: ${case%:*}" "$(grep '^kind' "$note")"
  done
}

@test "a note does not call the GPU by its number" {
  use_node
  local note=$records/GPU-11111111-0000-0000-0000-000000000017.failed
  with_cuda cuInit=802 "$tool" measure gpu0
  has "$errors" "gpu0: cannot initialize CUDA for gpu0: "
  is "why: cannot initialize CUDA for this GPU: CUDA error 802" "$(grep '^why' "$note")"
}

@test "a failure that is not the GPU's has no note" {
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

@test "a new record removes the note of a failure" {
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

@test "the driver tables complete a measured record, except with --only" {
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

# put_ids FILE: writes a database like pci.ids into the tree.
put_ids() {
  mkdir -p "$node/usr/share/${1%/*}"
  printf '%b\n' '# comment' '10de  NVIDIA Corporation' '\t73bf  of another vendor' \
    '1002  Advanced Micro Devices, Inc. [AMD/ATI]' '\t74a1  Aqua Vanjaram [Instinct MI300X]' \
    '# comment' '\t73be  Navi 20' '\t\t73bf 0e3a  of a subsystem' \
    '\t73bf  Navi 21 [Radeon RX 6800/6800 XT / 6900 XT]' '1003  next' '\t73bf  of the next vendor' \
    >"$node/usr/share/$1"
}

@test "names come from pci.ids if the driver states none" {
  local ids
  use_amd rx6800 mi100
  for ids in misc/pci.ids hwdata/pci.ids; do
    put_ids $ids
    run_split "$tool" list
    is 0 "$status"
    has "${lines[1]}" "AMD Navi 21 [Radeon RX 6800/6800 XT / 6900 XT] (gfx1030)  0000:01:00.0"
    has "${lines[2]}" "AMD Instinct MI100 (gfx908)" # its driver names it
    run_split "$tool" show gpu0
    has "$output" "gpu0: AMD Navi 21 [Radeon RX 6800/6800 XT / 6900 XT], 60 CUs"
    rm "$node/usr/share/$ids"
  done
}

@test "a pci.ids that is of no use changes nothing" {
  local file=$node/usr/share/misc/pci.ids
  use_amd rx6800
  put_ids misc/pci.ids
  sed -i '/^\t73bf/d' "$file"
  has "$("$tool" list)" "AMD GPU gfx1030 [1002:73bf]  "
  : >"$file"
  has "$("$tool" list)" "AMD GPU gfx1030 [1002:73bf]  "
  printf '1002  AMD\n\t73bf  ' >"$file" # ends there
  has "$("$tool" list)" "AMD GPU gfx1030 [1002:73bf]  "
  head -c 100000 /dev/zero | tr '\0' '\t' >"$file"
  has "$("$tool" list)" "AMD GPU gfx1030 [1002:73bf]  "
  rm "$file"
  mkfifo "$file"
  has "$("$tool" list)" "AMD GPU gfx1030 [1002:73bf]  "
  rm "$file"
  mkdir "$file"
  has "$("$tool" list)" "AMD GPU gfx1030 [1002:73bf]  "
  rmdir "$file"
  printf '1002  AMD\n\t73bf  Na\001v\377%02000d' 0 >"$file" # long, and not text
  run_split "$tool" list
  is 0 "$status"
  has "$output" "AMD Na?v?0000"
  [ "${#lines[1]}" -lt 300 ]
}
