#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# File systems and drivers that do not respond: a load ends soon after its deadline, and says what blocked.

setup() {
  load setup.bash
  prepare
  use_node
  export HWLOC_GPUCACHE_TIMEOUT=60 # not where time must pass
  # A call that never returns keeps its memory. hwloc leaks if a thread is cancelled in it.
  export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
}

# blocked CALLS PATH COMMAND...: the command, in which these calls on paths with PATH never return.
blocked() {
  local calls=$1 path=$2
  shift 2
  env LD_PRELOAD="$SANITIZER_PRELOAD $top_builddir/tests/plugin/.libs/libblock.so" \
    BLOCK_CALLS="$calls" BLOCK_PATH="$path" "$@"
}

# Ends also if the load does not.
ends() { timeout 20 "$topo_check" "$@"; }

@test "the directory of records does not respond: the load ends, and each GPU says why" {
  "$topo_check" io-all load # so that there are records
  HWLOC_GPUCACHE_TIMEOUT=1 run blocked r "$HWLOC_GPUCACHE_DIR" timeout 20 "$topo_check" io-all load no-children check list
  is 0 "$status"
  is '' "$output"
  HWLOC_GPUCACHE_TIMEOUT=1 run blocked r "$HWLOC_GPUCACHE_DIR" timeout 20 hwloc-info pci=17:00.0
  has "GPUCacheStatus = reading the records did not end within 1 s; a file system or a driver does not respond"
  HWLOC_HIDE_ERRORS=0 HWLOC_GPUCACHE_TIMEOUT=1 run blocked r "$HWLOC_GPUCACHE_DIR" timeout 20 "$topo_check" io-all load
  has "hwloc/gpucache: reading the records did not end within 1 s"
  is 2 "$(starts)"
}

@test "GPUs are listed and their records are read while hwloc discovers the machine" {
  "$topo_check" io-all load # so that there are records
  export BLOCK_WAITS=/proc/cpuinfo BLOCK_UNTIL=$HWLOC_GPUCACHE_DIR/$gpu1.xml
  run blocked '' / timeout 30 "$topo_check" io-all load no-children check list no-threads
  is 0 "$status"
  has gpu1-L1
}

@test "the driver does not respond: the load ends, and the machine says why" {
  HWLOC_GPUCACHE_TIMEOUT=1 run blocked r /proc/driver/nvidia timeout 20 "$topo_check" io-all load no-children list
  is 0 "$status"
  is '' "$output"
  HWLOC_GPUCACHE_TIMEOUT=1 run blocked r /proc/driver/nvidia timeout 20 hwloc-info root
  has "GPUCacheStatus = GPUs: reading /proc and /sys did not end within 1 s; a file system or a driver does not respond"
  is 0 "$(starts)"
}

@test "the file system of the tool does not respond: the load ends, and each GPU says why" {
  HWLOC_GPUCACHE_TIMEOUT=1 run blocked x "$HWLOC_GPUCACHE_TOOL" timeout 20 hwloc-info pci=17:00.0
  is 0 "$status"
  has "GPUCacheStatus = starting and ending the command hwloc-gpucache, and reading its results did not end within 1 s"
}

@test "a load writes nothing itself, so that a frozen file system does not delay it" {
  export HWLOC_GPUCACHE_DIR=$BATS_TEST_TMPDIR/new/records # the tool makes it
  run blocked w "$BATS_TEST_TMPDIR" timeout 60 "$topo_check" io-all load no-children list
  is 0 "$status"
  has gpu0-L1
  is 2 "$(starts)"
}

@test "a thread that is cancelled during a load leaves no process and no half a tree" {
  export FAKE_TOOL_DOES=hang HWLOC_GPUCACHE_TIMEOUT=3
  run ends load-in-cancelled-thread no-children
  is 0 "$status"
  local pid
  for pid in $(cat "$FAKE_TOOL_LOG.pids"); do is_gone "$pid"; done
}

@test "a tool that cannot be killed: the load ends, names the process, and the next load does not try" {
  rm "$HWLOC_FSROOT/proc/driver/nvidia/gpus/0000:97:00.0/information" # one is enough
  export FAKE_TOOL_DOES=hang HWLOC_GPUCACHE_TIMEOUT=2.5
  run blocked k / timeout 20 hwloc-info pci=17:00.0
  local pids
  pids=$(cat "$FAKE_TOOL_LOG.pids")
  kill -KILL $pids || :
  has "GPUCacheStatus = not measured within 2.5 s, and process ${pids% *} that measures cannot be killed; look for a file system or a driver that hangs"
  run hwloc-info pci=17:00.0
  has "GPUCacheStatus = not measured: it takes longer than 2.5 s, and process ${pids% *} cannot be killed (remembered since "
  is 1 "$(starts)"
}

# late OPTION: twelve loads with a driver that does not respond.
late() {
  HWLOC_GPUCACHE_TIMEOUT=0.01 run blocked r /proc/driver/nvidia timeout 60 "$top_builddir/tests/limits/load" "$1" 12
  is 0 "$status"
  is 8 "$(grep -c "^GPUs: reading /proc and /sys did not end within 0.01 s" <<< "$output")"
  is 4 "$(grep -cx "GPUs: not read: 8 other loads still wait for a file system or a driver that does not respond" \
    <<< "$output")"
  is "8 threads" "${lines[0]}"
}

@test "a file system hangs: after eight late loads, the others end at once, and start no thread" {
  late -t
}

@test "a file system hangs: loads at the same time start no more threads" {
  late -p
}

@test "more loads at the same time than threads: each one reads the records" {
  "$topo_check" io-all load # so that there are records
  run timeout 60 "$top_builddir/tests/limits/load" -p 30
  is 0 "$status"
  is "0 threads" "${lines[0]}"
  is 30 "$(grep -cx measured <<< "$output")"
}
