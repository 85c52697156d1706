#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The command in places where it may do little.

setup() {
  load ../tool/setup.bash
  here=$top_srcdir/tests/tool tiny=$top_srcdir/tests/tool/tiny
  prepare
}

# A file system in memory, in a mount namespace of its own. inside SIZE COMMAND…: $1 of the command is
# its directory.
may_mount() { unshare -rm mount -t tmpfs none "$BATS_TEST_TMPDIR/nothing" 2>/dev/null; }
inside() {
  may_mount || skip "mount is not allowed here"
  run unshare -rm bash -c 'dir=$1 size=$2; shift 2
    mount -t tmpfs -o size="$size",mode=700 none "$dir" && exec bash -c "$1" inside "${@:2}"' \
    outside "$BATS_TEST_TMPDIR/nothing" "$@"
}

@test "a full file system: a message, nothing left" {
  export HWLOC_GPUCACHE_DIR=$BATS_TEST_TMPDIR/nothing/records
  inside 64k 'mkdir -m 700 "$HWLOC_GPUCACHE_DIR"; head -c 1M /dev/zero >"$HWLOC_GPUCACHE_DIR/../full"
    "$1" measure --sim "$2"; echo "exit $?"; ls -A "$HWLOC_GPUCACHE_DIR"' "$tool" "$tiny"
  has "$output" "exit 1"
  has "$output" "No space left on device"
  has_not "$output" sim-tiny.xml.tmp
}

@test "a read-only file system: a message; a record on it is used" {
  export HWLOC_GPUCACHE_DIR=$BATS_TEST_TMPDIR/nothing/records
  inside 4m 'mkdir -m 700 "$HWLOC_GPUCACHE_DIR"; mount -o remount,ro "$HWLOC_GPUCACHE_DIR/.."
    "$1" measure --sim "$2"; echo "exit $?"' "$tool" "$tiny"
  has "$output" "exit 1"
  has "$output" "Read-only file system"
  inside 4m '"$1" measure --sim "$2" >/dev/null && mount -o remount,ro "$HWLOC_GPUCACHE_DIR/.." &&
    "$1" show --sim "$2"; echo "exit $?"' "$tool" "$tiny"
  has "$output" "exit 0"
  has "$output" "Tiny Test GPU"
}

@test "a locale with a decimal comma that another library selects changes no number" {
  [ "${SANITIZERS:-no}" = no ] || skip "the sanitizers must be the first library"
  load comma.bash
  comma_locale
  "$tool" measure --sim "$tiny" >/dev/null
  mv "$records" "$records.plain"
  german() { LC_ALL=comma LD_PRELOAD=$top_builddir/tests/limits/.libs/libgerman.so "$tool" "$@" --sim "$tiny"; }
  run german measure
  is 0 "$status"
  # What differs in every run.
  local changes='s/\(GPUCacheMeasured\|GPUCacheMeasuringMilliseconds\|ProcessName\)" value="[^"]*"/\1"/'
  diff <(sed "$changes" "$records.plain/sim-tiny.xml") <(sed "$changes" "$records/sim-tiny.xml")
  for output in show "show --json"; do
    diff <("$tool" $output --sim "$tiny") <(german $output)
  done
}

@test "a stack of 64 KiB is enough for the command" {
  run bash -c 'ulimit -s 64 && exec "$@"' limited "$tool" measure --sim "$tiny"
  is 0 "$status"
}
