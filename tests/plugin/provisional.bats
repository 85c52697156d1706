#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# A provisional record is used by every load, and measured again by a load when it is due.

setup() {
  load setup.bash
  prepare
  use_node
  rm "$HWLOC_FSROOT/proc/driver/nvidia/gpus/0000:97:00.0/information" # one is enough
  record=$HWLOC_GPUCACHE_DIR/$gpu0.xml
  topology > /dev/null
  is 1 "$(starts)"
}

gpu0_status() { info GPUCacheStatus pci=17:00.0; }

# provisional TRIES SECONDS: makes the record provisional; the last try was that long ago.
provisional() {
  sed -i "/GPUCacheProvisional/d
    s|\( *\)<info name=\"GPUCacheSMs\".*|&\n\1<info name=\"GPUCacheProvisional\" value=\"too hot\"/>\n\1<info name=\"GPUCacheProvisionalTries\" value=\"$1\"/>\n\1<info name=\"GPUCacheProvisionalTried\" value=\"$(date -u -d "$2 seconds ago" +%Y-%m-%dT%H:%M:%SZ)\"/>|" "$record"
  is 3 "$(grep -c GPUCacheProvisional "$record")"
}

@test "before it is due it is used, and the status says why it is provisional" {
  provisional 1 590
  is "measured, but provisional: too hot" "$(gpu0_status)"
  is "too hot" "$(info GPUCacheProvisional pci=17:00.0)"
  is 1 "$(info GPUCacheProvisionalTries pci=17:00.0)"
  run topology
  has gpu0-L1
  is 1 "$(starts)"
}

@test "when it is due a load measures again, without --force" {
  provisional 1 610
  is measured "$(gpu0_status)"
  is 2 "$(starts)"
  is "measure --timeout 10 $gpu0" "$(tail -n 1 "$FAKE_TOOL_LOG")"
  is 0 "$(grep -c Provisional "$record")"
  topology > /dev/null
  is 2 "$(starts)"
}

@test "a GPU that this job may not use is not measured again" {
  provisional 1 610
  export CUDA_VISIBLE_DEVICES=
  is "measured, but provisional: too hot" "$(gpu0_status)"
  is 1 "$(starts)"
}

@test "the time between tries doubles, up to a day" {
  provisional 4 4700
  topology > /dev/null
  is 1 "$(starts)"
  provisional 4 4900
  topology > /dev/null
  is 2 "$(starts)"
  provisional 18446744073709551615 86000
  topology > /dev/null
  is 2 "$(starts)"
  provisional 18446744073709551615 86500
  topology > /dev/null
  is 3 "$(starts)"
}

@test "a record that cannot be right about its tries is due" {
  provisional 1 -3600 # the clock was set back
  topology > /dev/null
  is 2 "$(starts)"
  provisional 1 0
  sed -i 's/\(ProvisionalTried" value="\)[^"]*/\1yesterday/' "$record"
  topology > /dev/null
  is 3 "$(starts)"
}

@test "if measuring again fails, the record is used and the status says so" {
  provisional 1 610
  FAKE_TOOL_DOES=fail run gpu0_status
  is "measured earlier, but provisional: too hot; not measured again: the GPU is busy: 3 processes use it" "$output"
  FAKE_TOOL_DOES=fail run topology
  has gpu0-L1
}

@test "a tool that hangs or crashes with it delays one load only" {
  provisional 1 610
  FAKE_TOOL_DOES=hang HWLOC_GPUCACHE_TIMEOUT=2.5 topology > "$BATS_TEST_TMPDIR/out"
  grep -q gpu0-L1 "$BATS_TEST_TMPDIR/out"
  is 2 "$(starts)"
  FAKE_TOOL_DOES=hang HWLOC_GPUCACHE_TIMEOUT=2.5 run gpu0_status
  is "measured, but provisional: too hot" "$output"
  is 2 "$(starts)"
}

@test "cached never measures; off does nothing; refresh measures with --force" {
  provisional 1 610
  HWLOC_GPUCACHE=cached run gpu0_status
  is "measured, but provisional: too hot" "$output"
  HWLOC_GPUCACHE=off run gpu0_status
  is '' "$output"
  is 1 "$(starts)"
  provisional 1 10
  HWLOC_GPUCACHE=refresh FAKE_TOOL_DOES=fail run gpu0_status
  is 2 "$(starts)"
  [[ $(tail -n 1 "$FAKE_TOOL_LOG") == *" --force "* || $(tail -n 1 "$FAKE_TOOL_LOG") == *"measure --force "* ]]
  has "measured earlier, but provisional: too hot; not measured again: the GPU is busy"
}
