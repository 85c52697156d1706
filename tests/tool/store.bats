#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Records: written, trusted, replaced, kept and removed.

setup() {
  load setup.bash
  prepare
  record=$records/sim-tiny.xml
  another="set HWLOC_GPUCACHE_DIR to another one"
  none=" (measure --no-store does not need it)" # printed by measure
}

@test "measure stores a record that lstopo draws, and prints the table" {
  run_split "$tool" measure --sim "$tiny"
  is 0 "$status"
  is '' "$errors"
  has "$output" "gpu0: Tiny Test GPU, 4 SMs"
  is "$record" "$(leftovers)"
  is 600 "$(stat -c %a "$record")"
  is 700 "$(stat -c %a "$records")"
  run "$LSTOPO" --of console -i "$record"
  has "$output" '(L1Cache) "gpu0-L1 8KiB'
  # nested like the memories
  [[ $output =~ \ +[A-Z][a-z]+\(DeviceMemory\).*[[:space:]]{4}[A-Z][a-z]+\(L2Cache\).*[[:space:]]{6}[A-Z][a-z]+\(L1Cache\) ]]
}

@test "a second measure prints the date of the record, and measures nothing" {
  use_record tiny
  local before
  before=$(cat "$record")
  run_split "$tool" measure --sim "$tiny"
  is 0 "$status"
  is '' "$errors"
  has "$output" "gpu0: already measured on $(date -u +%Y)"
  is 1 "${#lines[@]}"
  is "$before" "$(cat "$record")"
}

@test "a value without the form of its key: every reader names the line, and the GPU is measured again" {
  local bad=$BATS_TEST_TMPDIR/bad.xml why line trace=$BATS_TEST_TMPDIR/trace
  local good=$top_srcdir/doc/results/h200/record.xml
  printf 'hwloc-gpucache-trace 1\n' >"$trace"
  sed '0,/name="LineBytes" value="[0-9]*"/s//name="Sets" value="banana"/' "$good" >"$bad"
  line=$(grep -n banana "$bad" | cut -d: -f1)
  why="line $line: a value without the form that its key requires: Sets"
  for reader in "show" "export" "compare $good" "report $BATS_TEST_TMPDIR/page.html" "predict $trace --record"; do
    # shellcheck disable=SC2086
    run_split "$tool" $reader "$bad"
    [ "$status" -ne 0 ]
    is '' "$output"
    has "$errors" "$bad: $why"
  done
  use_record tiny
  sed -i '0,/name="LineBytes" value="[0-9]*"/s//name="Sets" value="banana"/' "$records/sim-tiny.xml"
  has "$("$tool" list --sim "$tiny")" "unreadable: "
  "$tool" measure --sim "$tiny" >/dev/null
  has_not "$(cat "$records/sim-tiny.xml")" banana
}

@test "list shows the state of a record: none, measured, stale, unreadable" {
  run "$tool" list --sim "$tiny"
  has "$output" none
  use_record tiny
  run "$tool" list --sim "$tiny"
  has "$output" "measured $(date -u +%Y)"
  sed -i 's/name="GPUCacheVBIOS" value="[^"]*"/name="GPUCacheVBIOS" value="0123"/' "$record"
  run "$tool" list --sim "$tiny"
  has "$output" 'was made with profile "0123"' # a simulated GPU has no VBIOS
  sed -i 's/name="GPUCacheDriver" value="[^"]*"/name="GPUCacheDriver" value="older"/' "$record"
  run "$tool" list --sim "$tiny"
  is 0 "$status"
  has "$output" 'stale: '
  has "$output" 'driver "older"'
  echo garbage >"$record"
  run "$tool" list --sim "$tiny"
  is 0 "$status"
  has "$output" 'unreadable: '
  has "$output" sim-tiny.xml
}

@test "--force measures again" {
  use_record tiny
  sed -i 's/\(name="GPUCacheMeasured" value="\)[^"]*/\11999-01-01T00:00:00Z/' "$record"
  run "$tool" measure --sim "$tiny"
  has "$output" 1999
  run_split "$tool" measure --force --sim "$tiny"
  is 0 "$status"
  has "$output" L1Cache
  has_not "$(cat "$record")" 1999
}

@test "a stale record is replaced, and --verbose prints the reason" {
  use_record tiny
  sed -i 's/name="GPUCacheDriver" value="[^"]*"/name="GPUCacheDriver" value="older"/' "$record"
  run_split "$tool" measure --verbose --sim "$tiny"
  is 0 "$status"
  has "$errors" 'driver "older"'
  has "$errors" "stored as $record"
  has "$output" L1Cache
  has_not "$(cat "$record")" older
  is "$record" "$(leftovers)"
}

@test "a changed profile is another GPU; a new comment in it changes nothing" {
  cp "$tiny" "$BATS_TEST_TMPDIR/mine"
  "$tool" measure --sim "$BATS_TEST_TMPDIR/mine" >/dev/null
  sed -i -e '1i # my own\n' -e 's/^size = .*/& # measured/' "$BATS_TEST_TMPDIR/mine"
  run "$tool" measure --sim "$BATS_TEST_TMPDIR/mine"
  has "$output" "already measured"
  sed -i 's/^size = 8 KiB/size = 4 KiB/' "$BATS_TEST_TMPDIR/mine"
  run "$tool" show --sim "$BATS_TEST_TMPDIR/mine"
  [[ $output =~ L1Cache\ +4\ KiB ]]
}

@test "a file in a record's place that is no record is renamed, not lost" {
  mkdir -m 700 "$records"
  echo precious >"$record"
  run_split "$tool" measure --sim "$tiny"
  is 0 "$status"
  has "$errors" "cannot be used"
  has "$errors" "measuring again"
  is precious "$(cat "$record".bad-*)"
  run "$tool" measure --sim "$tiny"
  has "$output" "already measured"
}

@test "a measurement that fails changes no record" {
  cp "$tiny" "$BATS_TEST_TMPDIR/mine"
  "$tool" measure --sim "$BATS_TEST_TMPDIR/mine" >/dev/null
  local before
  before=$(cat "$records/sim-mine.xml")
  echo 'nonsense = 1' >>"$BATS_TEST_TMPDIR/mine"
  run_split "$tool" measure --force --sim "$BATS_TEST_TMPDIR/mine"
  is 1 "$status"
  run_split "$tool" measure --timeout 0.001 --force --sim "$tiny"
  is 1 "$status"
  is "$before" "$(cat "$records/sim-mine.xml")"
  is "$records/sim-mine.xml" "$(leftovers)"
}

@test "--no-store and --only change no file and use no record" {
  run_split "$tool" measure --no-store --sim "$tiny"
  is 0 "$status"
  has "$output" SharedMemory
  run_split "$tool" measure --only L1Cache,SharedMemory --sim "$tiny"
  is 0 "$status"
  has "$output" L1Cache
  has "$output" SharedMemory
  # no row of other elements; a note may name what was left out
  is 0 "$(grep -c '^ *TextureCache ' <<< "$output")"
  is 0 "$(grep -c '^ *DeviceMemory ' <<< "$output")"
  [ ! -e "$records" ]
  use_record tiny
  local before
  before=$(cat "$record")
  run "$tool" measure --only L1Cache --sim "$tiny"
  has_not "$output" already
  has "$output" L1Cache
  is "$before" "$(cat "$record")"
}

@test "a directory that cannot be written: measure fails before it measures, show prints" {
  echo 'not a directory' >"$records"
  run_split "$tool" measure --sim "$tiny"
  is 1 "$status"
  is '' "$output"
  is "hwloc-gpucache: gpu0: the directory for records $records cannot be opened: Not a directory; $another$none" "$errors"
  run_split "$tool" show --sim "$tiny"
  is 0 "$status"
  has "$errors" "the record will not be stored: "
  has "$output" L1Cache
  is 'not a directory' "$(cat "$records")"
}

@test "a directory without permission: its name, the cause, what to do; a file in it: the name of the file" {
  mkdir -m 500 "$records"
  "${plain[@]}" true || skip "setpriv cannot take root's rights away here"
  run_split "${plain[@]}" "$tool" measure --sim "$tiny"
  is 1 "$status"
  is '' "$output"
  is "hwloc-gpucache: gpu0: the directory for records $records cannot be written: Permission denied; $another$none" \
    "$errors"
  run_split "${plain[@]}" "$tool" measure --no-store --sim "$tiny"
  is 0 "$status"
  is '' "$errors"
  run_split "${plain[@]}" "$tool" show --sim "$tiny"
  is 0 "$status"
  has "$errors" "the record will not be stored: the directory for records $records cannot be written: Permission denied"
  has "$output" L1Cache
  HWLOC_GPUCACHE_DIR=$records/more run_split "${plain[@]}" "$tool" measure --sim "$tiny"
  is 1 "$status"
  has "$errors" "no directory for records $records/more: cannot make $records/more: Permission denied; set HWLOC_GPUCACHE_DIR"
  chmod 700 "$records"
  : >"$records/sim-tiny.lock"
  chmod 400 "$records/sim-tiny.lock"
  run_split "${plain[@]}" "$tool" measure --sim "$tiny"
  is 1 "$status"
  has "$errors" "cannot open $records/sim-tiny.lock: Permission denied"
}

# refused WHY: each command prints that once and says what to do; with --no-store it goes on.
refused() {
  local why="the directory for records $HWLOC_GPUCACHE_DIR $1" command
  for command in measure 'measure --force'; do
    run_split "${plain[@]}" "$tool" $command --sim "$tiny"
    is 1 "$status"
    is '' "$output"
    is "hwloc-gpucache: gpu0: $why$none" "$errors"
  done
  run_split "${plain[@]}" "$tool" show --sim "$tiny"
  is 0 "$status"
  is "hwloc-gpucache: gpu0: the record will not be stored: $why" "$errors"
  has "$output" L1Cache
  run_split "${plain[@]}" "$tool" measure --no-store --only SharedMemory --sim "$tiny"
  is 0 "$status"
  is '' "$errors"
  run_split "${plain[@]}" "$tool" list --sim "$tiny"
  is 0 "$status"
  has "$output" "unreadable: $why"
  has_not "$output" no-store
  run_split "${plain[@]}" "$tool" purge --all
  is 1 "$status"
  is "hwloc-gpucache: $why" "$errors"
}

@test "a directory that cannot be used: one message that says what to do" {
  "${plain[@]}" true || skip "setpriv cannot take root's rights away here"
  mkdir -m 000 "$records"
  refused "cannot be opened: Permission denied; $another"
  chmod 700 "$records"
  if [ "$(id -u)" = 0 ]; then
    chown 12345 "$records"
    chmod 755 "$records"
    refused "is not used: it belongs to user 12345; $another"
    chown 0 "$records"
  fi
  mv "$records" "$BATS_TEST_TMPDIR/real"
  ln -s real "$records"
  refused "is not used: it is a symbolic link; $another"
  rm "$records"
  echo text >"$records"
  refused "cannot be opened: Not a directory; $another"
  is text "$(cat "$records")"
  # a file system that accepts no files, whatever its permissions
  local dir
  for dir in /proc /sys; do
    HWLOC_GPUCACHE_DIR=$dir run_split "$tool" measure --sim "$tiny"
    is 1 "$status"
    is '' "$output"
    [[ $errors =~ ^"hwloc-gpucache: gpu0: the directory for records $dir cannot be written: "[A-Z][a-z\ -]+"; $another$none"$ ]]
  done
}

@test "an empty record: list, measure and show FILE say so with the same words" {
  mkdir -m 700 "$records"
  : >"$records/sim-tiny.xml"
  run_split "$tool" show "$records/sim-tiny.xml"
  is "hwloc-gpucache: $records/sim-tiny.xml: the file is empty" "$errors"
  run_split "$tool" list --sim "$tiny"
  has "$output" "unreadable: $records/sim-tiny.xml cannot be used: the file is empty"
  run_split "$tool" show --sim "$tiny"
  is 0 "$status"
  is "hwloc-gpucache: gpu0: $records/sim-tiny.xml cannot be used: the file is empty; measuring again" "$errors"
}

@test "a record that cannot be trusted: show says so, also if no record can be stored" {
  use_record tiny
  chmod 666 "$records/sim-tiny.xml"
  local why="$records/sim-tiny.xml can be written by others than its owner; measuring again"
  "${plain[@]}" true || skip "setpriv cannot take root's rights away here"
  chmod 500 "$records"
  run_split "${plain[@]}" "$tool" show --sim "$tiny"
  is 0 "$status"
  is "hwloc-gpucache: gpu0: $why" "$(head -n 1 <<<"$errors")"
  has "$errors" "gpu0: the record will not be stored: "
  is 2 "$(wc -l <<<"$errors")"
  chmod 700 "$records"
  run_split "$tool" show --sim "$tiny"
  is "hwloc-gpucache: gpu0: $why" "$errors"
  if [ "$(id -u)" = 0 ]; then # a record of another user
    chown 12345 "$records/sim-tiny.xml"
    run_split "$tool" show --sim "$tiny"
    is "hwloc-gpucache: gpu0: $records/sim-tiny.xml belongs to user 12345; measuring again" "$errors"
  fi
}

@test "a directory that everybody can write to is not used, and purge says what to do" {
  use_record tiny
  chmod 777 "$records"
  refused "is not used: everybody can write there; chmod o-w fixes that, or $another"
  [ -f "$record" ]
  chmod o-w "$records"
  run_split "$tool" measure --sim "$tiny"
  has "$output" "already measured"
}

@test "the parents of the directory are created, too, for the user only" {
  export HWLOC_GPUCACHE_DIR=$BATS_TEST_TMPDIR/a/b/records
  run_split "$tool" measure --sim "$tiny"
  is 0 "$status"
  is '' "$errors"
  is "700 700 700" "$(cd "$BATS_TEST_TMPDIR" && echo $(stat -c %a a a/b a/b/records))"
  run_split "$tool" measure --sim "$tiny"
  has "$output" "already measured"
}

@test "no home: a message" {
  unset HWLOC_GPUCACHE_DIR HOME
  run_split "$tool" measure --sim "$tiny"
  is 1 "$status"
  is "hwloc-gpucache: gpu0: no directory for records: set HWLOC_GPUCACHE_DIR, XDG_CACHE_HOME or HOME to an absolute path$none" \
    "$errors"
  HOME=relative run_split "$tool" measure --sim "$tiny"
  is 1 "$status"
  has "$errors" "or HOME to an absolute path$none"
  HOME='' HWLOC_GPUCACHE_DIR='' run_split "$tool" measure --sim "$tiny"
  has "$errors" "no directory for records: set HWLOC_GPUCACHE_DIR, "
  run_split "$tool" purge
  is 1 "$status"
  has "$errors" "no directory for records"
  has_not "$errors" no-store
  run_split "$tool" show --sim "$tiny"
  is 0 "$status"
  has "$output" L1Cache
}

@test "the user's directory is created where XDG says" {
  unset HWLOC_GPUCACHE_DIR
  "$tool" measure --sim "$tiny" >/dev/null
  [ -f "$HOME/.cache/hwloc-gpucache/sim-tiny.xml" ]
  XDG_CACHE_HOME=$BATS_TEST_TMPDIR/xdg "$tool" measure --sim "$tiny" >/dev/null
  [ -f "$BATS_TEST_TMPDIR/xdg/hwloc-gpucache/sim-tiny.xml" ]
}

@test "two processes at a time: the second waits, and finds the record of the first" {
  "$tool" measure --sim "$tiny" >"$BATS_TEST_TMPDIR/one" &
  "$tool" measure --sim "$tiny" >"$BATS_TEST_TMPDIR/two" &
  wait
  is 1 "$(cat "$BATS_TEST_TMPDIR/one" "$BATS_TEST_TMPDIR/two" | grep -c 'already measured')"
  is 1 "$(cat "$BATS_TEST_TMPDIR/one" "$BATS_TEST_TMPDIR/two" | grep -c ' SMs at ')"
}

@test "hwloc's own variables do not change the record" {
  HWLOC_XMLFILE=/nonexistent HWLOC_SYNTHETIC=nonsense HWLOC_COMPONENTS=stop run_split "$tool" measure \
    --sim "$tiny"
  is 0 "$status"
  is '' "$errors"
  run "$LSTOPO" --of console -i "$record"
  has "$output" L1Cache
}

@test "purge removes records, names them, and changes nothing else" {
  cp "$tiny" "$BATS_TEST_TMPDIR/other"
  "$tool" measure --sim "$tiny,$BATS_TEST_TMPDIR/other" >/dev/null
  echo '<notes/>' >"$records/notes.xml"
  echo text >"$records/sim-tiny.xml.bad-20200101T000000"
  run_split "$tool" purge --sim "$tiny"
  is 0 "$status"
  is "removed the record sim-tiny" "$output"
  [ -f "$records/sim-other.xml" ]
  run_split "$tool" purge sim-other
  is 0 "$status"
  is "removed the record sim-other" "$output"
  run_split "$tool" purge --all
  is 0 "$status"
  is "there are no records to remove" "$output"
  has "$errors" "not removed, because it is not a record: $records/notes.xml"
  has "$errors" "not removed, because it may be needed; it was in the place of a record: $records/sim-tiny.xml.bad-20200101T000000"
  is 2 "$(leftovers | wc -l)"
  run_split "$tool" purge sim-tiny
  is 0 "$status"
  is "there is no record sim-tiny" "$output"
}

@test "purge keeps files that cannot be read or are no records; naming them is a failure" {
  use_record tiny
  "${plain[@]}" true || skip "setpriv cannot take root's rights away here"
  chmod 000 "$record"
  local word
  for word in sim-tiny --all; do
    run_split "${plain[@]}" "$tool" purge "$word"
    is 1 "$status"
    is '' "$output"
    is "hwloc-gpucache: not removed, because it cannot be read and may not be a record: $record: Permission denied" "$errors"
  done
  run_split "${plain[@]}" "$tool" purge --sim "$tiny" # a GPU that exists
  is 1 "$status"
  chmod 600 "$record"
  echo mine >"$record"
  run_split "$tool" purge sim-tiny
  is 1 "$status"
  is '' "$output"
  local why="hwloc-gpucache: not removed, because it is not a record (measuring that GPU renames it): $record"
  is "$why" "$errors"
  # the user has not named it
  for word in --all "--sim $tiny"; do
    run_split "$tool" purge $word
    is 0 "$status"
    is "$why" "$errors"
  done
  is mine "$(cat "$record")"
}

@test "purge survives a file that another process cuts while it is read" {
  [ "${SANITIZERS:-no}" = no ] || skip "the sanitizers must be the first library"
  use_record tiny
  LD_PRELOAD=$top_builddir/tests/tool/.libs/libcut.so CUT=$records/sim-tiny.xml run_split "$tool" purge --all
  is 0 "$status"
  has "$errors" "not removed, because it is not a record (measuring that GPU renames it): $records/sim-tiny.xml"
  is 0 "$(stat -c %s "$records/sim-tiny.xml")"
}

@test "purge names the record that it does not remove" {
  local site above
  site=$("$tool" --version | sed -n 's/^records of the site: //p')
  above=$site
  while [ ! -d "$above" ]; do above=${above%/*}; done
  use_record tiny
  # a file system in place of the site's directory, for this test only
  with_site() {
    unshare -rm bash -c 'mount -t tmpfs none "$2" && mkdir -p "$1" && cp "$3" "$1/" && shift 3 && "$@"' \
      run "$site" "$above" "$BATS_TEST_TMPDIR/sim-tiny.xml" "$@"
  }
  mv "$record" "$BATS_TEST_TMPDIR"
  with_site test -x "$tool" || skip "no disk can be mounted here"
  run with_site "$tool" list --sim "$tiny"
  has "$output" "measured 20"
  local word
  for word in sim-tiny "--sim $tiny"; do
    run with_site "$tool" purge $word
    is 0 "$status"
    is "you have no record sim-tiny; the site's record stays: $site/sim-tiny.xml" "$output"
  done
}

@test "purge by root does not follow the link of another user" {
  [ "$(id -u)" -eq 0 ] || skip "only root can give a link to another user"
  local real=$BATS_TEST_TMPDIR/real/hwloc-gpucache
  unset HWLOC_GPUCACHE_DIR
  HWLOC_GPUCACHE_DIR=$real "$tool" measure --sim "$tiny" >/dev/null
  ln -s ../real "$HOME/.cache"
  chown -h 65534 "$HOME/.cache"
  run_split "$tool" purge --all
  is 1 "$status"
  has "$errors" "$HOME/.cache is a symbolic link of user 65534"
  [ -e "$real/sim-tiny.xml" ]
  # its own link is followed
  chown -h 0 "$HOME/.cache"
  run_split "$tool" purge --all
  is 0 "$status"
  [ ! -e "$real/sim-tiny.xml" ]
}

@test "outputs of root do not go where the link of another user leads" {
  [ "$(id -u)" -eq 0 ] || skip "only root can give a link to another user"
  local out=$BATS_TEST_TMPDIR/out real=$top_srcdir/doc/results/h200/record.xml i
  local trace=$top_srcdir/tests/data/traces/two-kernels.tsv
  mkdir "$BATS_TEST_TMPDIR/real"
  ln -s real "$out"
  chown -h 65534 "$out"
  local -a commands=("export --output $out/h200.xml $real" "export --output $out/new/../h200.xml $real"
    "report $out/h200.html $real" "report $BATS_TEST_TMPDIR/page.html $real --raw $out" "plot $out" "measure --sim $tiny --force --no-store --raw $out/raw"
    "predict --record $real --plot $out/plot $trace")
  for i in "${commands[@]}"; do
    # shellcheck disable=SC2086
    run_split "$tool" $i
    is 1 "$status"
    has "$errors" "$out is a symbolic link of user 65534"
    is '' "$output"
  done
  is '' "$(ls -A "$BATS_TEST_TMPDIR/real")"
  # root's own link is followed
  chown -h 0 "$out"
  run_split "$tool" export --output "$out/h200.xml" "$real"
  is 0 "$status"
  is h200.xml "$(ls -A "$BATS_TEST_TMPDIR/real")"
}

@test "purge by id needs no GPU, and an unknown word is refused" {
  local gone=GPU-11111111-0000-0000-0000-000000000099
  use_record tiny
  sed "s/value=\"sim-tiny\"/value=\"$gone\"/" "$record" >"$records/$gone.xml"
  chmod 600 "$records/$gone.xml"
  run_split "$tool" purge "$gone"
  is 0 "$status"
  is "removed the record $gone" "$output"
  is '' "$errors"
  # this GPU has only the note of a failure
  : >"$records/$gone.failed"
  run_split "$tool" purge "$gone"
  is 0 "$status"
  has "$output" "removed the note that measuring $gone failed"
  [ ! -e "$records/$gone.failed" ]
  run_split "$tool" purge "$gone"
  is 3 "$status"
  is "hwloc-gpucache: no GPU and no record is named '$gone'; available GPUs: none" "$errors"
}

@test "purge of all removes locks that nobody holds, and no others" {
  "$tool" measure --sim "$tiny" >/dev/null
  [ -f "$records/sim-tiny.lock" ]
  : >"$records/sim-busy.lock"
  echo text >"$records/sim-mine.lock"
  ln -s /nonexistent "$records/sim-link.lock"
  "$tool" purge sim-tiny
  [ -f "$records/sim-tiny.lock" ]
  flock "$records/sim-busy.lock" sleep 20 3>&- &
  local holder=$!
  soon bash -c '! flock -n "$0" true' "$records/sim-busy.lock"
  run_split "$tool" purge --all
  kill "$holder"
  is 0 "$status"
  is '' "$errors"
  is "sim-busy.lock sim-link.lock sim-mine.lock" "$(cd "$records" && echo *)"
}

@test "purge of all removes what killed writers of remembered texts have left" {
  [ "$(stat -f -c %T /dev/shm)" = tmpfs ] && [ -w /dev/shm ] || skip "/dev/shm is not a writable tmpfs"
  [ ! -d /run/hwloc-gpucache ] || skip "this machine remembers in /run/hwloc-gpucache"
  local dir
  dir=$(mktemp -d -p /dev/shm)
  mkdir -m 700 "$dir/hwloc-gpucache"
  touch -d '2 minutes ago' "$dir"/hwloc-gpucache/{remembered,remembered.new,remembered.new-0123456789abcdef}
  touch "$dir/hwloc-gpucache/remembered.new-0123456789abcdee"
  XDG_RUNTIME_DIR=$dir run_split "$tool" purge --all
  is 0 "$status"
  output=$(cd "$dir/hwloc-gpucache" && echo *)
  rm -r "$dir"
  is "remembered remembered.new-0123456789abcdee" "$output"
}

@test "purge without arguments removes all records; a wrong name removes none" {
  use_record tiny
  run_split "$tool" purge sim-tiny gpu9
  is 3 "$status"
  [ -f "$record" ]
  run_split "$tool" purge
  is 0 "$status"
  is "removed the record sim-tiny" "$output"
  is '' "$(leftovers)"
}

@test "root reads no input where the link of another user leads" {
  [ "$(id -u)" -eq 0 ] || skip "only root can give a link to another user"
  local in=$BATS_TEST_TMPDIR/in i
  mkdir "$BATS_TEST_TMPDIR/real"
  cp "$top_srcdir/doc/results/h200/record.xml" "$top_srcdir/tests/data/traces/two-kernels.tsv" "$BATS_TEST_TMPDIR/real"
  cp "$tiny" "$BATS_TEST_TMPDIR/real/tiny"
  ln -s real "$in"
  local -a commands=("show $in/record.xml" "compare $in $in" "export $in/record.xml" "list --sim $in/tiny"
    "report --raw $in $BATS_TEST_TMPDIR/h200.html $BATS_TEST_TMPDIR/real/record.xml"
    "predict --record $in/record.xml $BATS_TEST_TMPDIR/real/two-kernels.tsv"
    "predict --record $BATS_TEST_TMPDIR/real/record.xml $in/two-kernels.tsv")
  for owner in 65534 0; do
    chown -h $owner "$in"
    for i in "${commands[@]}"; do
      # shellcheck disable=SC2086
      run "$tool" $i
      if [ $owner = 0 ]; then
        [[ $output != *"symbolic link"* ]]
      else
        has "$output" "$in is a symbolic link of user 65534"
      fi
    done
  done
}
