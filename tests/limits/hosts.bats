#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Loads with bad commands and in odd states. doc/testing.md states how many there are.

setup() {
  load ../plugin/setup.bash
  here=$top_srcdir/tests/plugin fake_tool=$top_srcdir/tests/plugin/fake-tool.sh
  # not in /dev/shm, which is not visible in some states
  BATS_TEST_TMPDIR=$(mktemp -d /tmp/gpucache-hosts-XXXXXX)
  prepare
  use_node
  rm "$HWLOC_FSROOT/proc/driver/nvidia/gpus/0000:97:00.0/information" # one is enough
  "$fake_tool" measure $gpu0
  export HOSTS_RECORD=$HWLOC_GPUCACHE_DIR/$gpu0.xml
  # These processes may not do what the search for leaks needs, and end without freeing all.
  export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
  mkdir "$BATS_TEST_TMPDIR/hosts"
  # Some become another user.
  chmod a+x "$BATS_TEST_TMPDIR"
}

teardown() { rm -rf "$BATS_TEST_TMPDIR"; }

# hosts KIND NAME: runs them all, and prints those that are not possible here.
hosts() {
  run "$top_builddir/tests/limits/hosts" "$1" "$BATS_TEST_TMPDIR/hosts"
  echo "$output"
  sed -n 's/^not possible here/# &/p' <<<"$output" >&3
  is 0 "$status"
  local number=${lines[-1]%% *}
  grep -q "[^0-9]$number $2" "$top_srcdir/doc/testing.md" || {
    echo "doc/testing.md does not say \"$number $2\""
    return 1
  }
}

@test "with each bad command the load succeeds, says why, and leaves the process as it was" {
  hosts commands "bad commands"
}

@test "in each odd state of the process, with a record and without, a load does the same" {
  hosts states "odd states"
}
