#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Progress on a terminal, deadlines and signals: what the user sees, and that nothing is left.

setup() {
  load setup.bash
  prepare
}

@test "a measurement is stored also if nobody reads its messages any more" {
  sed '1i broken = latency_texture' "$tiny" >"$BATS_TEST_TMPDIR/broken"
  "$tool" measure --sim "$BATS_TEST_TMPDIR/broken" >/dev/null 2> >(exit)
  [ -s "$records/sim-broken.xml" ]
}

@test "progress is shown on a terminal and erased at the end; a file has none" {
  command -v script >/dev/null || skip "script (Debian package bsdutils) is missing"
  script -qec 'test -t 1' /dev/null >/dev/null 2>&1 || skip "no pseudo-terminal can be created here"
  export TERM=xterm
  script -qec "'$tool' measure --no-store --sim '$tiny' >'$BATS_TEST_TMPDIR/out'" /dev/null \
    >"$BATS_TEST_TMPDIR/seen"
  local seen
  seen=$(cat "$BATS_TEST_TMPDIR/seen")
  [[ $seen =~ gpu0\ Tiny\ Test\ GPU\ \ \[#*-*\]\ [0-9]+/[0-9]+\ L1Cache ]]
  has "$seen" $'\r'
  is $'\r\e[K' "$(tail -c 4 "$BATS_TEST_TMPDIR/seen")"
  has "$(cat "$BATS_TEST_TMPDIR/out")" "L1Cache"
  has_not "$(cat "$BATS_TEST_TMPDIR/out")" '[#'

  TERM=dumb script -qec "'$tool' measure --no-store --sim '$tiny' >/dev/null" /dev/null \
    >"$BATS_TEST_TMPDIR/seen"
  is '' "$(cat "$BATS_TEST_TMPDIR/seen")"
  run_split "$tool" measure --no-store --sim "$tiny"
  is '' "$errors"
}

@test "progress of several GPUs: one that has failed is not called ready" {
  command -v script >/dev/null || skip "script (Debian package bsdutils) is missing"
  script -qec 'test -t 1' /dev/null >/dev/null 2>&1 || skip "no pseudo-terminal can be created here"
  sed '1i broken = fill' "$tiny" >"$BATS_TEST_TMPDIR/broken"
  export TERM=xterm
  cp "$tiny" "$BATS_TEST_TMPDIR/other"
  local rows seen
  for rows in 24 3; do # a line for each of three GPUs, or a line for all
    seen=$(script -qc "stty rows $rows cols 100; '$tool' measure --no-store \
      --sim '$tiny,$BATS_TEST_TMPDIR/broken,$BATS_TEST_TMPDIR/other' >/dev/null" /dev/null)
    if [ "$rows" = 24 ]; then
      has "$seen" "gpu1 Tiny Test GPU  failed"
      has_not "$seen" "gpu1 Tiny Test GPU  ready"
    else
      has "$seen" "1/3 ended, 1 failed"
      has_not "$seen" "1/3 ready"
    fi
  done
}

@test "--timeout: a message, exit 1, nothing left" {
  run_split "$tool" measure --timeout 0.01 --sim "$tiny"
  is 1 "$status"
  is '' "$output"
  is "hwloc-gpucache: gpu0: not finished after 0.01 s, so it was stopped; use a longer --timeout, or none" "$errors"
  is '' "$(leftovers)"
  # on a slow machine the deadline may come before the lock
  [ ! -e "$records/sim-tiny.lock" ] || flock -n "$records/sim-tiny.lock" true
}

@test "--timeout works while another process holds the lock, and for several GPUs" {
  mkdir -m 700 "$records"
  flock "$records/sim-tiny.lock" sleep 300 3>&- &
  local holder=$!
  soon bash -c '! flock -n "$0" true' "$records/sim-tiny.lock"
  local who='another process( \([0-9]+\))? is measuring this GPU' command
  for command in measure 'measure --force' 'measure --force --verbose' show; do
    patient run_split "$tool" $command --timeout 100 --sim "$tiny"
    is 1 "$status"
    is '' "$output"
    is 2 "$(grep -c . <<<"$errors")"
    [[ $errors =~ ^"hwloc-gpucache: gpu0: "$who"; waiting"$'\n'"hwloc-gpucache: gpu0: "$who"; gave up after 99."[1-5]" s"$ ]]
  done
  cp "$tiny" "$BATS_TEST_TMPDIR/free"
  patient run_split "$tool" measure --timeout 100 --sim "$tiny,$BATS_TEST_TMPDIR/free"
  is 1 "$status"
  [[ $errors =~ "; gave up after 99."[1-5]" s" ]]
  has "$output" "gpu1: Tiny Test GPU"
  is "$records/sim-free.xml" "$(leftovers)"
  rm "$records/sim-free.xml"
  kill $holder $(pgrep -P $holder)
  run_split "$tool" measure --timeout 0.01 --sim "$tiny,$BATS_TEST_TMPDIR/free"
  is 1 "$status"
  has "$errors" "gpu0: not finished after 0.01 s, so it was stopped"
  has "$errors" "gpu1: not finished after 0.01 s, so it was stopped"
  is '' "$(leftovers)"
}

@test "the time before the lock counts: the message names the lock, not the deadline" {
  local slow="$top_builddir/tests/tool/.libs/libslow.so"
  [ -e "$slow" ] || skip "$slow is not built"
  mkdir -m 700 "$records"
  flock "$records/sim-tiny.lock" sleep 300 3>&- &
  local holder=$!
  soon bash -c '! flock -n "$0" true' "$records/sim-tiny.lock"
  # the check for disk space takes 2 s
  patient run_split "$tool" measure --timeout 100 --sim "$tiny"
  kill $holder $(pgrep -P $holder)
  is 1 "$status"
  [[ $errors =~ " is measuring this GPU; gave up after 97."[1-5]" s" ]]
}

@test "waiting for another process is reported at once, and ends with that process" {
  mkdir -m 700 "$records"
  flock "$records/sim-tiny.lock" sleep 300 3>&- &
  local holder=$!
  soon bash -c '! flock -n "$0" true' "$records/sim-tiny.lock"
  "$tool" measure --sim "$tiny" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/said" 3>&- &
  local waiter=$!
  soon grep -q 'is measuring this GPU; waiting' "$BATS_TEST_TMPDIR/said"
  kill -0 $waiter
  is '' "$(cat "$BATS_TEST_TMPDIR/out")"
  kill $holder $(pgrep -P $holder)
  wait $waiter
  is 1 "$(grep -c . "$BATS_TEST_TMPDIR/said")"
  has "$(cat "$BATS_TEST_TMPDIR/out")" L1Cache
}

# measure_for_ever: a GPU on which measuring lasts for minutes, because it is always busy and the clock of this process, with
# the library $endless, is slow: as long as the test needs, and without work for the CPU.
measure_for_ever() {
  gpu=$BATS_TEST_TMPDIR/busy
  endless="$SANITIZER_PRELOAD $top_builddir/tests/tool/.libs/libfast.so"
  [ -e "${endless##* }" ] || skip "${endless##* } is not built"
  sed '1i busy = 10000 300000 0 1000000000000000' "$tiny" >"$gpu"
}

@test "SIGINT, SIGQUIT, SIGTERM and SIGHUP end the command by that signal, nothing left" {
  local signal number gpu endless
  measure_for_ever
  ulimit -c 0
  for signal in INT:130 QUIT:131 TERM:143 HUP:129; do
    rm -rf "$records"
    # a background job of a shell ignores SIGINT, nohup makes it ignore SIGHUP
    env --default-signal=INT,QUIT,TERM,HUP LD_PRELOAD="$endless" "$tool" measure --sim "$gpu" >/dev/null 2>&1 3>&- &
    local pid=$!
    soon [ -e "$records/sim-busy.lock" ]
    kill -"${signal%:*}" $pid
    number=0
    wait $pid || number=$?
    is "${signal#*:}" "$number"
    is '' "$(leftovers)"
    flock -n "$records/sim-busy.lock" true
  done
}

@test "ended while it checks for disk space, or while it stores: no unfinished file stays" {
  local slow="$top_builddir/tests/tool/.libs/libslow.so"
  [ -e "$slow" ] || skip "$slow is not built"
  local moment number ended=$BATS_TEST_TMPDIR/ended
  for moment in looks stores; do
    rm -rf "$records" "$ended"
    # it can neither remove nor store an unfinished record before the signal
    case $moment in
      looks) local -x SLOW_REMOVE_UNTIL=$ended ;;
      stores) unset SLOW_REMOVE_UNTIL && local -x SLOW_UNTIL=$ended ;;
    esac
    env LD_PRELOAD="$SANITIZER_PRELOAD $slow" "$tool" measure --sim "$tiny" >/dev/null 2>&1 3>&- &
    local pid=$!
    # it takes the lock only after the check
    [ $moment = looks ] || soon [ -e "$records/sim-tiny.lock" ]
    soon unfinished
    kill $pid
    touch "$ended"
    number=0
    wait $pid || number=$?
    is 143 "$number"
    case $moment in
      looks) is '' "$(leftovers)" ;;
      stores) is "$records/sim-tiny.xml" "$(leftovers)" ;;
    esac
  done
}

# Whether there is an unfinished record.
unfinished() { [ -n "$(leftovers)" ] && [[ $(leftovers) == *.xml.tmp-* ]]; }

# Whether none of these processes runs; a zombie does not run.
none_runs() {
  local pid
  for pid; do [ ! -e "/proc/$pid" ] || grep -q '^State:.*Z' "/proc/$pid/status" || return 1; done
}

@test "ended while measuring several GPUs, the command leaves no process" {
  local signal pid number children gpu endless
  measure_for_ever
  cp "$gpu" "$BATS_TEST_TMPDIR/other"
  ulimit -c 0
  for signal in TERM:143 QUIT:131 KILL:137; do
    rm -rf "$records"
    env --default-signal=QUIT LD_PRELOAD="$endless" "$tool" measure --sim "$gpu,$BATS_TEST_TMPDIR/other" >/dev/null 2>&1 3>&- &
    pid=$!
    number=0
    soon [ -e "$records/sim-busy.lock" ]
    soon [ -e "$records/sim-other.lock" ]
    children=$(pgrep -P $pid)
    is 2 "$(wc -w <<<"$children")"
    kill -"${signal%:*}" $pid
    wait $pid || number=$?
    is "${signal#*:}" "$number"
    # after SIGKILL, the children notice the end of their parent later
    [ "$signal" != KILL:137 ] || soon none_runs $children
    none_runs $children
    is '' "$(leftovers)"
  done
}

@test "a child that measures ends when its parent has ended" {
  run env HWLOC_GPUCACHE_CHILD_OF=1 bash -c '"$0" measure --sim "$1" & wait $!' "$tool" "$tiny"
  is 143 "$status"
  is '' "$(leftovers)"
}

@test "a file beyond ulimit -f: a message, nothing left" {
  run_split bash -c 'ulimit -f 4; "$0" measure --sim "$1"' "$tool" "$tiny"
  is 1 "$status"
  has "$errors" "cannot write $records/sim-tiny.xml: File too large"
  is '' "$(leftovers)"
}

@test "a killed measuring process is a failure of its GPU only" {
  local slow="$top_builddir/tests/tool/.libs/libslow.so" killed=$BATS_TEST_TMPDIR/killed
  [ -e "$slow" ] || skip "$slow is not built"
  cp "$tiny" "$BATS_TEST_TMPDIR/other"
  # no record is stored before the process is killed
  SLOW_UNTIL=$killed LD_PRELOAD="$SANITIZER_PRELOAD $slow" "$tool" measure --sim "$tiny,$BATS_TEST_TMPDIR/other" \
    >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
  local pid=$! number=0
  soon [ -e "$records/sim-other.lock" ]
  kill -KILL "$(pgrep -P $pid -f sim-other)"
  touch "$killed"
  wait $pid || number=$?
  is 1 "$number"
  has "$(cat "$BATS_TEST_TMPDIR/err")" "gpu1: the measuring process died of signal 9 (Killed)"
  has "$(cat "$BATS_TEST_TMPDIR/out")" "gpu0: Tiny Test GPU"
  is "$records/sim-tiny.xml" "$(leftovers)"
}
