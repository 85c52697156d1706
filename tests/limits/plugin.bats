#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Loads in processes that may do little. A load never fails. A record is shown wherever it can be read;
# where the command cannot be started, the status says why.

setup() {
  load ../plugin/setup.bash
  here=$top_srcdir/tests/plugin fake_tool=$top_srcdir/tests/plugin/fake-tool.sh
  prepare
  use_node
  rm "$HWLOC_FSROOT/proc/driver/nvidia/gpus/0000:97:00.0/information" # one is enough
  loads=$top_builddir/tests/limits/load
  # These processes may not do what the search for leaks needs. Freed memory stays for a while.
  export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0:quarantine_size_mb=1:malloc_context_size=0
}

# Stores the record.
store() { "$fake_tool" measure $gpu0; : > "$FAKE_TOOL_LOG"; }

# with OPTION…: a load; skips the test where the limit cannot be set.
with() {
  run "$loads" "$@"
  [ "$status" -ne 77 ] || skip "$output"
  is 0 "$status"
}

# How the GPU appears: with a record and without.
shown='5 measured'

@test "seccomp: without clone, execve or pidfd_open a record is shown" {
  store
  local call
  for call in clone=EPERM clone3=ENOSYS clone3=EPERM execve=EPERM pidfd_open=ENOSYS pidfd_open=EPERM; do
    with -d $call
    has "$shown"
  done
  with -d clone=EPERM -d clone3=EPERM -d execve=EPERM -d pidfd_open=EPERM
  has "$shown"
  is 0 "$(starts)"
}

@test "seccomp: a system call that an older kernel or a container lacks is not needed to measure" {
  local call
  for call in clone3=ENOSYS pidfd_open=ENOSYS pidfd_open=EPERM; do
    rm -f "$HWLOC_GPUCACHE_DIR"/*
    with -d $call -z
    has "$shown"
  done
}

@test "seccomp: a process that must not start others says so" {
  with -d execve=EPERM -z
  has "0 $fake_tool cannot be started: Operation not permitted"
  with -d clone=EPERM -d clone3=EPERM -z
  has "0 $fake_tool cannot be started: Operation not permitted"
}

@test "the command is started without a copy of the memory of the process" {
  # A clone that copies the memory fails; so would each process that the shell script starts.
  export HWLOC_GPUCACHE_TOOL=/bin/true
  with -d clone3=ENOSYS -d fork=EPERM -z
  has "0 measured, but "
}

@test "descriptors: where hwloc can list PCI devices and read a file of one, a load shows the record" {
  # hwloc keeps one descriptor open; a folder and a file in it take two more.
  store
  local n
  for n in 0 1 2 3 4 5 6; do
    with -r nofile=$n
    [ "$n" -lt 3 ] || has "$shown"
  done
  rm "$HWLOC_GPUCACHE_DIR"/*
  with -r nofile=3 -z
  has "0 $fake_tool cannot be started: Too many open files"
}

@test "memory: a limit of the address space is no reason to fail" {
  [ "${SANITIZERS:-no}" = no ] || skip "AddressSanitizer reserves terabytes of address space"
  store
  local bytes
  for bytes in 0 4096 65536 500000 1000000 2000000 4000000 9000000 20000000; do
    with -r as=$bytes
  done
  has "$shown"
}

@test "files: with a file size limit of 0, a record is shown; without one, the status says what happened" {
  store
  with -r fsize=0
  has "$shown"
  rm "$HWLOC_GPUCACHE_DIR"/*
  with -r fsize=0 -z
  [[ $output == 0\ * ]]
}

@test "processes: a user who may start no more" {
  [ "$(id -u)" -eq 0 ] || [ -n "$(ps -u "$(id -u)" -o pid= | sed -n 2p)" ] || skip "this user has no other process"
  store
  local plain=()
  if [ "$(id -u)" -eq 0 ]; then
    # The limit does not apply to root.
    plain=(setpriv --reuid 65534 --regid 65534 --clear-groups --)
    "${plain[@]}" test -x "$loads" 2>/dev/null || skip "another user cannot read this build"
    chmod 755 "$BATS_TEST_TMPDIR"
    "${plain[@]}" test -x "$HWLOC_GPUCACHE_DIR/.." || skip "another user cannot read the temporary directory"
    chown -R 65534 "$HWLOC_GPUCACHE_DIR"
  fi
  run "${plain[@]}" "$loads" -r nproc=0
  is 0 "$status"
  has "$shown"
  rm "$HWLOC_GPUCACHE_DIR"/*
  run "${plain[@]}" "$loads" -r nproc=0 -z
  is 0 "$status"
  has "0 "
  has "Resource temporarily unavailable"
}

@test "a stack of 64 KiB" {
  store
  run bash -c 'ulimit -s 64 && exec "$@"' limited "$loads"
  is 0 "$status"
  has "$shown"
  rm "$HWLOC_GPUCACHE_DIR"/*
  run bash -c 'ulimit -s 64 && exec "$@"' limited "$loads" -z
  is 0 "$status"
}

@test "another root directory, without the command" {
  store
  mkdir -p "$HWLOC_FSROOT$HWLOC_GPUCACHE_DIR"
  chmod 700 "$HWLOC_FSROOT$HWLOC_GPUCACHE_DIR"
  HWLOC_FSROOT= with -c "$HWLOC_FSROOT"
}

@test "the first process of a container" {
  unshare -pf true 2>/dev/null || skip "unshare -p is not allowed here"
  run unshare -pf "$loads" -z
  is 0 "$status"
  has "$shown"
  FAKE_TOOL_DOES=crash HWLOC_GPUCACHE=refresh run unshare -pf "$loads" -z
  is 0 "$status"
}

@test "a process that waits for all children, in a handler of SIGCHLD and in a thread" {
  local option
  for option in -h -w; do
    rm -f "$HWLOC_GPUCACHE_DIR"/*
    with $option
    has "$shown"
  done
  rm -f "$HWLOC_GPUCACHE_DIR"/*
  with -h -w
  has "$shown"
  FAKE_TOOL_DOES=hang HWLOC_GPUCACHE_TIMEOUT=2.5 HWLOC_GPUCACHE=refresh with -h -w
  local pid
  for pid in $(cat "$FAKE_TOOL_LOG.pids"); do is_gone "$pid"; done
}

@test "a set-user-ID program ignores the variables" {
  [ "${SANITIZERS:-no}" = no ] || skip "it ignores ASAN_OPTIONS"
  [ "$(id -u)" -eq 0 ] || skip "only root can make such a program"
  store
  local program=$BATS_TEST_TMPDIR/loads
  chmod 755 "$BATS_TEST_TMPDIR"
  cp "$loads" "$program"
  chown 65534 "$program"
  chmod 4755 "$program"
  [ "$(findmnt -no OPTIONS -T "$program" | tr , '\n' | grep -cx nosuid)" = 0 ] || skip "this file system is mounted with nosuid"
  setpriv --reuid 1 true 2>/dev/null || skip "the user cannot be changed here"
  run "$program"
  is 0 "$status"
  has_not "$shown"
  is 0 "$(starts)"
}

@test "thousands of loads: neither memory nor descriptors grow" {
  [ "${SANITIZERS:-no}" = no ] || skip "AddressSanitizer keeps freed memory"
  store
  with -n "${LIMITS_LOADS:-500}"
  has "$shown"
}

@test "hundreds of loads without a record, and hundreds with the note of a failure" {
  [ "${SANITIZERS:-no}" = no ] || skip "AddressSanitizer keeps freed memory"
  HWLOC_GPUCACHE=cached with -n "${LIMITS_LOADS:-200}"
  has "0 no record"
  FAKE_TOOL_DOES=crash with -n "${LIMITS_LOADS:-200}" -z
  has "remembered since"
  is 1 "$(starts)"
}

@test "loads without a record, beside a thread that changes the environment, the locale and the directory" {
  HWLOC_GPUCACHE_TOOL=/bin/false with -e -n "${LIMITS_LOADS:-200}" -z
  has "0 measuring ended with exit status 1 and no message"
}

@test "the same with a record" {
  store
  with -e -n "${LIMITS_LOADS:-200}"
  has "$shown"
}
