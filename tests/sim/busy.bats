#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The command on a simulated GPU that another program uses all the time.

setup() {
  load ../tool/setup.bash
  prepare
  busy=$BATS_TEST_TMPDIR/tiny
  tiny=$here/../tool/tiny
  record=$records/sim-tiny.xml
}

make_busy() {
  sed 's/^seed.*/&\nbusy = 10000 300000 0 1000000000000000/' "$tiny" >"$busy"
}

@test "a busy GPU is refused with a reason, and nothing is recorded" {
  make_busy
  run_split "$tool" measure --timeout 2 --sim "$busy"
  is 1 "$status"
  is '' "$output"
  has "$errors" "gpu0: the GPU is busy: another program uses it"
  is '' "$(leftovers)"
}

@test "the record from before stays as it was" {
  cp "$tiny" "$busy"
  "$tool" measure --sim "$busy" >/dev/null
  local before
  before=$(cat "$record")
  make_busy
  run "$tool" measure --force --timeout 2 --sim "$busy"
  is 1 "$status"
  is "$before" "$(cat "$record")"
}
