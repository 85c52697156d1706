#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# AMD GPUs whose L2 loses its contents between launches: lost lines come back from L3, and a lone
# block may have another of several L2.
load setup

setup() { prepare; }

@test "an L2 in front of an L3, and several L2, have their capacity although they are emptied" {
  for case in "rx7900xtx 6291456 215.0" "mi300x 4194304 250.0"; do
    set -- $case
    sed 's/^\[cache L2\]/&\nsurvives_launch = no/' "$HWLOC_GPUCACHE_SIM_PATH/$1" >"$BATS_TEST_TMPDIR/lost"
    HWLOC_GPUCACHE_SIM_PATH=$BATS_TEST_TMPDIR run_split "$tool" --sim lost measure --no-store --xml \
      --only DeviceMemory,L2Cache,L3Cache
    is 0 "$status"
    l2=$(printf '%s\n' "$output" | sed -n '/subtype="L2Cache"/,/subtype="L3Cache"/p')
    has "$l2" "\"CapacityBytes\" value=\"$2\""
    has "$l2" "\"LatencyCycles\" value=\"$3\""
    has "$l2" '"ReadSource" value="absent:L2 loses its contents between launches"'
  done
}
