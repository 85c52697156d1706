#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Nothing good is lost, nothing poor is kept: what replaces a record, and provisional records.

setup() {
  load setup.bash
  prepare
  gpu=$BATS_TEST_TMPDIR/mine
  record=$records/sim-mine.xml
  cp "$tiny" "$gpu"
}

# The VBIOS of a simulated GPU is a hash of its profile. Without it, the record stays valid for a changed profile.
same_gpu() { sed -i '/GPUCacheVBIOS/d' "$record"; }

# worse: one kernel of the GPU fails from now on.
worse() { sed -i '1i broken = latency_texture' "$gpu"; }
better() { sed -i '/^broken/d' "$gpu"; }

measured() { sed -n 's/.*GPUCacheMeasured" value="\([^"]*\)".*/\1/p' "$record"; }
tries() { sed -n 's/.*GPUCacheProvisionalTries" value="\([^"]*\)".*/\1/p' "$record"; }

# provisional FILE DATE: makes a record provisional, last tried on that date.
provisional() {
  sed -i "s|\( *\)<info name=\"GPUCacheMeasuringRepeats\".*|&\n\1<info name=\"GPUCacheProvisional\" value=\"too hot\"/>\n\1<info name=\"GPUCacheProvisionalTries\" value=\"1\"/>\n\1<info name=\"GPUCacheProvisionalTried\" value=\"$2\"/>|" "$1"
  grep -q ProvisionalTried "$1"
}
old=2026-01-01T00:00:00Z
now() { date -u +%Y-%m-%dT%H:%M:%SZ; }

@test "--force keeps a record that determines more; --replace replaces it" {
  "$tool" measure --sim "$gpu" >/dev/null
  same_gpu
  worse
  local before
  before=$(cat "$record")
  run_split "$tool" measure --force --sim "$gpu"
  is 1 "$status"
  is "gpu0: the record of $(measured) is kept" "$output"
  has "$errors" "gpu0: the new measurement is not stored: it lacks TextureCache Latency, TextureCache LatencyP95, which the record of $(measured) has; measure --replace stores it nevertheless"
  is "$before" "$(cat "$record")"
  # the new result can be seen
  run_split "$tool" measure --all --force --no-store --sim "$gpu"
  is 0 "$status"
  has "$output" "no Latency, LatencyP95 of TextureCache: cannot finish kernel"
  has "$output" "  provisional: steps failed (TextureCache Latency, TextureCache LatencyP95)"
  run_split "$tool" measure --force --xml --sim "$gpu"
  is 1 "$status"
  has "$output" "LatencySource\" value=\"absent:cannot finish kernel latency_texture"
  run_split "$tool" measure --raw "$BATS_TEST_TMPDIR/raw" --sim "$gpu"
  is 1 "$status"
  [ -s "$BATS_TEST_TMPDIR/raw/gpu0-L1Cache-capacity.tsv" ]
  is "$before" "$(cat "$record")"
  run_split "$tool" measure --replace --sim "$gpu"
  is 0 "$status"
  # wrapped
  has "$(xargs -d '\n' <<<"$output" | tr -s ' ')" \
    " provisional: steps failed (TextureCache Latency, TextureCache LatencyP95); measured again from 20"
  is 1 "$(tries)"
  is "$record" "$(leftovers)"
  # a better one replaces it
  same_gpu
  better
  run_split "$tool" measure --force --sim "$gpu"
  is 0 "$status"
  is '' "$errors"
  is '' "$(tries)"
  has_not "$(cat "$record")" Provisional
}

@test "a record of another driver or method has nothing to lose" {
  "$tool" measure --sim "$gpu" >/dev/null
  same_gpu
  sed -i 's/name="GPUCacheMethod" value="[^"]*"/name="GPUCacheMethod" value="1"/' "$record"
  worse
  run_split "$tool" measure --sim "$gpu"
  is 0 "$status"
  is 1 "$(tries)"
}

@test "of several GPUs, each keeps its own record or not" {
  "$tool" measure --sim "$gpu,$tiny" >/dev/null
  same_gpu
  worse
  local before
  before=$(measured)
  sed -i 's/\(name="GPUCacheMeasured" value="\)[^"]*/\11999-01-01T00:00:00Z/' "$records/sim-tiny.xml"
  run_split "$tool" measure --force --sim "$gpu,$tiny"
  is 1 "$status"
  has "$errors" "gpu0: the new measurement is not stored: it lacks TextureCache Latency, TextureCache LatencyP95"
  has "$output" "gpu0: the record of $before is kept"
  is 2 "$(grep -c ELEMENT <<<"$output")" # the two tables of gpu1
  is "$before" "$(measured)"
  has_not "$(cat "$records/sim-tiny.xml")" 1999
  run_split "$tool" measure --replace --sim "$gpu,$tiny"
  is 0 "$status"
  is 1 "$(tries)"
}

@test "memory that other programs use makes the record provisional; a small memory does not" {
  sed -i 's/^memory = .*/memory = 4 GiB\nmemory_used = 3976 MiB/; s/^size = 256 KiB/size = 16 MiB/' "$gpu"
  run_split "$tool" measure --sim "$gpu"
  is 0 "$status"
  has "$output" "  provisional: too little free device memory ("
  has "$(cat "$record")" 'GPUCacheStatus" value="measured, but provisional: too little free device memory ('
  run_split "$tool" show --json --sim "$gpu"
  has "$output" '"Provisional": "too little free device memory ('
  has "$output" '"ProvisionalTries": 1'
  # memory is free again
  same_gpu
  sed -i '/^memory_used/d' "$gpu"
  run_split "$tool" measure --force --sim "$gpu"
  is 0 "$status"
  is '' "$errors"
  has_not "$(cat "$record")" Provisional
  has_not "$(cat "$record")" "too little free"
  # a GPU that never has more
  sed -i 's/^memory = .*/memory = 120 MiB/' "$gpu"
  run_split "$tool" measure --no-store --xml --sim "$gpu"
  is 0 "$status"
  has "$output" "absent:needs "
  has_not "$output" Provisional
}

@test "measure and show measure a provisional record again when it is due, and not before" {
  "$tool" measure --sim "$gpu" >/dev/null
  provisional "$record" "$(now)"
  local before
  before=$(cat "$record")
  run_split "$tool" list --sim "$gpu"
  has "$output" "measured $(measured); provisional: too hot; measured again from 20"
  run_split "$tool" measure --sim "$gpu"
  is 0 "$status"
  is '' "$errors"
  is "gpu0: already measured on $(measured), provisional: too hot (--force measures again)" "$output"
  run_split "$tool" show --sim "$gpu"
  has "$output" "provisional: too hot; measured again from 20"
  is "$before" "$(cat "$record")"
  sed -i "s/\(ProvisionalTried\" value=\"\)[^\"]*/\1$old/" "$record"
  run_split "$tool" list --sim "$gpu"
  has "$output" "provisional: too hot; the next load or measure tries again"
  run_split "$tool" show --sim "$gpu"
  is 0 "$status"
  is '' "$errors"
  has_not "$output" provisional
  has_not "$(cat "$record")" Provisional
  provisional "$record" "$old"
  before=$(measured)
  run_split "$tool" measure --sim "$gpu"
  is 0 "$status"
  is "hwloc-gpucache: gpu0: the record of $before is provisional: too hot; measuring again" "$errors"
  has "$output" ELEMENT
  has_not "$(cat "$record")" Provisional
}

@test "a due record whose measurement fails, or determines less, stays; the try counts" {
  "$tool" measure --sim "$gpu" >/dev/null
  same_gpu
  provisional "$record" "$old"
  worse
  run_split "$tool" measure --sim "$gpu"
  is 1 "$status"
  has "$output" "is kept"
  has "$errors" "it lacks TextureCache Latency, TextureCache LatencyP95, which"
  is 2 "$(tries)"
  # not due any more
  run_split "$tool" measure --sim "$gpu"
  is 0 "$status"
  has "$output" "already measured"
  # show prints the earlier record
  sed -i "s/\(ProvisionalTried\" value=\"\)[^\"]*/\1$old/" "$record"
  run_split "$tool" show --sim "$gpu"
  is 0 "$status"
  has "$output" "provisional: too hot"
  has_not "$output" "Latency of TextureCache"
  is 3 "$(tries)"
  # a busy GPU
  better
  sed -i '1i busy = 10000 300000 0 1000000000000000' "$gpu"
  sed -i "s/\(ProvisionalTried\" value=\"\)[^\"]*/\1$old/" "$record"
  patient run_split "$tool" measure --timeout 100 --sim "$gpu"
  is 1 "$status"
  is '' "$output"
  [[ $errors == *"gpu0: the GPU is busy: "*"; the record of $(measured) is kept" ]]
  is 4 "$(tries)"
  sed -i "s/\(ProvisionalTried\" value=\"\)[^\"]*/\1$old/" "$record"
  patient run_split "$tool" show --timeout 100 --sim "$gpu"
  is 0 "$status"
  has "$errors" "the GPU is busy"
  has "$output" "provisional: too hot"
}

@test "due records: in parallel, and once for several requests at a time" {
  "$tool" measure --sim "$gpu,$tiny" >/dev/null
  provisional "$record" "$old"
  provisional "$records/sim-tiny.xml" "$old"
  run_split "$tool" measure --sim "$gpu,$tiny"
  is 0 "$status"
  is 2 "$(grep -c 'gpu[01]: the record of .* is provisional: too hot; measuring again' <<<"$errors")"
  is 2 "$(grep -c . <<<"$errors")"
  is 4 "$(grep -c ELEMENT <<<"$output")"
  # both find the provisional record; the second then finds the new one of the first
  provisional "$record" "$old"
  exec 4>>"$records/sim-mine.lock"
  flock 4
  "$tool" measure --sim "$gpu" >"$BATS_TEST_TMPDIR/one" 2>&1 3>&- 4>&- &
  "$tool" measure --sim "$gpu" >"$BATS_TEST_TMPDIR/two" 2>&1 3>&- 4>&- &
  soon grep -q 'measuring again' "$BATS_TEST_TMPDIR/one"
  soon grep -q 'measuring again' "$BATS_TEST_TMPDIR/two"
  exec 4>&-
  wait
  is 1 "$(cat "$BATS_TEST_TMPDIR/one" "$BATS_TEST_TMPDIR/two" | grep -c 'already measured')"
  is 1 "$(cat "$BATS_TEST_TMPDIR/one" "$BATS_TEST_TMPDIR/two" | grep -c ' SMs at ')"
  # the same if the second one's result is provisional, too
  same_gpu
  worse
  run_split "$tool" measure --replace --sim "$gpu"
  sed -i "s/\(ProvisionalTried\" value=\"\)[^\"]*/\1$old/" "$record"
  "$tool" measure --sim "$gpu" >"$BATS_TEST_TMPDIR/one" 2>&1 3>&- &
  "$tool" measure --sim "$gpu" >"$BATS_TEST_TMPDIR/two" 2>&1 3>&- &
  wait
  is 2 "$(tries)"
}
