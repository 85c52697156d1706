#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The command measures only what the job may use. The stand-in for CUDA of tests/unit obeys CUDA's variables, and
# notes the GPUs that get a context. Without a context nothing runs on a GPU.

setup() {
  load setup.bash
  prepare
  use_node
  gpu0=GPU-11111111-0000-0000-0000-000000000017
  gpu1=GPU-22222222-0000-0000-0000-000000000097
  # the second GPU is the fastest
  export FAKE_CUDA_GPUS=0000:97:00.0=$gpu1,0000:17:00.0=$gpu0
  export FAKE_CUDA_LOG=$BATS_TEST_TMPDIR/used
  : >"$FAKE_CUDA_LOG"
}

# with_cuda COMMAND…: run_split with the stand-in.
with_cuda() { LD_LIBRARY_PATH=$top_builddir/tests/unit/fake-cuda/.libs run_split "$@"; }

used() { cat "$FAKE_CUDA_LOG"; }

note() { sed -n 's/^why: //p' "$records/$1.failed"; }

@test "a GPU that CUDA_VISIBLE_DEVICES hides is not measured: a message, exit 3, no record" {
  local hidden
  for hidden in -1 NoDevFiles -1,0 7 0,0 $gpu0 GPU-1 GPU-,$gpu1 MIG-$gpu1/1/0; do
    CUDA_VISIBLE_DEVICES=$hidden with_cuda "$tool" measure gpu1
    is 3 "$status"
    is '' "$output"
    is "hwloc-gpucache: gpu1: CUDA_VISIBLE_DEVICES is '$hidden', which hides this GPU; measure it in a job that may use it" \
      "$errors"
    is '' "$(leftovers)"
  done
  CUDA_VISIBLE_DEVICES= with_cuda "$tool" measure --force
  is 3 "$status"
  is "hwloc-gpucache: gpu0, gpu1: CUDA_VISIBLE_DEVICES is empty, which hides this GPU; measure it in a job that may use it" \
    "$errors"
  is '' "$(used)"
}

@test "list names the variable; show says it" {
  CUDA_VISIBLE_DEVICES=GPU-2 run_split "$tool" list
  is 0 "$status"
  [[ ${lines[1]} == *"cannot be measured: CUDA_VISIBLE_DEVICES is 'GPU-2', which hides this GPU"* ]]
  [[ ${lines[2]} =~ none$ ]]
  CUDA_VISIBLE_DEVICES=GPU-2 run_split "$tool" show gpu0
  is 3 "$status"
  has "$errors" "gpu0: CUDA_VISIBLE_DEVICES is 'GPU-2', which hides this GPU"
}

@test "without a name, the GPUs that the job may use are measured, and only those" {
  CUDA_VISIBLE_DEVICES=$gpu0 with_cuda "$tool" measure
  is "$gpu0" "$(used)"
  has "$errors" "gpu1: CUDA_VISIBLE_DEVICES is '$gpu0', which hides this GPU"
}

@test "indices: CUDA decides, and another job's GPU gets no context" {
  CUDA_VISIBLE_DEVICES=0 with_cuda "$tool" measure gpu0
  is 3 "$status"
  is '' "$output"
  has "$errors" "gpu0: CUDA_VISIBLE_DEVICES is '0', which hides gpu0 ($gpu0): CUDA shows 1 device, and not this one"
  is '' "$(used)"
  # the answer is noted, for the same variables
  has "$(note "$gpu0")" "CUDA_VISIBLE_DEVICES is '0', which hides this GPU ($gpu0)"
  CUDA_VISIBLE_DEVICES=0 with_cuda "$tool" list
  has "${lines[1]}" "CUDA_VISIBLE_DEVICES is '0', which hides"
  with_cuda "$tool" list
  has_not "${lines[1]}" hides
  CUDA_VISIBLE_DEVICES=0 CUDA_DEVICE_ORDER=PCI_BUS_ID with_cuda "$tool" list
  has_not "${lines[1]}" hides

  CUDA_VISIBLE_DEVICES=0 with_cuda "$tool" measure gpu1
  is "$gpu1" "$(used)"
}

@test "indices in the order of bus ids are decided without CUDA" {
  CUDA_VISIBLE_DEVICES=0 CUDA_DEVICE_ORDER=PCI_BUS_ID FAKE_CUDA_FAIL=cuInit=999 with_cuda "$tool" measure gpu1
  is 3 "$status"
  has "$errors" "CUDA_VISIBLE_DEVICES is '0', which hides this GPU"
  has_not "$errors" CUDA_ERROR
  CUDA_VISIBLE_DEVICES=0 CUDA_DEVICE_ORDER=PCI_BUS_ID with_cuda "$tool" measure gpu0
  is "$gpu0" "$(used)"
}

@test "a fleet leaves another job's GPU alone" {
  CUDA_VISIBLE_DEVICES=1 with_cuda "$tool" measure
  [ "$status" -ne 0 ]
  is "$gpu0" "$(used)"
  has "$errors" "gpu1: CUDA_VISIBLE_DEVICES is '1', which hides gpu1"
}

@test "a device node that refuses is named" {
  [ "$(id -u)" != 0 ] || command -v setpriv >/dev/null || skip "no setpriv"
  mkdir -p "$BATS_TEST_TMPDIR/node/dev"
  : >"$BATS_TEST_TMPDIR/node/dev/nvidia1"
  chmod 444 "$BATS_TEST_TMPDIR/node/dev/nvidia1"
  with_cuda "${plain[@]}" "$tool" measure gpu1
  is 3 "$status"
  is "hwloc-gpucache: gpu1: this user may not open /dev/nvidia1: ask the administrator for access, often by a group such as render or video" \
    "$errors"
  is '' "$(used)"
}

# mig_node: both GPUs in MIG mode; the first has one instance, the second has two.
mig_node() {
  local instance minor gi dir
  for instance in 0/1 1/1 1/2; do
    minor=${instance%/*} gi=${instance#*/}
    dir=$BATS_TEST_TMPDIR/node/proc/driver/nvidia/capabilities/gpu$minor/mig/gi$gi
    mkdir -p "$dir/ci0"
    echo "DeviceFileMinor: $minor$gi" >"$dir/access"
    echo "DeviceFileMinor: $minor${gi}0" >"$dir/ci0/access"
  done
}

@test "MIG: an instance has its own line, and a GPU in MIG mode says so" {
  mig_node
  run_split "$tool" list
  is 0 "$status"
  is 4 "${#lines[@]}"
  [[ ${lines[1]} == *"$gpu0 "*"in MIG mode (gi1/ci0): not the whole GPU but the instance MIG-$gpu0-gi1-ci0 is measured" ]]
  [[ ${lines[2]} == *"$gpu1 "*"in MIG mode (gi1/ci0,gi2/ci0): set CUDA_VISIBLE_DEVICES to the UUID of one instance (nvidia-smi -L lists them)" ]]
  [[ ${lines[3]} =~ ^gpu2\ +"NVIDIA H100 MIG instance"\ +"0000:17:00.0"\ +MIG-$gpu0-gi1-ci0\ +none$ ]]
}

@test "MIG: the named instance is measured, no other one and no whole GPU" {
  mig_node
  local one=MIG-c7384736-a75d-5afc-978f-d2f1294409fd other=MIG-00384736-a75d-5afc-978f-d2f1294409fd
  export FAKE_CUDA_GPUS=0000:97:00.0=$other,0000:97:00.0=$one
  CUDA_VISIBLE_DEVICES=$one with_cuda "$tool" measure
  is "$one" "$(used)"
  CUDA_VISIBLE_DEVICES=$one with_cuda "$tool" measure gpu1
  is 3 "$status"
  has "$errors" "gpu1: in MIG mode"
  is "$one" "$(used)"
}

@test "MIG: the only instance is measured if CUDA shows it, else not" {
  mig_node
  rm -r "$BATS_TEST_TMPDIR/node/proc/driver/nvidia/capabilities/gpu1/mig/gi2"
  local one=MIG-c7384736-a75d-5afc-978f-d2f1294409fd
  # CUDA shows one instance, of the second GPU
  FAKE_CUDA_GPUS=0000:97:00.0=$one with_cuda "$tool" measure MIG-$gpu0-gi1-ci0
  is 3 "$status"
  is '' "$(used)"
  FAKE_CUDA_GPUS=0000:97:00.0=$one with_cuda "$tool" measure MIG-$gpu1-gi1-ci0
  is "$one" "$(used)"
}

@test "MIG: what CUDA shows at the place of a GPU is not taken for the GPU" {
  FAKE_CUDA_GPUS=0000:17:00.0=MIG-c7384736-a75d-5afc-978f-d2f1294409fd CUDA_VISIBLE_DEVICES=0 \
    with_cuda "$tool" measure gpu0
  is 3 "$status"
  has "$errors" "gpu0: CUDA shows an instance of gpu0 ($gpu0) in place of the whole GPU, which is in MIG mode"
  is '' "$(used)"
}
