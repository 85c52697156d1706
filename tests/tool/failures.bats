#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# A launch fails and makes the GPU unusable for the process: another process measures the rest.

setup() {
  load setup.bash
  prepare
}

# broken PROFILE KERNEL: the path of a profile like this one, on which that kernel fails.
broken() {
  local path=$BATS_TEST_TMPDIR/$2
  { echo "broken = $2" && cat "$1"; } >"$path"
  echo "$path"
}

# values: all values, without date, cost, and loads, which are never the same twice.
values() { sed -n 's/.*<info name="\([^"]*\)" value="\([^"]*\)".*/\1 \2/p' "$1" |
  grep -v '^LatencyUnderLoad \|^GPUCacheMeasur\|^GPUCacheUUID\|^GPUCacheVBIOS\|^GPUCacheStatus\|^GPUCacheProvisional'; }

@test "one property is absent with the reason, all others are as without the failure" {
  local gpu
  gpu=$(broken "$tiny" latency_texture)
  run_split "$tool" measure --all --sim "$gpu"
  is 0 "$status"
  local failure="hwloc-gpucache: gpu0: TextureCache latency: cannot finish kernel latency_texture on gpu0: simulated uncorrectable memory error"
  is "$failure; this is measured again
$failure; this is left out" "$errors"
  has "$output" "no Latency, LatencyP95 of TextureCache: cannot finish kernel latency_texture on gpu0"
  use_record tiny
  values "$records/sim-tiny.xml" >"$BATS_TEST_TMPDIR/whole"
  values "$records/sim-latency_texture.xml" >"$BATS_TEST_TMPDIR/rest"
  run diff "$BATS_TEST_TMPDIR/whole" "$BATS_TEST_TMPDIR/rest"
  is '< LatencyConfidence
< LatencyCycles
< LatencyNs
< LatencyP95Confidence
< LatencyP95Cycles
< LatencyP95Source
< LatencySource
> LatencyP95Source
> LatencySource' "$(grep '^[<>]' <<<"$output" | cut -d ' ' -f 1,2 | sort)"
  # the record is valid, and provisional
  has "$(cat "$records/sim-latency_texture.xml")" '"GPUCacheProvisional" value="steps failed (TextureCache Latency, TextureCache LatencyP95)"'
  has "$(cat "$records/sim-latency_texture.xml")" '"GPUCacheMeasuringFailures" value="1"'
  run_split "$tool" show --sim "$gpu"
  is 0 "$status"
  is '' "$errors"
  has "$output" "Latency of TextureCache"
}

@test "failures of all steps, or too many failures, fail the whole measurement" {
  run_split "$tool" measure --sim "$(broken "$tiny" fill)"
  is 1 "$status"
  is "hwloc-gpucache: gpu0: cannot finish kernel fill on gpu0: simulated uncorrectable memory error" "$errors"
  run_split "$tool" measure --sim "$(broken "$tiny" chase_ca)"
  is 1 "$status"
  is '' "$output"
  is '' "$(leftovers)"
}

@test "several GPUs, --only, --raw and --replace continue after a failed step, too" {
  run_split "$tool" measure --sim "$tiny,$(broken "$tiny" latency_texture)"
  is 0 "$status"
  is 2 "$(grep -c . <<<"$errors")"
  is 2 "$(grep -c "gpu1: TextureCache latency" <<<"$errors")"
  is 2 "$(leftovers | wc -l)"
  run_split "$tool" measure --sim "$(broken "$tiny" latency_texture)" --only L1Cache,TextureCache --raw "$BATS_TEST_TMPDIR/raw"
  is 0 "$status"
  has "$errors" "TextureCache latency: cannot finish"
  has_not "$output" "L2Cache"
  for file in L1Cache-capacity TextureCache-capacity; do [ -s "$BATS_TEST_TMPDIR/raw/gpu0-$file.tsv" ]; done
  run_split "$tool" measure --sim "$(broken "$tiny" latency_texture)" --replace
  is 0 "$status"
  is 2 "$(grep -c . <<<"$errors")"
}

is_over() { [ ! -e "/proc/$1" ] || grep -q '^State:.*Z' "/proc/$1/status"; }

@test "ended while a child measures the rest: both processes end, nothing left" {
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
    # after SIGKILL, the child notices the end of its parent later
    [ "$number" != 137 ] || turns=40 soon is_over "$child"
    is_over "$child"
    is '' "$(leftovers)"
    flock -n "$records/sim-read_cg.lock" true
  done
}

@test "a killed child that measures the rest is a failure" {
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

# handover SIM [DRIVER [PROFILE]]: what a process passes on before it has measured anything of a simulated GPU.
handover() {
  "$top_builddir/tests/tool/handover" "sim-$(basename "$1")" "${2:-simulated}" "${3:-}"
}

@test "--resume needs the results of that GPU on its standard input" {
  local other results=$BATS_TEST_TMPDIR/results
  run_split "$tool" measure --sim "$tiny" --no-store --resume 3 </dev/null
  is 1 "$status"
  has "$errors" "--resume needs the results of another process on its standard input"
  handover "$tiny" >"$results"
  run_split "$tool" measure --sim "$tiny" --no-store --resume 3 <"$results"
  is 0 "$status"
  # of another GPU; made with another driver or VBIOS (here the profile); cut short; with one byte changed
  run_split "$tool" measure --sim "$(broken "$tiny" fill)" --no-store --resume 3 <"$results"
  is 1 "$status"
  has "$errors" "the record for --resume is the record of sim-tiny"
  handover "$tiny" other >"$results.driver"
  handover "$tiny" simulated other >"$results.profile"
  for other in driver profile; do
    run_split "$tool" measure --sim "$tiny" --no-store --resume 3 <"$results.$other"
    is 1 "$status"
    has "$errors" "the record for --resume was made with $other \"other\", now it is"
  done
  head -c 1000 "$results" >"$results.short"
  { head -c 5000 "$results"; printf x; tail -c +5002 "$results"; } >"$results.changed"
  is "$(wc -c <"$results")" "$(wc -c <"$results.changed")"
  for other in short changed; do
    run_split "$tool" measure --sim "$tiny" --no-store --resume 3 <"$results.$other"
    is 1 "$status"
    has "$errors" "these are not the results of another process of this program"
  done
}

@test "the parent prints why its child failed" {
  command -v jq >/dev/null || skip "jq is not installed"
  local why
  run_split "$tool" show --json --sim "$(broken "$top_srcdir/data/sim/mi210" chase_cg)"
  is 1 "$status"
  why=$(sed -n 's/^hwloc-gpucache: gpu0: \(too many steps fail: .*\)/\1/p' <<<"$errors")
  # printed once, whichever step was the last
  is 1 "$(wc -l <<<"$why")"
  has "$why" ": cannot finish kernel chase_cg on gpu0: simulated uncorrectable memory error"
  is "$why" "$(jq -r '.[0].problem' <<<"$output")"
}

@test "a child reports errno, so that the failure of a busy GPU may pass" {
  local gpu=$BATS_TEST_TMPDIR/tiny results=$BATS_TEST_TMPDIR/results
  sed 's/^seed.*/&\nbusy = 10000 300000 0 1000000000000000/' "$tiny" >"$gpu"
  handover "$gpu" >"$results"
  patient run_split "$tool" measure --sim "$gpu" --no-store --timeout 100 --resume 3 <"$results"
  is 1 "$status"
  has "$errors" "gpu0: the GPU is busy"
  # EBUSY
  [[ $output == "failed 16 the GPU is busy: another program uses it"* ]]
}

@test "a child that cannot start to measure reports why, too" {
  run_split "$tool" measure --sim ./not/there --no-store --resume 3 </dev/null
  is 3 "$status"
  [[ $output == "failed 5 "*"./not/there"* ]]
  has "$output" "No such file or directory"
  run_split "$tool" measure --no-store --resume 3 gpu9 </dev/null
  is 3 "$status"
  is "failed 19 the process that measures the rest cannot find the GPU" "$output"
}

@test "measuring uses at most a 20th of the free device memory if that is enough, and never more than a fifth" {
  local gpu=$BATS_TEST_TMPDIR/gpu mib share bytes
  for mib in 28:5 112:5 400:5 3000:20; do
    share=${mib#*:} mib=${mib%:*}
    sed "s/^memory = .*/memory = $mib MiB/; s/^sms = .*/sms = 8/" "$top_srcdir/data/sim/rtx2080ti" >"$gpu"
    run_split "$tool" measure --sim "$gpu" --xml --no-store
    is 0 "$status"
    bytes=$(sed -n 's/.*"GPUCacheMeasuringDeviceBytes" value="\([0-9]*\)".*/\1/p' <<<"$output")
    [ "$bytes" -gt $((mib << 20 >> 6)) ]
    [ "$bytes" -le $(((mib << 20) / share)) ]
    has "$output" '"CapacityBytes" value="59392"'
  done
  sed "s/^memory = .*/memory = 20 MiB/" "$top_srcdir/data/sim/rtx2080ti" >"$gpu"
  run_split "$tool" measure --sim "$gpu" --no-store
  is 1 "$status"
  is "hwloc-gpucache: gpu0: only 20 MiB of device memory are free, of which no more than a fifth is used" "$errors"
}
