#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# When the tool is started, and what the status says when it fails.

setup() {
  load setup.bash
  prepare
}

# status of the first GPU of the node.
gpu0_status() { info GPUCacheStatus pci=17:00.0; }

@test "the first load measures each GPU once, the second none" {
  use_node
  topology > "$BATS_TEST_TMPDIR/first"
  is 2 "$(starts)"
  is "measure --timeout 10 $gpu0
measure --timeout 10 $gpu1" "$(sort "$FAKE_TOOL_LOG")"
  topology > "$BATS_TEST_TMPDIR/second"
  is 2 "$(starts)"
  grep -q gpu1-L1 "$BATS_TEST_TMPDIR/first"
  diff "$BATS_TEST_TMPDIR/first" "$BATS_TEST_TMPDIR/second"
}

@test "only the GPU without a record is measured" {
  use_node
  topology > /dev/null
  rm "$HWLOC_GPUCACHE_DIR/$gpu1.xml"
  run topology
  has gpu1-L1
  is 3 "$(starts)"
  is "measure --timeout 10 $gpu1" "$(tail -n 1 "$FAKE_TOOL_LOG")"
}

@test "a new driver makes the record invalid" {
  use_node
  topology > /dev/null
  sed -i 's/580\.159\.04/999.1.2/' "$HWLOC_FSROOT/proc/driver/nvidia/version"
  FAKE_TOOL_DRIVER=999.1.2 run topology
  has gpu0-L1
  is 4 "$(starts)"
}

@test "a stale record and a failure: no numbers, and the status names both" {
  use_node
  topology > /dev/null
  sed -i 's/580\.159\.04/999.1.2/' "$HWLOC_FSROOT/proc/driver/nvidia/version"
  export FAKE_TOOL_DOES=fail
  run topology
  is 0 "$status"
  has_not gpu0-L1
  [[ $(gpu0_status) == *"580.159.04"*"; the GPU is busy: 3 processes use it" ]]
}

@test "off: nothing at all" {
  use_node
  HWLOC_GPUCACHE=off run topology
  is 0 "$status"
  has_not gpu0-
  is 0 "$(starts)"
  is '' "$(HWLOC_GPUCACHE=off gpu0_status)"
}

@test "cached: records are used, none is created" {
  use_node
  export HWLOC_GPUCACHE=cached
  run topology
  is 0 "$status"
  has_not gpu0-
  is 0 "$(starts)"
  is "no record; HWLOC_GPUCACHE=cached forbids measuring" "$(gpu0_status)"
  HWLOC_GPUCACHE=auto topology > /dev/null
  run topology
  has gpu0-L1
  is 2 "$(starts)"
}

@test "cached: a garbage record is named" {
  use_node
  echo '<topology' > "$HWLOC_GPUCACHE_DIR/$gpu0.xml"
  chmod 600 "$HWLOC_GPUCACHE_DIR/$gpu0.xml"
  export HWLOC_GPUCACHE=cached
  [[ $(gpu0_status) == *"$gpu0.xml"*"; HWLOC_GPUCACHE=cached forbids measuring" ]]
}

@test "refresh measures even with a valid record" {
  use_node
  topology > /dev/null
  HWLOC_GPUCACHE=refresh run topology
  has gpu0-L1
  is 4 "$(starts)"
  is "measure --force --timeout 10 $gpu0
measure --force --timeout 10 $gpu1" "$(tail -n 2 "$FAKE_TOOL_LOG" | sort)"
  is measured "$(gpu0_status)"
}

@test "a refresh that fails keeps the earlier record" {
  use_node
  topology > /dev/null
  export HWLOC_GPUCACHE=refresh FAKE_TOOL_DOES=fail
  run topology
  has gpu0-L1
  is "measured earlier, not refreshed: the GPU is busy: 3 processes use it" "$(gpu0_status)"
}

@test "a mode may be in capitals; an unknown one is auto, with a message if errors are shown" {
  use_node
  HWLOC_GPUCACHE=OFF run topology
  has_not gpu0-L1
  HWLOC_HIDE_ERRORS=2 HWLOC_SHOW_ERRORS=none HWLOC_GPUCACHE=sometimes run topology
  has gpu0-L1
  has_not sometimes
  HWLOC_HIDE_ERRORS=0 HWLOC_GPUCACHE=sometimes run topology
  has "HWLOC_GPUCACHE=sometimes is not one of auto, cached, refresh, off; using auto"
  HWLOC_HIDE_ERRORS=2 HWLOC_SHOW_ERRORS=none HWLOC_GPUCACHE_VERBOSE=1 HWLOC_GPUCACHE=sometimes run topology
  has "HWLOC_GPUCACHE=sometimes is not one of auto, cached, refresh, off; using auto"
}

@test "the timeout is passed on; garbage means the default, with a message if errors are shown" {
  use_node
  export FAKE_TOOL_DOES=silent
  local seconds
  for seconds in 2.5 x 0 -3 nan inf 1x 1e99 ''; do
    HWLOC_GPUCACHE_TIMEOUT=$seconds topology > /dev/null 2>&1
  done
  is 18 "$(starts)"
  is 2 "$(grep -c -- "--timeout 2.5 " "$FAKE_TOOL_LOG")"
  is 16 "$(grep -c -- "--timeout 10 " "$FAKE_TOOL_LOG")"
  HWLOC_HIDE_ERRORS=2 HWLOC_SHOW_ERRORS=none HWLOC_GPUCACHE_TIMEOUT=abc run topology
  has_not abc
  HWLOC_GPUCACHE_VERBOSE=1 HWLOC_GPUCACHE_TIMEOUT=abc run topology
  has "HWLOC_GPUCACHE_TIMEOUT=abc is not a number of seconds above 0 and up to 86400; using 10"
  HWLOC_GPUCACHE_VERBOSE=1 HWLOC_GPUCACHE_TIMEOUT=3 run topology
  has_not HWLOC_GPUCACHE_TIMEOUT
}

@test "the timeout has a point in every locale" {
  load ../limits/comma.bash
  comma_locale
  use_node
  export FAKE_TOOL_DOES=silent HWLOC_HIDE_ERRORS=0
  LC_ALL=comma HWLOC_GPUCACHE_TIMEOUT=2.5 run "$topo_check" own-locale io-all load
  is 0 "$status"
  is 2 "$(grep -c -- "--timeout 2.5 " "$FAKE_TOOL_LOG")"
  LC_ALL=comma HWLOC_GPUCACHE_TIMEOUT=2,5 run "$topo_check" own-locale io-all load
  has "HWLOC_GPUCACHE_TIMEOUT=2,5 is not a number"
  is 2 "$(grep -c -- "--timeout 10 " "$FAKE_TOOL_LOG")"
}

@test "the last message of the tool becomes the status" {
  use_node
  export FAKE_TOOL_DOES=fail
  run topology
  is 0 "$status"
  has_not gpu0-L1
  is "the GPU is busy: 3 processes use it" "$(gpu0_status)"
}

@test "a tool without a message, a missing tool, and a tool that stores no record" {
  use_node
  FAKE_TOOL_DOES=silent
  export FAKE_TOOL_DOES
  is "measuring ended with exit status 1 and no message" "$(gpu0_status)"
  FAKE_TOOL_DOES=lie
  [[ $(gpu0_status) == "measured, but "* ]]
  rm -f "$HWLOC_GPUCACHE_DIR"/*.failed
  HWLOC_GPUCACHE_TOOL=/nowhere/tool
  is "/nowhere/tool cannot be started: No such file or directory; install it there, or set HWLOC_GPUCACHE_TOOL" "$(gpu0_status)"
}

@test "a failure of one GPU does not affect another" {
  use_node
  topology > /dev/null
  rm "$HWLOC_GPUCACHE_DIR/$gpu0.xml"
  FAKE_TOOL_DOES=fail run topology
  has_not gpu0-L1
  has gpu1-L1
}

@test "garbage from the tool is not a record" {
  use_node
  export FAKE_TOOL_DOES=garbage
  run topology
  is 0 "$status"
  has_not gpu0-L1
  [[ $(gpu0_status) == *"$gpu0.xml"* ]]
}

@test "a garbage record is replaced by a good one" {
  use_node
  echo 'garbage' > "$HWLOC_GPUCACHE_DIR/$gpu0.xml"
  run topology
  is 0 "$status"
  has gpu0-L1
  is 2 "$(starts)"
  is measured "$(gpu0_status)"
}

@test "no home, or a home that cannot be written: the load succeeds" {
  use_node
  unset HWLOC_GPUCACHE_DIR HOME
  export FAKE_TOOL_DOES=lie
  run topology
  is 0 "$status"
  has "PCI 17:00.0 (3D)"
  [ -n "$(gpu0_status)" ]
  export HOME=/proc/nowhere
  run topology
  is 0 "$status"
  has "PCI 17:00.0 (3D)"
  [ -n "$(gpu0_status)" ]
}

@test "nothing is printed by default" {
  use_node
  "$topo_check" io-all load > "$BATS_TEST_TMPDIR/out" 2>&1
  topology 2>> "$BATS_TEST_TMPDIR/out" > /dev/null
  rm "$HWLOC_GPUCACHE_DIR"/*.xml
  FAKE_TOOL_DOES=fail "$topo_check" io-all load >> "$BATS_TEST_TMPDIR/out" 2>&1
  HWLOC_GPUCACHE_TOOL=/nowhere "$topo_check" io-all load >> "$BATS_TEST_TMPDIR/out" 2>&1
  is '' "$(cat "$BATS_TEST_TMPDIR/out")"
}

@test "hwloc's own switch prints failures, one line for each GPU" {
  use_node
  export FAKE_TOOL_DOES=fail
  local lines="hwloc/gpucache: gpu0 ($gpu0): the GPU is busy: 3 processes use it
hwloc/gpucache: gpu1 ($gpu1): the GPU is busy: 3 processes use it"
  # 3.0 also knows HWLOC_HIDE_ERRORS
  HWLOC_HIDE_ERRORS=0 "$topo_check" io-all load 2> "$BATS_TEST_TMPDIR/err" > /dev/null
  is "$lines" "$(cat "$BATS_TEST_TMPDIR/err")"
  local hidden
  for hidden in 1 2; do
    is '' "$(HWLOC_HIDE_ERRORS=$hidden "$topo_check" io-all load 2>&1 > /dev/null)"
  done
  if hwloc_before 2.99; then
    is '' "$(HWLOC_SHOW_ERRORS=misc "$topo_check" io-all load 2>&1 > /dev/null)"
  else
    is "$lines" "$(HWLOC_SHOW_ERRORS=misc "$topo_check" io-all load 2>&1 > /dev/null)"
    is '' "$(HWLOC_SHOW_ERRORS=all,!misc "$topo_check" io-all load 2>&1 > /dev/null)"
  fi
}

@test "lstopo sets this switch since 2.5: it prints failures unless they are hidden" {
  use_node
  export FAKE_TOOL_DOES=fail
  topology 2> "$BATS_TEST_TMPDIR/err" > /dev/null
  if hwloc_before 2.5; then
    is '' "$(cat "$BATS_TEST_TMPDIR/err")"
  else
    is "hwloc/gpucache: gpu0 ($gpu0): the GPU is busy: 3 processes use it
hwloc/gpucache: gpu1 ($gpu1): the GPU is busy: 3 processes use it" "$(cat "$BATS_TEST_TMPDIR/err")"
  fi
  is '' "$(HWLOC_HIDE_ERRORS=1 HWLOC_SHOW_ERRORS=none topology 2>&1 > /dev/null)"
}

@test "VERBOSE prints what is done, and why" {
  use_node
  export HWLOC_GPUCACHE_VERBOSE=1
  run "$topo_check" io-all load
  is 0 "$status"
  has "hwloc/gpucache: gpu0 ($gpu0): no record; measuring for at most 10 s"
  has "hwloc/gpucache: gpu1 ($gpu1): measured"
  run "$topo_check" io-all load
  has_not measuring
  [[ $output =~ "hwloc/gpucache: gpu1 ($gpu1): has a record, measured on 20"..- ]]
  has_not ": measured"
  HWLOC_GPUCACHE=refresh run "$topo_check" io-all load
  has "hwloc/gpucache: gpu0 ($gpu0): HWLOC_GPUCACHE=refresh; measuring for at most 10 s"
  has_not "no record"
  sed -i 's/580\.159\.04/999.1.2/' "$HWLOC_FSROOT/proc/driver/nvidia/version"
  FAKE_TOOL_DRIVER=999.1.2 run "$topo_check" io-all load
  has 'was made with driver "580.159.04", now it is "999.1.2"; measuring for at most 10 s'
}

@test "simulated GPUs are under the root, with the fake tool" {
  use_sim
  run "$topo_check" io-important load check dup xml list
  is 0 "$status"
  is "0 DeviceMemory gpu0-Memory 80GiB" "${lines[0]}"
  is "--sim $BATS_TEST_TMPDIR/mine measure --timeout 10 sim-mine" "$(cat "$FAKE_TOOL_LOG")"
  "$topo_check" io-important load
  is 1 "$(starts)"
  is sim-mine "$(info GPUCacheUUID 'os=gpu0-Memory 80GiB')"
  # Another profile under the same name is another GPU.
  sed -i 's/Fake/& 2/' "$BATS_TEST_TMPDIR/mine"
  "$topo_check" io-important load
  is 2 "$(starts)"
}

@test "real GPUs come before simulated ones" {
  use_node
  use_sim
  run "$topo_check" io-important load list
  is 15 "${#lines[@]}"
  has "0 DeviceMemory gpu2-Memory 80GiB"
}

@test "a simulated GPU that is not available: the root has the reason" {
  export HWLOC_GPUCACHE_SIM=nope
  HWLOC_GPUCACHE_SIM_PATH=$BATS_TEST_TMPDIR
  export HWLOC_GPUCACHE_SIM_PATH
  echo 'model = x' > "$BATS_TEST_TMPDIR/some1"
  run info GPUCacheStatus root
  [[ $output == "sim-nope: no simulated GPU is named 'nope'; available: "*some1* ]]
  HWLOC_GPUCACHE_SIM=some1 FAKE_TOOL_DOES=fail run info GPUCacheStatus root
  is "sim-some1: the GPU is busy: 3 processes use it" "$output"
  is 1 "$(starts)"
}
