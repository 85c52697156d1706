#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The command on a simulated GPU that another program uses all the time, in time slices or beside it.

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
  patient run_split "$tool" measure --timeout 100 --sim "$busy"
  is 1 "$status"
  is '' "$output"
  has "$errors" "gpu0: the GPU is busy: another program uses it"
  is '' "$(leftovers)"
}

@test "a busy GPU keeps its earlier record" {
  cp "$tiny" "$busy"
  "$tool" measure --sim "$busy" >/dev/null
  local before
  before=$(cat "$record")
  make_busy
  patient run "$tool" measure --force --timeout 100 --sim "$busy"
  is 1 "$status"
  is "$before" "$(cat "$record")"
}

make_neighbour() {
  sed "s/^seed.*/&\nneighbour = $1/" "$tiny" >"$busy"
}

@test "a GPU whose SMs another program occupies is refused with a reason" {
  make_neighbour '3 1 0 1000000000000000'
  patient run_split "$tool" measure --timeout 100 --sim "$busy"
  is 1 "$status"
  is '' "$output"
  has "$errors" "gpu0: the GPU is busy: launches reach 3 of its 4 SMs: another program occupies the others"
  is '' "$(leftovers)"
}

@test "a neighbour that slows SMs down makes bandwidths absent, and the record provisional" {
  make_neighbour '4 6 0 1000000000000000'
  run_split "$tool" measure --xml --no-store --sim "$busy"
  is 0 "$status"
  has "$output" '"GPUCacheProvisional" value="another program used the GPU (L1Cache Read'
  has_not "$output" '"WriteBytesPerCycle"'
  make_neighbour '4 6 20000000000 20000000001'
  run_split "$tool" measure --xml --no-store --sim "$busy"
  is 0 "$status"
  has_not "$output" GPUCacheProvisional
  has "$output" '"WriteBytesPerCycle"'
}
