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

@test "a file system without flock, and without fcntl's locks, too: measured once" {
  local words first second
  for words in flock flock,fcntl; do
    rm -rf "$records"
    on_faulty $words "$tool" measure --sim "$tiny" >"$BATS_TEST_TMPDIR/out1" 2>"$BATS_TEST_TMPDIR/err1" 3>&- &
    first=$!
    on_faulty $words "$tool" measure --sim "$tiny" >"$BATS_TEST_TMPDIR/out2" 2>"$BATS_TEST_TMPDIR/err2" 3>&- &
    second=$!
    wait $first
    wait $second
    cat "$BATS_TEST_TMPDIR"/err?
    # the other one has waited, or has come when the record was there
    cat "$BATS_TEST_TMPDIR"/err? | { ! grep -v 'another process.* is measuring this GPU; waiting'; }
    is "$records/sim-tiny.xml" "$(leftovers | grep -v '\.owner$')"
    on_faulty $words "$tool" measure --force --sim "$tiny"
  done
}

@test "without locks: a process that is killed while it measures does not hold the GPU" {
  local pid child number=0
  on_faulty flock,fcntl "$tool" measure --sim h200 >/dev/null 2>&1 3>&- &
  pid=$!
  soon [ -s "$records/sim-h200.owner" ]
  run on_faulty flock,fcntl "$tool" measure --timeout 1 --sim h200
  is 1 "$status"
  has "$output" "is measuring this GPU; gave up after 0.75 s"
  child=$(pgrep -P $pid) # of a shell
  kill -KILL $pid $child
  wait $pid || number=$?
  is 137 "$number"
  soon is_gone $child
  cp "$tiny" "$BATS_TEST_TMPDIR/h200" # it has the same id, and is faster
  run on_faulty flock,fcntl "$tool" measure --sim "$BATS_TEST_TMPDIR/h200"
  is 0 "$status"
  has_not "$output" "is measuring"
  "$tool" purge
  [ ! -e "$records/sim-h200.owner" ]
}

@test "a process that measures is killed: one that waits takes over" {
  cp "$tiny" "$BATS_TEST_TMPDIR/h200"
  "$tool" measure --sim h200 >/dev/null 2>&1 3>&- &
  local pid=$! waiter number=0
  soon [ -e "$records/sim-h200.lock" ]
  soon bash -c '! flock -n "$0" true' "$records/sim-h200.lock"
  "$tool" measure --sim "$BATS_TEST_TMPDIR/h200" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
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
  run "$tool" measure --timeout 1 --sim "$tiny"
  is 1 "$status"
  has "$output" "$who$advice; waiting"
  has "$output" "$who$advice; gave up after 0.75 s"
  kill -KILL $pid $child
  run "$tool" measure --sim "$tiny"
  is 0 "$status"
}

@test "without locks: list names the process that measures" {
  mkdir -m 700 "$records"
  sleep 60 3>&- &
  local pid=$!
  echo "$pid $(cut -d ' ' -f 22 /proc/$pid/stat) $(cat /proc/sys/kernel/random/boot_id) $(readlink /proc/$pid/ns/pid)" \
    >"$records/sim-tiny.owner"
  chmod 600 "$records/sim-tiny.owner"
  stop $pid
  run "$tool" list --sim "$tiny"
  has "$output" "another process ($pid) is measuring this GPU; it is stopped: kill -CONT $pid "
  kill -KILL $pid
  soon is_gone $pid
  run "$tool" list --sim "$tiny"
  has_not "$output" "is measuring"
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
    $kind "$records/sim-tiny.owner"
    run on_faulty flock,fcntl "$tool" measure --sim "$tiny"
    is 1 "$status"
    has "$output" "gpu0: $records/sim-tiny.owner is not a regular file; remove it"
    rm -r "$records"/*
  done
}

@test "a process that hangs while it holds the lock is noted, and the note passes" {
  use_node
  local gpu=GPU-11111111-0000-0000-0000-000000000017
  mkdir -m 700 "$records"
  flock "$records/$gpu.lock" sleep 60 3>&- &
  local holder=$!
  soon bash -c '! flock -n "$0" true' "$records/$gpu.lock"
  run "$tool" measure --timeout 1 gpu0
  is 1 "$status"
  has "$output" "gave up after 0.75 s"
  is 'kind: held' "$(grep '^kind' "$records/$gpu.failed")"
  is 'seconds: 600' "$(grep '^seconds' "$records/$gpu.failed")"
  kill $holder $(pgrep -P $holder)
  # the note does not stop one that waited for the lock: it fails for another reason, without a GPU
  run "$tool" measure --timeout 20 gpu0
  has_not "$output" "another process"
  is 'kind: passes' "$(grep '^kind' "$records/$gpu.failed")"
}
