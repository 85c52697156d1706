# SPDX-License-Identifier: BSD-3-Clause
# Loaded by the .bats files of this folder. Each test has its own directories, log and environment under
# $BATS_TEST_TMPDIR. Outside of make check, paths are those of a build in the source tree.

load ../records/use.bash
here=$BATS_TEST_DIRNAME
top_builddir=${top_builddir:-$here/../..}
top_srcdir=${top_srcdir:-$here/../..}
plugin_dir=$top_builddir/src/plugin/.libs
topo_check=$top_builddir/tests/plugin/topo-check
fake_tool=$here/fake-tool.sh
gpu0=GPU-11111111-0000-0000-0000-000000000017
gpu1=GPU-22222222-0000-0000-0000-000000000097

LSTOPO=${LSTOPO:-lstopo-no-graphics}

# lstopo called hwloc-ls: text on stdout, no window.
topology() { "$LSTOPO" --of console "$@"; }

# hwloc_before VERSION: the hwloc of the tests is older.
hwloc_before() {
  local version
  version=$("$LSTOPO" --version | sed 's/.* //')
  [ "$(printf '%s\n' "$1" "$version" | sort -V | head -n 1)" != "$1" ]
}

prepare() {
  unset HWLOC_GPUCACHE HWLOC_GPUCACHE_SIM HWLOC_GPUCACHE_TIMEOUT HWLOC_GPUCACHE_VERBOSE XDG_CACHE_HOME
  unset XDG_RUNTIME_DIR
  unset CUDA_VISIBLE_DEVICES CUDA_DEVICE_ORDER ROCR_VISIBLE_DEVICES HIP_VISIBLE_DEVICES GPU_DEVICE_ORDINAL
  unset HWLOC_HIDE_ERRORS HWLOC_SHOW_ERRORS FAKE_TOOL_DOES FAKE_TOOL_DRIVER
  export HWLOC_PLUGINS_PATH=$plugin_dir
  export HWLOC_GPUCACHE_DIR=$BATS_TEST_TMPDIR/records
  export FAKE_TOOL_LOG=$BATS_TEST_TMPDIR/starts
  export HWLOC_GPUCACHE_TOOL=$fake_tool
  export LC_ALL=C
  mkdir -m 700 -p "$HWLOC_GPUCACHE_DIR"
  # The caches of the CPU must not come from the machine that the test runs on.
  export HWLOC_COMPONENTS=-x86
  : > "$FAKE_TOOL_LOG"
}

# A node with two H100 in place of this machine.
use_node() {
  "$here/fake-node.sh" "$BATS_TEST_TMPDIR/node"
  export HWLOC_FSROOT=$BATS_TEST_TMPDIR/node HWLOC_THISSYSTEM=1
}

# mig_instance MINOR GI CI: writes a MIG instance into the node, with its device nodes.
mig_instance() {
  local dir=$HWLOC_FSROOT/proc/driver/nvidia/capabilities/gpu$1/mig/gi$2 caps=$HWLOC_FSROOT/dev/nvidia-caps
  mkdir -p "$dir/ci$3" "$caps"
  echo "DeviceFileMinor: $1$2" > "$dir/access"
  echo "DeviceFileMinor: $1$2$3" > "$dir/ci$3/access"
  : > "$caps/nvidia-cap$1$2"
  : > "$caps/nvidia-cap$1$2$3"
}

# leap EVENT COMMAND…: runs the command, for which the 600 seconds of its time limit pass at the moment in which the file
# EVENT appears, and none before (leap.c). A failure must not wait for ever.
leap() {
  local leap=$top_builddir/tests/plugin/.libs/libleap.so
  [ -e "$leap" ] || skip "$leap is not built"
  HWLOC_GPUCACHE_TIMEOUT=600 LEAP=600 LEAP_AFTER=$1 LD_PRELOAD="$SANITIZER_PRELOAD $leap" timeout 300 "${@:2}"
}

# A simulated GPU that only the fake tool can measure.
use_sim() {
  printf 'model = NVIDIA Fake # not real\n' > "$BATS_TEST_TMPDIR/mine"
  export HWLOC_GPUCACHE_SIM=$BATS_TEST_TMPDIR/mine
}

starts() { wc -l < "$FAKE_TOOL_LOG"; }

# info NAME OBJECT…: the value of an info of an object, by hwloc-info.
info() {
  local name=$1
  shift
  hwloc-info "$@" | sed -n "s/^ *info $name = //p"
}

# is EXPECTED ACTUAL: prints both if they differ, and what the last run printed.
is() {
  [ "$1" = "$2" ] && return
  printf 'expected: %s\nbut got:  %s\n' "$1" "$2"
  [ -z "$output" ] || [ "$output" = "$2" ] || printf 'the last run printed:\n%s\n' "$output"
  return 1
}

# has WORD: the output of the last run has this.
has() {
  [[ $output == *"$1"* ]] && return
  printf 'not found: %s\nin:\n%s\n' "$1" "$output"
  return 1
}

has_not() {
  [[ $output != *"$1"* ]] && return
  printf 'found: %s\nin:\n%s\n' "$1" "$output"
  return 1
}

# is_gone ID [SECONDS]: no process with this id runs: it has ended, or is a zombie that is not reaped
# yet. SECONDS: for what it may still have to do, on a busy machine.
is_gone() {
  local i state
  for ((i = 0; i < 10 * ${2:-5}; i++)); do
    state=$(sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "/proc/$1/status" 2>/dev/null || :)
    [ -n "$state" ] && [ "$state" != Z ] || return 0
    sleep 0.1
  done
  echo "process $1 is still there"
  return 1
}
