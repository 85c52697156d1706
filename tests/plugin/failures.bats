#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# A failed measurement is noted: later loads do not try again, and say so.

setup() {
  load setup.bash
  prepare
  use_node
  rm "$HWLOC_FSROOT/proc/driver/nvidia/gpus/0000:97:00.0/information" # one is enough
  note=$HWLOC_GPUCACHE_DIR/$gpu0.failed
}

gpu0_status() { info GPUCacheStatus pci=17:00.0; }

# A tool that crashes leaves no message; the plugin notes the failure.
fail_once() {
  FAKE_TOOL_DOES=crash topology > /dev/null
  is 1 "$(starts)"
}

# since SECONDS: makes the note older.
since() {
  sed -i "s/^since: .*/since: $(date -u -d "$1 seconds ago" +%Y-%m-%dT%H:%M:%SZ)/" "$note"
}

@test "after a failure, loads do not try again and say what happened" {
  fail_once
  local word
  [[ $(gpu0_status) =~ ^"not measured: measuring was killed by signal 11 (remembered since "20..-..-..T..:..:..Z"; hwloc-gpucache measure tries again)"$ ]]
  for word in 1 2 3; do topology > /dev/null; done
  is 1 "$(starts)"
}

@test "a hanging tool delays one load only" {
  FAKE_TOOL_DOES=hang leap "$FAKE_TOOL_LOG.pids" "$LSTOPO" --of console > /dev/null
  is 1 "$(starts)"
  FAKE_TOOL_DOES=hang HWLOC_GPUCACHE_TIMEOUT=600 run gpu0_status
  is 1 "$(starts)"
  has "not measured: it takes longer than 600 s (remembered since "
  # with a longer timeout, the load tries again
  HWLOC_GPUCACHE_TIMEOUT=900 topology > /dev/null
  is 2 "$(starts)"
}

@test "only the user can read the note, and it has a few lines" {
  fail_once
  is 600 "$(stat -c %a "$note")"
  is "hwloc-gpucache failure 2" "$(head -n 1 "$note")"
  [ "$(wc -l < "$note")" -lt 20 ]
}

@test "a failure that may pass is tried again after ten minutes, others after a day" {
  fail_once
  since 590
  topology > /dev/null
  is 1 "$(starts)"
  since 610
  topology > /dev/null
  is 2 "$(starts)"
  fail_note_again() { rm -f "$HWLOC_GPUCACHE_DIR"/*; FAKE_TOOL_DOES=crash topology > /dev/null; }
  fail_note_again
  sed -i 's/^kind: passes/kind: lasts/; s/^seconds: .*/seconds: 86400/' "$note"
  since 86000
  topology > /dev/null
  is 3 "$(starts)"
  since 86500
  topology > /dev/null
  is 4 "$(starts)"
}

@test "failures that are repeated are tried again later and later" {
  fail_once
  since 610
  FAKE_TOOL_DOES=crash topology > /dev/null
  is 2 "$(starts)"
  since 1190
  topology > /dev/null
  is 2 "$(starts)"
  since 1210
  FAKE_TOOL_DOES=crash topology > /dev/null
  is 3 "$(starts)"
  is 'seconds: 2400' "$(grep '^seconds' "$note")"
}

@test "a tool that somebody kills is not a failure of the GPU, unless that is repeated" {
  local signal
  for signal in KILL TERM; do
    rm -f "$HWLOC_GPUCACHE_DIR"/*
    : > "$FAKE_TOOL_LOG"
    FAKE_TOOL_DOES=killed-by-$signal topology > /dev/null
    is "measuring was killed by signal" "$(FAKE_TOOL_DOES=killed-by-$signal gpu0_status | sed 's/ [0-9]*$//')"
    is 2 "$(starts)"
    topology > /dev/null
    is 2 "$(starts)"
    rm "$note"
    FAKE_TOOL_DOES=killed-by-$signal topology > /dev/null
    run topology
    has gpu0-L1
    is 4 "$(starts)"
  done
}

@test "a record that cannot be found after measuring is noted, with the reason" {
  FAKE_TOOL_DOES=lie topology > /dev/null
  FAKE_TOOL_DOES=lie run gpu0_status
  is 1 "$(starts)"
  has "not measured: measured, but no record of $gpu0 (remembered since "
}

@test "a clock that was set back does not keep a note valid" {
  fail_once
  since -3600
  topology > /dev/null
  is 2 "$(starts)"
}

@test "refresh tries again, and a record removes the note" {
  fail_once
  HWLOC_GPUCACHE=refresh FAKE_TOOL_DOES=crash topology > /dev/null
  is 2 "$(starts)"
  HWLOC_GPUCACHE=refresh run topology
  has gpu0-L1
  topology > /dev/null
  is 3 "$(starts)"
}

@test "another driver, another VBIOS, other visible GPUs, another library path: tried again" {
  fail_once
  FAKE_TOOL_DOES=silent CUDA_VISIBLE_DEVICES=0 topology > /dev/null
  is 2 "$(starts)"
  FAKE_TOOL_DOES=silent HIP_VISIBLE_DEVICES= topology > /dev/null
  is 3 "$(starts)"
  FAKE_TOOL_DOES=silent LD_LIBRARY_PATH=/nowhere topology > /dev/null
  is 4 "$(starts)"
  topology > /dev/null
  is 4 "$(starts)"
  FAKE_TOOL_DOES=silent GPU_DEVICE_ORDINAL=1 topology > /dev/null
  is 5 "$(starts)"
  FAKE_TOOL_DOES=silent CUDA_DEVICE_ORDER=PCI_BUS_ID topology > /dev/null
  is 6 "$(starts)"
  sed -i 's/96\.00/97.00/' "$HWLOC_FSROOT/proc/driver/nvidia/gpus/0000:17:00.0/information"
  FAKE_TOOL_DOES=silent topology > /dev/null
  is 7 "$(starts)"
  sed -i 's/97\.00/96.00/' "$HWLOC_FSROOT/proc/driver/nvidia/gpus/0000:17:00.0/information"
  sed -i 's/580\.159\.04/999.1.2/' "$HWLOC_FSROOT/proc/driver/nvidia/version"
  FAKE_TOOL_DOES=silent topology > /dev/null
  is 8 "$(starts)"
}

@test "a note that is garbage, too long, writable by others or a link is ignored" {
  local step
  for step in 'echo garbage > $note' 'head -c 5000 /dev/zero | tr "\0" x >> $note' ': > $note' \
    'chmod 666 $note' 'mv $note $note.old; ln -s $note.old $note' 'rm -f $note; mkdir $note' \
    'sed -i s/^since:.*/since:\ yesterday/ $note' 'sed -i /^why/d $note' 'echo more >> $note'; do
    rm -rf "$HWLOC_GPUCACHE_DIR"
    mkdir -m 700 "$HWLOC_GPUCACHE_DIR"
    : > "$FAKE_TOOL_LOG"
    fail_once
    eval "$step"
    FAKE_TOOL_DOES=silent topology > /dev/null
    is 2 "$(starts)"
  done
}

@test "a link in place of the note is replaced, not followed" {
  echo precious > "$BATS_TEST_TMPDIR/precious"
  ln -s "$BATS_TEST_TMPDIR/precious" "$note"
  fail_once
  is precious "$(cat "$BATS_TEST_TMPDIR/precious")"
  [ ! -L "$note" ]
}

@test "cached reports that measuring is forbidden, not that it failed" {
  fail_once
  HWLOC_GPUCACHE=cached run gpu0_status
  is "no record; HWLOC_GPUCACHE=cached forbids measuring" "$output"
}

# counting_tool COMMAND: the tool runs this, and notes how many run beside it.
counting_tool() {
  cat > "$BATS_TEST_TMPDIR/tool" <<END
#!/bin/sh
unset LD_PRELOAD
mkdir "$BATS_TEST_TMPDIR/running.\$\$"
ls -d "$BATS_TEST_TMPDIR"/running.* | wc -l >> "$BATS_TEST_TMPDIR/together"
$1
"$fake_tool" "\$@"
rmdir "$BATS_TEST_TMPDIR/running.\$\$"
END
  chmod +x "$BATS_TEST_TMPDIR/tool"
  export HWLOC_GPUCACHE_TOOL=$BATS_TEST_TMPDIR/tool
}

@test "simulated GPUs share the CPUs that the load may use, and none runs beside a real GPU on one CPU" {
  local i names=''
  for ((i = 0; i < 3; i++)); do
    names+=",$BATS_TEST_TMPDIR/quick$i"
    echo 'model = NVIDIA Fake # not real' > "${names##*,}"
  done
  counting_tool 'sleep 0.3'
  export HWLOC_GPUCACHE_SIM=${names#,} HWLOC_GPUCACHE_TIMEOUT=60
  run taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[^0-9].*//')" "$LSTOPO" --of xml
  is 0 "$status"
  is 4 "$(grep -c 'name="gpu[0-4]-Memory 80GiB"' <<<"$output")"
  is 1 "$(sort -n "$BATS_TEST_TMPDIR/together" | tail -n 1)"
}

@test "twenty simulated GPUs without a record: the deadline holds, what is ready is shown, the others say what to run" {
  local i names=''
  unset HWLOC_FSROOT HWLOC_THISSYSTEM
  for ((i = 0; i < 20; i++)); do
    names+=",$BATS_TEST_TMPDIR/$( ((i < 5)) && echo quick || echo slow)$i"
    echo 'model = NVIDIA Fake # not real' > "${names##*,}"
  done
  # the deadline comes when the quick ones are ready and a slow one is still measured
  event=$BATS_TEST_TMPDIR/deadline
  counting_tool "case \$* in *slow*)
  until [ \$(ls '$HWLOC_GPUCACHE_DIR' | grep -c 'quick.*xml$') = 5 ]; do sleep 0.05; done
  : >'$event'
  exec sleep 1000 ;;
esac"
  export HWLOC_GPUCACHE_SIM=${names#,} HWLOC_GPUCACHE_VERBOSE=0
  run leap "$event" "$LSTOPO" --of xml
  is 0 "$status"
  is 5 "$(grep -c 'name="gpu[0-4]-Memory 80GiB"' <<<"$output")"
  is 15 "$(grep -c 'GPUCacheStatus" value="sim-slow[0-9]*: not measured within 600 s; run hwloc-gpucache measure, which has no time limit, or raise HWLOC_GPUCACHE_TIMEOUT"' <<<"$output")"
  # no more run together than there are CPUs for
  [ "$(sort -n "$BATS_TEST_TMPDIR/together" | tail -n 1)" -le "$(getconf _NPROCESSORS_ONLN)" ]
}

@test "many GPUs that were not measured in time: one sentence; one or two: a sentence each; other failures remain" {
  local event=$BATS_TEST_TMPDIR/deadline names= word i
  unset HWLOC_FSROOT HWLOC_THISSYSTEM
  # gpu0 and gpu2 are ready, gpu1 fails, the others are late
  counting_tool "case \$* in
*late*) exec sleep 1000 ;;
*fails*) echo 'hwloc-gpucache: gpu0: it is broken' >&2; rmdir '$BATS_TEST_TMPDIR'/running.\$\$; exit 1 ;;
*last*) until [ \$(ls '$HWLOC_GPUCACHE_DIR' | grep -c 'quick.*xml$') = 2 ]; do sleep 0.05; done
  : >'$event'; exec sleep 1000 ;;
esac"
  # the late ones must not keep the others from starting
  for word in quick0 fails quick2 last; do
    names+=",$BATS_TEST_TMPDIR/$word"
    echo 'model = NVIDIA Fake # not real' >"${names##*,}"
  done
  for i in 1 2 3 4; do
    cp "$BATS_TEST_TMPDIR/last" "$BATS_TEST_TMPDIR/late$i"
    names+=",$BATS_TEST_TMPDIR/late$i"
  done
  export HWLOC_HIDE_ERRORS=0
  printed() {
    rm -f "$event" "$HWLOC_GPUCACHE_DIR"/*
    HWLOC_GPUCACHE_SIM=${1#,} leap "$event" "$topo_check" io-all load 2>&1 | sort
  }
  is "hwloc/gpucache: 3 more GPUs were not measured in time
hwloc/gpucache: gpu1 (sim-fails): it is broken
hwloc/gpucache: gpu3 (sim-last): not measured within 600 s; run hwloc-gpucache measure, which has no time limit, or raise HWLOC_GPUCACHE_TIMEOUT
hwloc/gpucache: gpu4 (sim-late1): not measured within 600 s; run hwloc-gpucache measure, which has no time limit, or raise HWLOC_GPUCACHE_TIMEOUT" "$(printed "$names")"
  names=${names%,*,*,*} # gpu3 and gpu4 are late
  is "hwloc/gpucache: gpu1 (sim-fails): it is broken
hwloc/gpucache: gpu3 (sim-last): not measured within 600 s; run hwloc-gpucache measure, which has no time limit, or raise HWLOC_GPUCACHE_TIMEOUT
hwloc/gpucache: gpu4 (sim-late1): not measured within 600 s; run hwloc-gpucache measure, which has no time limit, or raise HWLOC_GPUCACHE_TIMEOUT" \
    "$(printed "$names")"
  export HWLOC_GPUCACHE_VERBOSE=1 # names each one
  [ "$(printed "$names,$BATS_TEST_TMPDIR/late2" | grep -c ': not measured within 600 s')" = 3 ]
}
