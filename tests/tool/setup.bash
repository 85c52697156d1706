# SPDX-License-Identifier: BSD-3-Clause
# Loaded by the .bats files of this folder. Each test has its own directory of records and home under
# $BATS_TEST_TMPDIR, and sees a machine without GPUs.

load ../records/use.bash
here=$BATS_TEST_DIRNAME
top_builddir=${top_builddir:-$here/../..}
top_srcdir=${top_srcdir:-$here/../..}
tool=$top_builddir/hwloc-gpucache
tiny=$here/tiny
small=$here/small
LSTOPO=${LSTOPO:-lstopo-no-graphics}

prepare() {
  unset HWLOC_GPUCACHE HWLOC_GPUCACHE_SIM HWLOC_GPUCACHE_VERBOSE XDG_CACHE_HOME COLUMNS
  unset CUDA_VISIBLE_DEVICES CUDA_DEVICE_ORDER ROCR_VISIBLE_DEVICES HIP_VISIBLE_DEVICES GPU_DEVICE_ORDINAL
  records=$BATS_TEST_TMPDIR/records
  export HWLOC_GPUCACHE_DIR=$records HWLOC_GPUCACHE_SIM_PATH=$top_srcdir/data/sim
  export HOME=$BATS_TEST_TMPDIR/home LC_ALL=C
  mkdir -p "$HOME" "$BATS_TEST_TMPDIR/nothing"
  use_tree "$BATS_TEST_TMPDIR/nothing"
}

# Before a command: removes root's permission to read and write everything.
plain=(env)
[ "$(id -u)" != 0 ] || plain=(setpriv --bounding-set=-dac_override,-dac_read_search --)

# use_tree DIR: uses its proc and sys in place of this machine's.
use_tree() { export HWLOC_FSROOT=$1 HWLOC_THISSYSTEM=1; }

# A node with two H100 and a driver that does not answer.
use_node() {
  "$top_srcdir/tests/plugin/fake-node.sh" "$BATS_TEST_TMPDIR/node"
  use_tree "$BATS_TEST_TMPDIR/node"
}

# run_split COMMAND…: as run, with stdout in $output and stderr in $errors.
run_split() {
  run bash -c '"$@" 2>"$BATS_TEST_TMPDIR/errors"' run "$@"
  errors=$(cat "$BATS_TEST_TMPDIR/errors")
}

# The length of the longest line.
widest() { wc -L <<<"$1"; }

# on_terminal COLUMNS COMMAND: what the command prints on a terminal of that width.
on_terminal() {
  script -qec "stty cols $1; $2" /dev/null </dev/null | tr -d '\r'
}

# is EXPECTED ACTUAL
is() {
  [ "$1" = "$2" ] && return
  printf 'expected: %s\nbut got:  %s\n%s\n%s\n' "$1" "$2" "$output" "$errors"
  return 1
}

# has TEXT WORD
has() {
  [[ $1 == *"$2"* ]] && return
  printf 'not found: %s\nin:\n%s\n' "$2" "$1"
  return 1
}

has_not() {
  [[ $1 != *"$2"* ]] && return
  printf 'found: %s\nin:\n%s\n' "$2" "$1"
  return 1
}

# patient COMMAND…: for the command, the time that it waits passes at once, and other time a hundred times more slowly. So
# it waits equally long on every machine. $slow: another library before it, or nothing.
patient() {
  local fast="$top_builddir/tests/tool/.libs/libfast.so"
  [ -e "$fast" ] || skip "$fast is not built"
  FAST_SLEEPS=1 LD_PRELOAD="$SANITIZER_PRELOAD $slow $fast" "$@"
}

# soon COMMAND…: waits until it succeeds, 20 s at most (or $turns twentieths of one).
soon() {
  local i
  for ((i = 0; i < ${turns:-400}; i++)); do
    "$@" && return
    sleep 0.05
  done
  echo "never came true: $*"
  return 1
}

# The files in the directory of records, except locks and notes of failures, which stay until a purge.
leftovers() { find "$records" -type f ! -name '*.lock' ! -name '*.failed' 2>/dev/null; }
