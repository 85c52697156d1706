#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# A topology load measures only what the job may use: variables, device nodes, MIG instances.

setup() {
  load setup.bash
  prepare
  use_node
}

# gpu_status BUS: GPUCacheStatus of the PCI device.
gpu_status() { info GPUCacheStatus "pci=$1:00.0"; }

# has_line WORD: the log of starts has it.
has_line() { grep -q -- "$1" "$FAKE_TOOL_LOG" || { cat "$FAKE_TOOL_LOG"; return 1; }; }

@test "a GPU that the variable hides is not measured, and its status names the variable" {
  export CUDA_VISIBLE_DEVICES=GPU-2
  topology > /dev/null
  is 1 "$(starts)"
  has_line "$gpu1"
  is measured "$(gpu_status 97)"
  is "CUDA_VISIBLE_DEVICES is 'GPU-2', which hides this GPU; measure it in a job that may use it" "$(gpu_status 17)"
  is 1 "$(starts)"
  is '' "$(find "$HWLOC_GPUCACHE_DIR" -name "$gpu0*")"
}

@test "if all GPUs are hidden, nothing is started" {
  local list
  for list in '' -1 0,0 NoDevFiles 7; do
    CUDA_VISIBLE_DEVICES=$list topology > /dev/null
    is 0 "$(starts)"
  done
  CUDA_VISIBLE_DEVICES= run gpu_status 97
  is "CUDA_VISIBLE_DEVICES is empty, which hides this GPU; measure it in a job that may use it" "$output"
}

@test "a hidden GPU shows its record, also with refresh" {
  topology > /dev/null
  is 2 "$(starts)"
  export CUDA_VISIBLE_DEVICES=
  is measured "$(gpu_status 17)"
  is 222208 "$(info CapacityBytes 'os=gpu0-L1 217KiB x132')"
  HWLOC_GPUCACHE=refresh run gpu_status 97
  is "measured earlier, not refreshed: CUDA_VISIBLE_DEVICES is empty, which hides this GPU; measure it in a job that may use it" "$output"
  is 2 "$(starts)"
}

@test "a hidden GPU with a stale record says both" {
  topology > /dev/null
  sed -i 's/580\.159\.04/999.1.2/' "$HWLOC_FSROOT/proc/driver/nvidia/version"
  CUDA_VISIBLE_DEVICES=-1 run gpu_status 17
  has 'was made with driver "580.159.04", now it is "999.1.2"; CUDA_VISIBLE_DEVICES is '"'-1'"
  is 2 "$(starts)"
}

@test "what only CUDA can decide, the tool decides, and the answer is remembered for these variables" {
  # the tool refuses as with another job's GPU
  cat > "$BATS_TEST_TMPDIR/tool" <<'END'
#!/bin/bash
for id in "$@"; do :; done
echo "$id $CUDA_VISIBLE_DEVICES" >> "$FAKE_TOOL_LOG"
exec "$REAL_TOOL" "$@"
END
  chmod +x "$BATS_TEST_TMPDIR/tool"
  export HWLOC_GPUCACHE_TOOL=$BATS_TEST_TMPDIR/tool REAL_TOOL=$top_builddir/hwloc-gpucache
  export LD_LIBRARY_PATH=$top_builddir/tests/unit/fake-cuda/.libs
  export FAKE_CUDA_GPUS=0000:97:00.0=$gpu1,0000:17:00.0=$gpu0 FAKE_CUDA_LOG=$BATS_TEST_TMPDIR/used
  : > "$FAKE_CUDA_LOG"
  export CUDA_VISIBLE_DEVICES=1
  topology > /dev/null
  is 2 "$(starts)"
  is "$gpu0" "$(cat "$FAKE_CUDA_LOG")"
  run gpu_status 97
  [[ $output =~ ^"not measured: CUDA_VISIBLE_DEVICES is '1', which hides this GPU ($gpu1): CUDA shows 1 device, and not this one; measure it in a job that may use it (remembered since " ]]
  is 2 "$(starts)"
  CUDA_VISIBLE_DEVICES=0,1 topology > /dev/null
  is 4 "$(starts)"
}

@test "indices in the order of bus ids need no tool" {
  CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=1 topology > /dev/null
  is 1 "$(starts)"
  has_line "$gpu1"
}

@test "a device node that refuses is named, and nothing is started for it" {
  [ "$(id -u)" != 0 ] || skip "root may open everything"
  mkdir -p "$HWLOC_FSROOT/dev"
  : > "$HWLOC_FSROOT/dev/nvidia0"
  chmod 444 "$HWLOC_FSROOT/dev/nvidia0"
  topology > /dev/null
  is 1 "$(starts)"
  has_line "$gpu1"
  run gpu_status 17
  has "this user may not open /dev/nvidia0: ask the administrator for access"
}

@test "a device node that refuses root without its capabilities" {
  [ "$(id -u)" = 0 ] || skip "for root; the test before is for other users"
  command -v setpriv > /dev/null || skip "no setpriv"
  mkdir -p "$HWLOC_FSROOT/dev"
  : > "$HWLOC_FSROOT/dev/nvidia0"
  chmod 444 "$HWLOC_FSROOT/dev/nvidia0"
  setpriv --bounding-set=-dac_override,-dac_read_search -- "$LSTOPO" --of console > /dev/null
  is 1 "$(starts)"
  has_line "$gpu1"
}

instance=MIG-c7384736-a75d-5afc-978f-d2f1294409fd

@test "MIG: the record of the whole GPU is not shown, and the PCI device says that it is in MIG mode" {
  topology > /dev/null
  is 2 "$(starts)"
  mig_instance 0 1 0
  mig_instance 0 2 0
  run topology
  has_not gpu0-L1
  has gpu1-L1
  is 2 "$(starts)"
  run gpu_status 17
  has 'was made with MIG or partition state "disabled", now it is "gi1/ci0,gi2/ci0"'
  has "in MIG mode (gi1/ci0,gi2/ci0): set CUDA_VISIBLE_DEVICES to the UUID of one instance"
}

@test "MIG: an instance has a record of its own, under the PCI device" {
  mig_instance 0 1 0
  mig_instance 0 2 0
  export CUDA_VISIBLE_DEVICES=$instance
  topology > /dev/null
  is 1 "$(starts)"
  has_line " $instance"
  [ -f "$HWLOC_GPUCACHE_DIR/$instance.xml" ]
  run topology
  is 1 "$(starts)"
  has "PCI 17:00.0 (3D)"
  has '"gpu2-L1 217KiB x132"'
  is "$instance" "$(info GPUCacheUUID 'os=gpu2-Memory 80GiB')"
  is measured "$(info GPUCacheStatus 'os=gpu2-Memory 80GiB')"
  # the PCI device is the whole GPU
  is "in MIG mode (gi1/ci0,gi2/ci0): not the whole GPU but the instance $instance is measured" "$(gpu_status 17)"
  is '' "$(info GPUCacheL1CapacityBytes pci=17:00.0)"
  is '' "$(info GPUCacheUUID pci=17:00.0)"
  # another instance does not get this record
  CUDA_VISIBLE_DEVICES=MIG-00384736-a75d-5afc-978f-d2f1294409fd FAKE_TOOL_DOES=silent run topology
  has_not gpu2-L1
  is 2 "$(starts)"
}

@test "MIG: the only instance needs no variable; a change of its GPU instance makes the record stale" {
  mig_instance 0 1 0
  FAKE_TOOL_MIG=gi1/ci0 topology > /dev/null
  is 2 "$(starts)"
  has_line " MIG-$gpu0-gi1-ci0"
  run topology
  has gpu2-L1
  is 2 "$(starts)"
  mig_instance 0 1 1 # shares L2 and memory with it
  CUDA_VISIBLE_DEVICES=MIG-$gpu0/1/0 FAKE_TOOL_DOES=silent run topology
  has_not gpu2-L1
  is 3 "$(starts)"
}

@test "MIG: an instance without a record says why, and names itself" {
  mig_instance 0 1 0
  export HWLOC_GPUCACHE=cached
  run info GPUCacheStatus pci=17:00.0
  has "in MIG mode (gi1/ci0): not the whole GPU"
  has "MIG-$gpu0-gi1-ci0: no record; HWLOC_GPUCACHE=cached forbids measuring"
}

@test "MIG: without an instance that the process may use, the status says what to do" {
  mig_instance 0 1 0
  rm -r "$HWLOC_FSROOT/proc/driver/nvidia/capabilities/gpu0/mig/gi1/ci0"
  topology > /dev/null
  run gpu_status 17
  is "in MIG mode without an instance that this process may use; the administrator creates one with nvidia-smi mig and gives access to its nodes in /dev/nvidia-caps" "$output"
  is 1 "$(starts)"
}

@test "AMD: ROCR_VISIBLE_DEVICES and HIP_VISIBLE_DEVICES hide, and the tables stay" {
  "$top_srcdir/tests/data/amd-tree.sh" "$HWLOC_FSROOT" mi100 1 0000:a7:00.0
  mkdir -p "$HWLOC_FSROOT/dev"
  : > "$HWLOC_FSROOT/dev/kfd"
  local variable
  for variable in ROCR_VISIBLE_DEVICES HIP_VISIBLE_DEVICES GPU_DEVICE_ORDINAL; do
    : > "$FAKE_TOOL_LOG"
    run env CUDA_VISIBLE_DEVICES= $variable=1 hwloc-info pci=a7:00.0
    has "facts of the kernel driver (sysfs), nothing measured: $variable is '1', which hides this GPU"
    is 0 "$(starts)"
  done
}
