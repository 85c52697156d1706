#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What a load remembers of the GPUs for the next process. The driver's file is changed while
# everything else stays, which does not happen on a real node: then the load shows what it has
# remembered, and so that it has not read the file.

setup() {
  load setup.bash
  prepare
  [ "$(stat -f -c %T /dev/shm 2>&1)" = tmpfs ] && [ -w /dev/shm ] || skip "/dev/shm is not a writable tmpfs"
  use_node
  memory=$(mktemp -d /dev/shm/gpucache-test-XXXXXX)
  export XDG_RUNTIME_DIR=$memory
  remembered=$memory/hwloc-gpucache/remembered
}

teardown() {
  [ -z "${memory-}" ] || rm -rf "$memory"
}

# another_uuid BUSID UUID: the driver's file has another UUID from now on.
another_uuid() {
  sed -i "s/GPU UUID:.*/GPU UUID: \t $2/" "$HWLOC_FSROOT/proc/driver/nvidia/gpus/$1/information"
}

# uuid BUSID: what a load shows.
uuid() { info GPUCacheUUID "pci=$1"; }

# remake NODE: as the kernel makes a node of sysfs again; it has another inode number.
remake() {
  cp -a "$HWLOC_FSROOT$1" "$BATS_TEST_TMPDIR/copy"
  rm -rf "$HWLOC_FSROOT$1"
  mv "$BATS_TEST_TMPDIR/copy" "$HWLOC_FSROOT$1"
}

new=GPU-33333333-0000-0000-0000-000000000033

@test "a second process does not read the driver's file" {
  is $gpu0 "$(uuid 17:00.0)"
  [ -s "$remembered" ]
  another_uuid 0000:17:00.0 $new
  is $gpu0 "$(uuid 17:00.0)"
  is $gpu1 "$(uuid 97:00.0)"
}

@test "after the driver was loaded again, its file is read" {
  is $gpu0 "$(uuid 17:00.0)"
  another_uuid 0000:17:00.0 $new
  remake /sys/module/nvidia
  is $new "$(uuid 17:00.0)"
}

@test "after one GPU was bound again, only its file is read" {
  is $gpu0 "$(uuid 17:00.0)"
  another_uuid 0000:17:00.0 $new
  another_uuid 0000:97:00.0 GPU-other
  remake /sys/bus/pci/drivers/nvidia/0000:17:00.0
  is $new "$(uuid 17:00.0)"
  is $gpu1 "$(uuid 97:00.0)"
}

@test "with another version of the driver its file is read" {
  is $gpu0 "$(uuid 17:00.0)"
  another_uuid 0000:17:00.0 $new
  sed -i 's/580\.159\.04/999.1.2/' "$HWLOC_FSROOT/proc/driver/nvidia/version"
  is $new "$(FAKE_TOOL_DRIVER=999.1.2 uuid 17:00.0)"
}

@test "a damaged file is not used, and is replaced" {
  is $gpu0 "$(uuid 17:00.0)"
  another_uuid 0000:17:00.0 $new
  head -c 100 "$remembered" > "$BATS_TEST_TMPDIR/cut"
  cat "$BATS_TEST_TMPDIR/cut" > "$remembered"
  is $new "$(uuid 17:00.0)"
  another_uuid 0000:17:00.0 $gpu0
  is $new "$(uuid 17:00.0)"
}

@test "a GPU that was taken out is not shown" {
  is $gpu0 "$(uuid 17:00.0)"
  rm -r "$HWLOC_FSROOT"/proc/driver/nvidia/gpus/0000:17:00.0 \
    "$HWLOC_FSROOT"/sys/bus/pci/d*/0000:17:00.0 "$HWLOC_FSROOT"/sys/bus/pci/drivers/nvidia/0000:17:00.0
  run topology
  has_not gpu1-L1
  is $gpu1 "$(uuid 97:00.0)"
}

@test "the command reads the driver's file, and corrects what is remembered" {
  is $gpu0 "$(uuid 17:00.0)"
  another_uuid 0000:17:00.0 $new
  run "$top_builddir/hwloc-gpucache" list
  has $new
  is $new "$(uuid 17:00.0)"
}

@test "without a directory the topology is the same" {
  topology > "$BATS_TEST_TMPDIR/first"
  topology > "$BATS_TEST_TMPDIR/second"
  rm -r "${remembered%/*}"
  touch "${remembered%/*}"
  topology > "$BATS_TEST_TMPDIR/third"
  unset XDG_RUNTIME_DIR
  topology > "$BATS_TEST_TMPDIR/fourth"
  for other in second third fourth; do
    diff "$BATS_TEST_TMPDIR/first" "$BATS_TEST_TMPDIR/$other"
  done
  is 2 "$(starts)"
}

@test "the benchmark of fresh processes uses what is remembered" {
  topology > /dev/null
  run sh "$top_srcdir/tests/bench/fresh.sh" 3
  is 0 "$status"
  has "1 GPU with a record"
  has "2 GPUs with a record"
  has "each further GPU"
  has "the driver's file of one GPU"
}
