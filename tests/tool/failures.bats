#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# A launch fails and takes the GPU with it: what is left is measured by another process.

setup() {
  load setup.bash
  prepare
}

# broken PROFILE KERNEL: the path of such a GPU on which that kernel fails.
broken() {
  local path=$BATS_TEST_TMPDIR/$2
  { echo "broken = $2" && cat "$1"; } >"$path"
  echo "$path"
}

# values: what is told, without what depends on when and how it was measured.
values() { sed -n 's/.*<info name="\([^"]*\)" value="\([^"]*\)".*/\1 \2/p' "$1" |
  grep -v '^GPUCacheMeasur\|^GPUCacheUUID\|^GPUCacheVBIOS'; }

@test "one property is absent with the reason, all others are as without the failure" {
  local gpu
  gpu=$(broken "$tiny" latency_texture)
  run_split "$tool" measure --sim "$gpu"
  is 0 "$status"
  is "hwloc-gpucache: gpu0: TextureCache latency: cannot finish kernel latency_texture on gpu0: simulated uncorrectable memory error; this is left out" \
    "$errors"
  has "$output" "no Latency of TextureCache: cannot finish kernel latency_texture on gpu0"
  "$tool" measure --sim "$tiny" >/dev/null
  values "$records/sim-tiny.xml" >"$BATS_TEST_TMPDIR/whole"
  values "$records/sim-latency_texture.xml" >"$BATS_TEST_TMPDIR/rest"
  run diff "$BATS_TEST_TMPDIR/whole" "$BATS_TEST_TMPDIR/rest"
  is '< LatencyConfidence
< LatencyCycles
< LatencyNs
< LatencySource
> LatencySource' "$(grep '^[<>]' <<<"$output" | cut -d ' ' -f 1,2 | sort)"
  # it is a record like any other
  run_split "$tool" show --sim "$gpu"
  is 0 "$status"
  is '' "$errors"
}

# fail_once: as if a step had failed when the record was made.
fail_once() {
  sed -i 's|\( *\)<info name="GPUCacheMeasuringRepeats".*|&\n\1<info name="GPUCacheMeasuringFailures" value="1"/>|
    s/\(name="GPUCacheMeasured" value="\)[^"]*/\12026-01-01T00:00:00Z/' "$records/$1.xml"
  grep -q MeasuringFailures "$records/$1.xml"
}

@test "measure tries again what failed, and says so; show does not" {
  "$tool" measure --sim "$tiny" >/dev/null
  fail_once sim-tiny
  run_split "$tool" list --sim "$tiny"
  has "$output" "measured 2026-01-01T00:00:00Z; 1 step of it failed, which measure tries again"
  run_split "$tool" show --sim "$tiny"
  is 0 "$status"
  is '' "$errors"
  has "$output" "measured 2026-01-01"
  run_split "$tool" measure --sim "$tiny"
  is 0 "$status"
  is "hwloc-gpucache: gpu0: 1 step of measuring failed on 2026-01-01T00:00:00Z; measuring again" "$errors"
  has "$output" L1Cache
  has_not "$(cat "$records/sim-tiny.xml")" MeasuringFailures
  has_not "$(cat "$records/sim-tiny.xml")" 2026-01-01
  run_split "$tool" measure --sim "$tiny"
  has "$output" "already measured"
  # what fails again fails again
  local gpu
  gpu=$(broken "$tiny" latency_texture)
  "$tool" measure --sim "$gpu" >/dev/null
  run_split "$tool" measure --sim "$gpu"
  is 0 "$status"
  has "$errors" "1 step of measuring failed on 20"
  has "$errors" "TextureCache latency: cannot finish kernel"
}

@test "measuring again what failed: side by side, once for all who ask at a time, or not at all" {
  cp "$tiny" "$BATS_TEST_TMPDIR/other"
  "$tool" measure --sim "$tiny,$BATS_TEST_TMPDIR/other" >/dev/null
  fail_once sim-tiny
  fail_once sim-other
  run_split "$tool" measure --sim "$tiny,$BATS_TEST_TMPDIR/other"
  is 0 "$status"
  is 2 "$(grep -c 'gpu[01]: 1 step of measuring failed on 2026-01-01' <<<"$errors")"
  is 2 "$(grep -c . <<<"$errors")"
  is 4 "$(grep -c ELEMENT <<<"$output")"
  # both see the record that is to be made again; the second finds the first one's
  fail_once sim-tiny
  exec 4>>"$records/sim-tiny.lock"
  flock 4
  "$tool" measure --sim "$tiny" >"$BATS_TEST_TMPDIR/one" 2>&1 3>&- 4>&- &
  "$tool" measure --sim "$tiny" >"$BATS_TEST_TMPDIR/two" 2>&1 3>&- 4>&- &
  soon grep -q 'measuring again' "$BATS_TEST_TMPDIR/one"
  soon grep -q 'measuring again' "$BATS_TEST_TMPDIR/two"
  exec 4>&-
  wait
  is 1 "$(cat "$BATS_TEST_TMPDIR/one" "$BATS_TEST_TMPDIR/two" | grep -c 'already measured')"
  is 1 "$(cat "$BATS_TEST_TMPDIR/one" "$BATS_TEST_TMPDIR/two" | grep -c ' SMs at ')"
  # a measurement that fails as a whole takes nothing away
  fail_once sim-tiny
  local before
  before=$(cat "$records/sim-tiny.xml")
  exec 4>>"$records/sim-tiny.lock"
  flock 4
  run_split "$tool" measure --sim "$tiny" --timeout 0.5
  exec 4>&-
  is 1 "$status"
  is "$before" "$(cat "$records/sim-tiny.xml")"
  run_split "$tool" show --sim "$tiny"
  has "$output" "measured 2026-01-01"
}

@test "what fails everywhere, or too often, is a failure of all" {
  run_split "$tool" measure --sim "$(broken "$tiny" fill)"
  is 1 "$status"
  is "hwloc-gpucache: gpu0: cannot finish kernel fill on gpu0: simulated uncorrectable memory error" "$errors"
  run_split "$tool" measure --sim "$(broken "$tiny" chase_ca)"
  is 1 "$status"
  is '' "$output"
  is '' "$(leftovers)"
}

@test "each of several GPUs, --only and --raw go on, too" {
  run_split "$tool" measure --sim "$tiny,$(broken "$tiny" latency_texture)"
  is 0 "$status"
  is 1 "$(grep -c . <<<"$errors")"
  has "$errors" "gpu1: TextureCache latency"
  is 2 "$(leftovers | wc -l)"
  run_split "$tool" measure --sim "$(broken "$tiny" latency_texture)" --only L1Cache,TextureCache --raw "$BATS_TEST_TMPDIR/raw"
  is 0 "$status"
  has "$errors" "TextureCache latency: cannot finish"
  has_not "$output" "L2Cache"
  for file in L1Cache-capacity TextureCache-capacity; do [ -s "$BATS_TEST_TMPDIR/raw/gpu0-$file.tsv" ]; done
}

is_over() { [ ! -e "/proc/$1" ] || grep -q '^State:.*Z' "/proc/$1/status"; }

@test "ended while another process measures what is left, both are gone, with nothing left" {
  local gpu signal number child
  gpu=$(broken "$top_srcdir/data/sim/h200" read_cg)
  for signal in INT:130 TERM:143 KILL:137; do
    rm -rf "$records"
    env --default-signal=INT,TERM,HUP "$tool" measure --sim "$gpu" >/dev/null 2>&1 3>&- &
    local pid=$!
    soon pgrep -P $pid
    child=$(pgrep -P $pid)
    kill -"${signal%:*}" $pid
    number=0
    wait $pid || number=$?
    is "${signal#*:}" "$number"
    # of one that is killed, it hears when that is gone already
    [ "$number" != 137 ] || turns=40 soon is_over "$child"
    is_over "$child"
    is '' "$(leftovers)"
    flock -n "$records/sim-read_cg.lock" true
  done
}

@test "a killed process that measured what is left is a failure" {
  local gpu number=0
  gpu=$(broken "$top_srcdir/data/sim/h200" read_cg)
  "$tool" measure --sim "$gpu" >/dev/null 2>"$BATS_TEST_TMPDIR/err" 3>&- &
  local pid=$!
  soon pgrep -P $pid
  kill -KILL "$(pgrep -P $pid)"
  wait $pid || number=$?
  is 1 "$number"
  has "$(cat "$BATS_TEST_TMPDIR/err")" "gpu0: the measuring process died of signal 9 (Killed)"
  is '' "$(leftovers)"
}

@test "--resume wants the record of that GPU on its standard input" {
  local record=$BATS_TEST_TMPDIR/record other
  run_split "$tool" measure --sim "$tiny" --no-store --resume 3 </dev/null
  is 1 "$status"
  has "$errors" "--resume needs a record on its standard input"
  "$tool" measure --sim "$tiny" --xml --no-store >"$record"
  run_split "$tool" measure --sim "$tiny" --no-store --resume 3 <"$record"
  is 0 "$status"
  run_split "$tool" measure --sim "$(broken "$tiny" fill)" --no-store --resume 3 <"$record"
  is 1 "$status"
  has "$errors" "the record that --resume is to go on with is the record of sim-tiny"
  # as the store judges what it has: the driver, the VBIOS (here the profile), the method
  for other in GPUCacheDriver:driver GPUCacheVBIOS:profile GPUCacheMethod:'measuring method'; do
    sed "s/\(<info name=\"${other%:*}\" value=\"\)[^\"]*/\1other/" "$record" >"$record.other"
    [ "$(<"$record")" != "$(<"$record.other")" ]
    run_split "$tool" measure --sim "$tiny" --no-store --resume 3 <"$record.other"
    is 1 "$status"
    has "$errors" "--resume is to go on with was made with ${other#*:} \"other\", now it is"
  done
}

@test "why a process that measures what is left failed is told by the one that began" {
  command -v jq >/dev/null || skip "jq is not installed"
  local why
  run_split "$tool" show --json --sim "$(broken "$top_srcdir/data/sim/mi210" chase_cg)"
  is 1 "$status"
  why=$(sed -n 's/^hwloc-gpucache: gpu0: \(too much fails: .*\)/\1/p' <<<"$errors")
  # said once, whichever step was the last one
  is 1 "$(wc -l <<<"$why")"
  has "$why" ": cannot finish kernel chase_cg on gpu0: simulated uncorrectable memory error"
  is "$why" "$(jq -r '.[0].problem' <<<"$output")"
}

@test "a process that measures what is left tells errno, so that a busy GPU stays one that may be free soon" {
  local gpu=$BATS_TEST_TMPDIR/tiny record=$BATS_TEST_TMPDIR/record
  sed 's/^seed.*/&\nbusy = 10000 300000 0 1000000000000000/' "$tiny" >"$gpu"
  "$tool" measure --sim "$tiny" --xml --no-store |
    sed "s/\(<info name=\"GPUCacheVBIOS\" value=\"\)[^\"]*/\1/" >"$record"
  run_split "$tool" measure --sim "$gpu" --no-store --timeout 2 --resume 3 <"$record"
  is 1 "$status"
  has "$errors" "gpu0: the GPU is busy"
  # EBUSY
  [[ $output == "failed 16 the GPU is busy: another program uses it"* ]]
}

@test "a process that comes to measure what is left and cannot begin tells why, too" {
  run_split "$tool" measure --sim ./not/there --no-store --resume 3 </dev/null
  is 3 "$status"
  [[ $output == "failed 5 "*"./not/there"* ]]
  has "$output" "No such file or directory"
  run_split "$tool" measure --no-store --resume 3 gpu9 </dev/null
  is 3 "$status"
  is "failed 19 the process that was to measure the rest does not find the GPU" "$output"
}

@test "measuring takes no more than a 20th of the device memory that is free, and says so where that is too little" {
  local gpu=$BATS_TEST_TMPDIR/gpu mib bytes
  for mib in 112 400 3000; do
    sed "s/^memory = .*/memory = $mib MiB/; s/^sms = .*/sms = 8/" "$top_srcdir/data/sim/rtx2080ti" >"$gpu"
    run_split "$tool" measure --sim "$gpu" --xml --no-store
    is 0 "$status"
    bytes=$(sed -n 's/.*"GPUCacheMeasuringDeviceBytes" value="\([0-9]*\)".*/\1/p' <<<"$output")
    [ "$bytes" -gt $((mib << 20 >> 6)) ]
    [ "$bytes" -le $(((mib << 20) / 20)) ]
    has "$output" '"CapacityBytes" value="59392"'
  done
  sed "s/^memory = .*/memory = 100 MiB/" "$top_srcdir/data/sim/rtx2080ti" >"$gpu"
  run_split "$tool" measure --sim "$gpu" --no-store
  is 1 "$status"
  is "hwloc-gpucache: gpu0: only 100 MiB of device memory are free, of which no more than a 20th is used" "$errors"
}
