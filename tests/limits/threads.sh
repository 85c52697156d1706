#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# make check-threads calls threads.sh FLAG...: builds the plugin and tests/plugin/topo-check with
# ThreadSanitizer, and loads topologies in four threads at a time: without a record, with one, and
# refreshing one by a command that crashes or hangs. Then loads without a record, LIMITS_LOADS times
# (200), beside a thread that changes the environment, the locale and the working directory. FLAGs are
# those of the preprocessor.
set -euo pipefail
out=tests/limits/threads
mkdir -p "$out/plugins" "$out/records"
flags=(-std=gnu11 -g -O1 -fsanitize=thread -fPIC -pthread)

echo 'int main(void) { return 0; }' >"$out/try.c"
if ! "$CLANG" -fsanitize=thread "$out/try.c" -o "$out/try" 2>"$out/try.log" || ! "$out/try"; then
  echo "check-threads: $CLANG cannot make programs with ThreadSanitizer that run here"
  exit 1
fi

objects=()
for source in $THREADS_SOURCES; do
  case $source in *.c) ;; *) continue ;; esac
  object=$out/$(tr / - <<<"${source%.c}").o
  [ "$object" -nt "$top_srcdir/$source" ] ||
    "$CLANG" "${flags[@]}" "$@" -fvisibility=hidden -c "$top_srcdir/$source" -o "$object"
  objects+=("$object")
done
# shellcheck disable=SC2086
"$CLANG" -shared -fsanitize=thread -pthread "${objects[@]}" $THREADS_LIBS -o "$out/plugins/hwloc_gpucache.so"
# shellcheck disable=SC2086
"$CLANG" "${flags[@]}" "$@" "$top_srcdir/tests/plugin/topo-check.c" $THREADS_HWLOC_LIBS -o "$out/topo-check"
# shellcheck disable=SC2086
"$CLANG" "${flags[@]}" "$@" "$top_srcdir/tests/limits/load.c" $THREADS_HWLOC_LIBS -o "$out/load"

unset HWLOC_GPUCACHE HWLOC_GPUCACHE_SIM HWLOC_GPUCACHE_VERBOSE HWLOC_GPUCACHE_TIMEOUT LD_PRELOAD
rm -rf "$out/node"
"$top_srcdir/tests/plugin/fake-node.sh" "$out/node"
export HWLOC_FSROOT=$PWD/$out/node HWLOC_THISSYSTEM=1 HWLOC_COMPONENTS=-x86 FAKE_TOOL_LOG=$PWD/$out/starts
export HWLOC_PLUGINS_PATH=$PWD/$out/plugins HWLOC_GPUCACHE_DIR=$PWD/$out/records
export HWLOC_GPUCACHE_TOOL=$top_srcdir/tests/plugin/fake-tool.sh TSAN_OPTIONS=halt_on_error=0:exitcode=66
chmod 700 "$out/records"
runs=${THREADS_RUNS:-10}

# loads WHAT VARIABLE=VALUE...: with these variables, "$runs" processes load in four threads.
loads()
{
  local what=$1 i
  shift
  for ((i = 0; i < runs; i++)); do
    [ "$what" = "with a record" ] || rm -f "$out"/records/*
    if ! env "$@" "$out/topo-check" load-in-threads no-children >"$out/log" 2>&1; then
      tail -n 60 "$out/log"
      echo "check-threads: loads $what failed"
      exit 1
    fi
  done
  echo "loads $what${*:+, $*}: $runs processes, no report"
}
loads "without a record"
loads "with a record"
runs=$(((runs + 4) / 5))
loads "with a record" HWLOC_GPUCACHE=refresh FAKE_TOOL_DOES=crash
loads "with a record" HWLOC_GPUCACHE=refresh FAKE_TOOL_DOES=hang HWLOC_GPUCACHE_TIMEOUT=2
# libc has no lock that a reader of the environment could take: getenv() reads it as src/util/env.c does,
# in the thread that called hwloc. What other threads read is reported.
echo 'race:src/util/env.c' >"$out/suppressions"
export TSAN_OPTIONS=$TSAN_OPTIONS:suppressions=$PWD/$out/suppressions:print_suppressions=0
rm -f "$out"/records/*
# Without -z, which plugin.bats tests: clang's runtime starts a symbolizer, which stays a child.
if ! HWLOC_GPUCACHE_TOOL=/bin/false "$out/load" -e -n "${LIMITS_LOADS:-200}" >"$out/log" 2>&1; then
  tail -n 60 "$out/log"
  echo "check-threads: loads beside a thread that changes the environment failed"
  exit 1
fi
echo "loads beside a thread that changes the environment: ${LIMITS_LOADS:-200}, no report"
echo "check-threads: no data race"
