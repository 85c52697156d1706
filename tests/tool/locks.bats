#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# One process at a time measures a GPU: also on file systems without locks, when the measuring process is
# killed, and when it hangs.

setup() {
  load setup.bash
  prepare
  faults="$top_builddir/tests/tool/.libs/libfaults.so"
}

# on_faulty WORDS COMMAND…: on a file system with these faults (see faults.c).
on_faulty() {
  [ -e "$faults" ] || skip "$faults is not built"
  FAULTS=$1 LD_PRELOAD="$SANITIZER_PRELOAD $faults" "${@:2}"
}

is_gone() { [ ! -e "/proc/$1" ] || grep -q '^State:.*Z' "/proc/$1/status"; }

# two_at_once WORDS COMMAND…: runs it twice at the same time on a file system with these faults.
two_at_once() {
  local first second
  on_faulty "$1" "${@:2}" >"$BATS_TEST_TMPDIR/out1" 2>"$BATS_TEST_TMPDIR/err1" 3>&- &
  first=$!
  on_faulty "$1" "${@:2}" >"$BATS_TEST_TMPDIR/out2" 2>"$BATS_TEST_TMPDIR/err2" 3>&- &
  second=$!
  wait $first
  wait $second
  cat "$BATS_TEST_TMPDIR"/err?
}

@test "a file system without flock: measured once" {
  two_at_once flock "$tool" measure --sim "$tiny"
  # the other one has waited, or has come when the record was there
  cat "$BATS_TEST_TMPDIR"/err? | { ! grep -v 'another process.* is measuring this GPU; waiting'; }
  is "$records/sim-tiny.xml" "$(leftovers)"
}

@test "without locks: a simulated GPU is measured by each process, and each record is complete" {
  two_at_once flock,fcntl "$tool" measure --sim "$tiny"
  is '' "$(cat "$BATS_TEST_TMPDIR"/err?)"
  is "$records/sim-tiny.xml" "$(leftovers)"
  run "$tool" measure --sim "$tiny"
  has "$output" 'already measured'
  on_faulty flock,fcntl "$tool" measure --force --sim "$tiny"
}

@test "without locks: the GPU is locked in sysfs, and measured once" {
  load ../data/mi210-node.bash
  use_mi210
  export LD_LIBRARY_PATH=$top_builddir/tests/unit/hip-7/.libs
  FAKE_HIP_FAIL=hipInit=100 run "$tool" measure --no-store
  has_not "$output" 'without kernels' || skip "this build has no kernels for gfx90a"
  two_at_once flock,fcntl env LD_PRELOAD="$SANITIZER_PRELOAD $faults $(fast_machine)" "$tool" measure
  is 1 "$(grep -l '(--force measures again)' "$BATS_TEST_TMPDIR"/out? | wc -l)"
  is 1 "$(grep -l 'L1Cache' "$BATS_TEST_TMPDIR"/out? | wc -l)"
}

@test "a process that measures is killed: one that waits takes over" {
  local slow="$top_builddir/tests/tool/.libs/libslow.so"
  [ -e "$slow" ] || skip "$slow is not built"
  # it waits for a file that never comes before it stores the record
  SLOW_UNTIL=/nonexistent LD_PRELOAD="$SANITIZER_PRELOAD $slow" "$tool" measure --sim "$tiny" >/dev/null 2>&1 3>&- &
  local pid=$! waiter number=0
  soon [ -e "$records/sim-tiny.lock" ]
  soon bash -c '! flock -n "$0" true' "$records/sim-tiny.lock"
  "$tool" measure --sim "$tiny" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
  waiter=$!
  soon grep -q waiting "$BATS_TEST_TMPDIR/err"
  kill -KILL $pid
  wait $pid || number=$?
  is 137 "$number"
  wait $waiter
  has "$(cat "$BATS_TEST_TMPDIR/out")" L1Cache
}

# stop PID
stop() {
  kill -STOP "$1"
  soon grep -q '^State:.*T' "/proc/$1/status"
}

@test "a process that is stopped while it holds the lock: list and the messages say so" {
  mkdir -m 700 "$records"
  flock "$records/sim-tiny.lock" sleep 60 3>&- &
  local pid=$! who advice
  who="another process ($pid) is measuring this GPU"
  advice="; it is stopped: kill -CONT $pid continues it, kill -KILL $pid ends it"
  soon bash -c '! flock -n "$0" true' "$records/sim-tiny.lock"
  soon pgrep -P $pid
  local child
  child=$(pgrep -P $pid)
  run "$tool" list --sim "$tiny"
  [[ $output == *"$who"* ]] || { kill $pid $child; skip "/proc/locks has other device numbers for this file system"; }
  has_not "$output" stopped
  stop $pid
  run "$tool" list --sim "$tiny"
  has "$output" "$who$advice"
  patient run "$tool" measure --timeout 100 --sim "$tiny"
  is 1 "$status"
  has "$output" "$who$advice; waiting"
  has "$output" "$who$advice; gave up after 99."
  kill -KILL $pid $child
  run "$tool" measure --sim "$tiny"
  is 0 "$status"
}

@test "another kind of file has the name of the lock: the message says what to do" {
  mkdir -m 700 "$records"
  local kind
  for kind in "mkdir" "ln -s /nonexistent" mkfifo; do
    $kind "$records/sim-tiny.lock"
    run_split "$tool" measure --sim "$tiny"
    is 1 "$status"
    is "hwloc-gpucache: gpu0: $records/sim-tiny.lock is not a regular file; remove it" "$errors"
    rm -r "$records/sim-tiny.lock"
  done
}

@test "a process that hangs while it holds the lock is noted, and the note passes" {
  use_node
  local gpu=GPU-11111111-0000-0000-0000-000000000017
  mkdir -m 700 "$records"
  flock "$records/$gpu.lock" sleep 60 3>&- &
  local holder=$!
  soon bash -c '! flock -n "$0" true' "$records/$gpu.lock"
  patient run "$tool" measure --timeout 100 gpu0
  is 1 "$status"
  has "$output" "gave up after 99."
  is 'kind: held' "$(grep '^kind' "$records/$gpu.failed")"
  is 'seconds: 600' "$(grep '^seconds' "$records/$gpu.failed")"
  kill $holder $(pgrep -P $holder)
  soon flock -n "$records/$gpu.lock" true # both have ended
  # the note does not stop one that waited for the lock: it fails for another reason, without a GPU
  run "$tool" measure --timeout 20 gpu0
  has_not "$output" "another process"
  is 'kind: passes' "$(grep '^kind' "$records/$gpu.failed")"
}
