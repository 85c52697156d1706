#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The process that measures is killed while others wait for it.

setup() {
  load setup.bash
  load ../data/mi210-node.bash
  prepare_many
  [ -r /proc/locks ] || skip "there is no /proc/locks here"
  slow=$top_builddir/tests/tool/.libs/libslow.so
  [ -e "$slow" ] || skip "$slow is not built"
  all_killed=$BATS_TEST_TMPDIR/all-killed
}

# An AMD GPU, whose failures are remembered, in place of the simulated one.
use_amd() {
  unset HWLOC_GPUCACHE_SIM ROCR_VISIBLE_DEVICES HIP_VISIBLE_DEVICES CUDA_VISIBLE_DEVICES
  export LD_LIBRARY_PATH=$top_builddir/tests/unit/hip-6/.libs
  use_mi210
  FAKE_HIP_FAIL=hipInit=100 run "$real_tool" measure --no-store
  [[ $output != *'without kernels'* ]] || skip "this build has no kernels for gfx90a"
}

# preload LIBRARY…: loads start the tool with these libraries, and it stores no record until all are killed: so none
# ends before it is killed, however fast the machine is.
preload() {
  printf '#!/bin/sh\nSLOW_UNTIL="%s" LD_PRELOAD="%s" exec "%s" "$@"\n' "$all_killed" "$SANITIZER_PRELOAD $slow $*" \
    "$real_tool" > "$BATS_TEST_TMPDIR/tool"
  chmod +x "$BATS_TEST_TMPDIR/tool"
  export HWLOC_GPUCACHE_TOOL=$BATS_TEST_TMPDIR/tool
}

# The process that holds the lock of this GPU, and so measures it; fails if there is none.
measurer() {
  local inode
  inode=$(stat -c %i "$HWLOC_GPUCACHE_DIR/$1.lock" 2>/dev/null) || return
  awk -v inode="$inode" '$2 == "FLOCK" && $6 ~ ":" inode "$" { print $5; found = 1; exit }
                         END { exit !found }' /proc/locks
}

# A record is being written.
unfinished() { compgen -G "$HWLOC_GPUCACHE_DIR/.*.xml.tmp-*" > /dev/null; }

# kill_measurers ID COUNT MOMENT…: while COUNT + 4 processes load, kills the one that measures this
# GPU, COUNT times, after the command MOMENT. Prints the output of many and how many were killed.
kill_measurers() {
  local id=$1 count=$2 killed=0 pid background
  shift 2
  rm -f "$all_killed"
  "$topo_many" processes $((count + 4)) > "$BATS_TEST_TMPDIR/out" 2>&1 3>&- &
  background=$!
  while [ $killed -lt "$count" ] && kill -0 $background 2>/dev/null; do
    pid=$(measurer "$id") && "$@" || { sleep 0.02; continue; }
    ! kill -KILL "$pid" 2>/dev/null || killed=$((killed + 1))
    while [ "$(measurer "$id")" = "$pid" ]; do sleep 0.01; done
  done
  touch "$all_killed"
  wait $background || echo "many failed"
  cat "$BATS_TEST_TMPDIR/out"
  echo "killed $killed"
}

# random_moment [SECONDS]: within 0.3 s, or so long after these seconds (0).
random_moment() { sleep "${1:-0}.$(printf %03d $((RANDOM % 300)))"; }

# The loads that saw their own process killed may say so. All others have the record.
all_is_well() { # ID KILLS
  local measured
  is "$2" "$(value killed)"
  is 1 "$(value written)"
  measured=$(statuses | sed -n 's/^\([0-9]*\) measured$/\1/p')
  [ "$measured" -ge $(($(value loads) - $(value killed))) ]
  is '' "$(statuses | grep -Ev '^[0-9]+ (measured|.*killed by signal 9.*)$')"
  is "./$1.xml " "$(files)"
  HWLOC_GPUCACHE=cached run "$topo_many" processes 1
  is "1 measured" "$(statuses)"
}

@test "the measuring process is killed at random moments: another takes over" {
  RANDOM=${MANY_SEED:=$(date +%s)}
  preload
  run kill_measurers sim-tiny "$kills" random_moment
  figures "kill -9 at random moments"
  printf 'MANY_SEED=%s\n%s\n' "$MANY_SEED" "$output"
  all_is_well sim-tiny "$kills"
}

# One kill each time: when two in a row are killed, loads give up for some minutes.
@test "the same for a GPU whose failures are remembered, with one kill" {
  local round fast
  use_amd
  fast=$(fast_machine)
  preload "$fast"
  RANDOM=${MANY_SEED:=$(date +%s)}
  for ((round = 0; round < (kills + 2) / 3; round++)); do
    rm -f "$HWLOC_GPUCACHE_DIR"/*
    # a failure counts for a process that was started at least a second before
    run kill_measurers GPU-0123456789abcdef 1 random_moment 1
    figures "kill -9 at a random moment, AMD GPU"
    printf 'MANY_SEED=%s\n%s\n' "$MANY_SEED" "$output"
    all_is_well GPU-0123456789abcdef 1
  done
}

@test "it is killed while it writes the record: the next one removes the unfinished file" {
  preload
  run kill_measurers sim-tiny 1 unfinished
  echo "$output"
  all_is_well sim-tiny 1
}
