#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# show: for people, for programs, for lstopo.

setup() {
  load setup.bash
  prepare
}

@test "show measures first, stores, and shows the same afterwards" {
  run_split "$tool" show --sim "$tiny"
  is 0 "$status"
  is '' "$errors"
  local first=$output
  [ -f "$records/sim-tiny.xml" ]
  run_split "$tool" show --sim "$tiny"
  is "$first" "$output"
}

@test "the table: a line about the GPU, then a row per element, indented as it is nested" {
  run_split "$tool" show --sim "$tiny"
  [[ ${lines[0]} =~ ^gpu0:\ Tiny\ Test\ GPU,\ 4\ SMs\ at\ 1000\ MHz,\ driver\ simulated,\ measured\ 20 ]]
  [[ ${lines[1]} =~ ELEMENT\ +CAPACITY\ +NOMINAL\ +CYCLES\ +NS\ +READ\ +WRITE\ +PER\ SM\ +IN\ ALL\ +SOURCE\ +CONFIDENCE ]]
  [[ ${lines[2]} =~ ^\ {2}DeviceMemory ]]
  [[ ${lines[3]} =~ ^\ {4}L2Cache ]]
  [[ ${lines[4]} =~ ^\ {6}L1Cache\ +8\ KiB\ +-\ +30\.0\ +30\.0 ]]
}

@test "every fact of the GPU in a record has its name in the public header" {
  "$tool" measure --sim "$tiny" >/dev/null
  local name header n=0
  header=$(cat "$top_srcdir/include/hwloc/gpucache.h")
  for name in $(grep -o 'info name="GPUCache[^"]*"' "$records/sim-tiny.xml" | cut -d'"' -f2 | sort -u); do
    has "$header" " \"$name\""
    n=$((n + 1))
  done
  [ "$n" -ge 20 ]
  has "$(cat "$records/sim-tiny.xml")" GPUCacheMeasuringMilliseconds
  has_not "$(cat "$records/sim-tiny.xml")" GPUCacheMeasureSeconds
}

@test "--json: an array of GPUs with every attribute, numbers as numbers" {
  run_split "$tool" show --json --sim "$tiny"
  is 0 "$status"
  is '' "$errors"
  q() { jq -r "$1" <<<"$output"; }
  is 1 "$(q length)"
  is "gpu0 sim-tiny true null" "$(q '.[0] | "\(.name) \(.id) \(.simulated) \(.bus)"')"
  is "4 number" "$(q '.[0].SMs | "\(.) \(type)"')"
  is "7.0 string" "$(q '.[0].ComputeCapability | "\(.) \(type)"')"
  is string "$(q '.[0].Measured | type')"
  is "L2Cache 8192 number" \
    "$(q '.[0].elements[] | select(.subtype == "L1Cache") | "\(.parent) \(.CapacityBytes) \(.CapacityBytes | type)"')"
  is null "$(q '.[0].elements[0].parent')"
  is measured "$(q '.[0].elements[] | select(.subtype == "L1Cache").CapacitySource')"
  is true "$(q '.[0].elements[] | select(.subtype == "L1Cache").CapacityConfidence <= 1')"
  # every info of the record's elements is there
  local infos
  infos=$(grep '<info ' "$records/sim-tiny.xml" | grep -c -E 'name="[A-Z][A-Za-z]*(Bytes|Cycles|Ns|Source|Confidence)"')
  is "$(grep -E -c '<info name="(Capacity|Latency)' "$records/sim-tiny.xml")" \
    "$(q '[.[0].elements[] | keys[] | select(test("^(Capacity|Latency)"))] | length')"
}

@test "a GPU that fails leaves a gap, not a hole: JSON says why, the others are shown" {
  echo nonsense >"$BATS_TEST_TMPDIR/bad"
  run_split "$tool" show --json --sim "$BATS_TEST_TMPDIR/bad,$tiny"
  is 1 "$status"
  is 2 "$(jq length <<<"$output")"
  has "$(jq -r '.[0].problem' <<<"$output")" "bad"
  is null "$(jq -r '.[0].elements' <<<"$output")"
  is sim-tiny "$(jq -r '.[1].id' <<<"$output")"
  is true "$(jq '.[1].elements | length > 3' <<<"$output")"
}

@test "--xml: the record as it is stored" {
  "$tool" measure --sim "$tiny" >/dev/null
  run_split "$tool" show --xml --sim "$tiny"
  is 0 "$status"
  is "$(cat "$records/sim-tiny.xml")" "$output"
  run_split "$tool" show --xml --sim "$tiny,h200"
  is 2 "$status"
  has "$errors" "--xml prints one GPU"
  "$tool" measure --no-store --only L1Cache --xml --sim "$tiny" >"$BATS_TEST_TMPDIR/one.xml"
  run "$LSTOPO" --of console -i "$BATS_TEST_TMPDIR/one.xml"
  has "$output" L1Cache
  has_not "$output" TextureCache
}

@test "several GPUs: measured side by side, shown in their order" {
  cp "$tiny" "$BATS_TEST_TMPDIR/other"
  sed -i 's/^model = .*/model = Other GPU/' "$BATS_TEST_TMPDIR/other"
  run_split "$tool" show --sim "$BATS_TEST_TMPDIR/other,$tiny"
  is 0 "$status"
  is '' "$errors"
  is "gpu0: Other GPU gpu1: Tiny Test GPU" "$(grep -o '^gpu.: [^,]*' <<<"$output" | xargs)"
  is 2 "$(leftovers | wc -l)"
  run_split "$tool" measure --force --sim "$BATS_TEST_TMPDIR/other,$tiny"
  is 2 "$(grep -c ELEMENT <<<"$output")"
  run_split "$tool" measure --sim "$BATS_TEST_TMPDIR/other,$tiny"
  is 2 "$(grep -c 'already measured' <<<"$output")"
}

@test "several GPUs: one that fails is named, the other is measured" {
  sed 's/^sms = 4/sms = many/' "$tiny" >"$BATS_TEST_TMPDIR/bad"
  run_split "$tool" measure --sim "$tiny,$BATS_TEST_TMPDIR/bad,$tiny"
  is 1 "$status"
  run_split "$tool" measure --no-store --sim "$BATS_TEST_TMPDIR/bad,$tiny,nonsense"
  is 1 "$status"
  has "$errors" "gpu0: "
  has "$errors" "gpu2: no simulated GPU named 'nonsense'"
  has "$output" "gpu1: Tiny Test GPU"
}

@test "several GPUs that cannot be stored are shown all the same" {
  cp "$tiny" "$BATS_TEST_TMPDIR/other"
  echo 'not a directory' >"$records"
  run_split "$tool" show --sim "$BATS_TEST_TMPDIR/other,$tiny"
  is 0 "$status"
  is 2 "$(grep -c ELEMENT <<<"$output")"
  is 2 "$(grep -c 'gpu[01]: the record will not be stored' <<<"$errors")"
  run_split "$tool" measure --sim "$BATS_TEST_TMPDIR/other,$tiny"
  is 1 "$status"
  is '' "$output"
  is 2 "$(grep -c 'gpu[01]: cannot ' <<<"$errors")"
}
