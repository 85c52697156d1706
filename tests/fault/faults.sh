#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Loads of the plugin and uses of the command, in which each allocation and each system call fails
# once. Without arguments, as a test of make check: every FAULT_EVERY-th (default 67). make
# check-fault sets it to 1. Arguments: names of scenarios, see the end.
set -euo pipefail
umask 022
here=$top_srcdir/tests/fault
bin=$top_builddir/tests/fault
every=${FAULT_EVERY:-67}
jobs=${FAULT_JOBS:-$(getconf _NPROCESSORS_ONLN)}
[ "$jobs" -le 8 ] || jobs=8
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
gpu0=GPU-11111111-0000-0000-0000-000000000017
status=0

unset HWLOC_GPUCACHE HWLOC_GPUCACHE_SIM HWLOC_GPUCACHE_TIMEOUT HWLOC_GPUCACHE_VERBOSE XDG_CACHE_HOME
export HWLOC_COMPONENTS=-x86,-opencl,-gl,-cuda,-nvml,-rsmi HWLOC_GPUCACHE_TOOL=$top_srcdir/tests/plugin/fake-tool.sh
export HWLOC_PLUGINS_PATH=$top_builddir/src/plugin/.libs LC_ALL=C
export FAKE_TOOL_LOG=$tmp/starts HWLOC_THISSYSTEM=1
# What is leaked, inject.c counts.
export ASAN_OPTIONS=detect_leaks=0:handle_segv=1:allocator_may_return_null=1

# The second GPU would only repeat what the first one does.
"$top_srcdir/tests/plugin/fake-node.sh" "$tmp/node"
rm -r "$tmp"/node/proc/driver/nvidia/gpus/0000:97:00.0 "$tmp"/node/sys/bus/pci/devices/0000:97:00.0
"$top_srcdir/tests/data/amd-tree.sh" "$tmp/amd" mi100 1 0000:a7:00.0
mkdir -p "$tmp/nothing" "$tmp/none" "$tmp/record" "$tmp/small"
chmod 700 "$tmp/none" "$tmp/record" "$tmp/small"
HWLOC_GPUCACHE_DIR=$tmp/record "$HWLOC_GPUCACHE_TOOL" measure $gpu0
HWLOC_FSROOT=$tmp/nothing HWLOC_GPUCACHE_DIR=$tmp/small "$top_builddir/hwloc-gpucache" \
  --sim "$top_srcdir/tests/tool/small" measure >/dev/null
rm -f "$tmp"/*/*.lock

# faults NAME OPTION... COMMAND...
faults()
{
  local name=$1 start=$SECONDS result
  shift
  mkdir "$tmp/run-$name"
  if "$bin/faults" -d "$tmp/run-$name" -p "${SANITIZER_PRELOAD:+$SANITIZER_PRELOAD }$bin/.libs/libinject.so" \
      -j "$jobs" -e "$every" "$@" >"$tmp/out" 2>&1; then
    result=ok
  else
    result=FAILED status=1
    cat "$tmp/out"
  fi
  echo "$result $name: $(tail -n 1 "$tmp/out") ($((SECONDS - start)) s)"
}

host=("$bin/host" "$top_builddir/src/plugin/.libs/hwloc_gpucache.so")
tool=("$top_builddir/hwloc-gpucache")
sim=(--sim "$top_srcdir/tests/tool/small")

# Loads. A GPU with the status "measured" must have all its elements.
elements=5
warm() { HWLOC_FSROOT=$tmp/node faults warm -t "$tmp/record" -k $gpu0.xml "${host[@]}" $elements; }
cold() { HWLOC_FSROOT=$tmp/node faults cold -t "$tmp/none" "${host[@]}" $elements; }
refused() { HWLOC_FSROOT=$tmp/node FAKE_TOOL_DOES=crash faults refused -t "$tmp/none" "${host[@]}" $elements; }
amd() { HWLOC_FSROOT=$tmp/amd HWLOC_GPUCACHE=cached faults amd -t "$tmp/none" "${host[@]}" $elements; }
simulated()
{
  HWLOC_FSROOT=$tmp/nothing HWLOC_GPUCACHE_SIM=$top_srcdir/tests/tool/small HWLOC_GPUCACHE=cached \
    faults simulated -t "$tmp/small" -k sim-small.xml "${host[@]}" 0
}

# The command. A measurement repeats the same calls many times and takes a second, so only every fourth
# of them fails. If libhwloc gets no memory, it crashes in its own functions when it makes or exports
# the topology of a record (doc/testing.md).
list() { HWLOC_FSROOT=$tmp/node faults list -w process -m -t "$tmp/record" "${tool[@]}" list --verbose; }
show() { HWLOC_FSROOT=$tmp/nothing faults show -w process -m -t "$tmp/small" "${tool[@]}" "${sim[@]}" show; }
json() { HWLOC_FSROOT=$tmp/nothing faults json -w process -m -t "$tmp/small" -s 2 "${tool[@]}" "${sim[@]}" show --json; }
element()
{
  HWLOC_FSROOT=$tmp/nothing faults element -w process -m -t "$tmp/none" -s 1 "${tool[@]}" "${sim[@]}" \
    measure --only SharedMemory
}
measure()
{
  local every=$((every * 4))
  HWLOC_FSROOT=$tmp/nothing faults measure -w process -m -t "$tmp/none" -s 1 -c libhwloc.so -a sim-small.xml "${tool[@]}" "${sim[@]}" measure
}
# On one processor, so that there is one thread and the calls have the same order each time.
predict()
{
  local before
  before=$(taskset -p $$ | sed 's/.* //')
  taskset -cp "$(taskset -cp $$ | sed 's/.* //; s/[-,].*//')" $$ >/dev/null
  HWLOC_FSROOT=$tmp/nothing faults predict -w process -m -t "$tmp/none" -s 1 "${tool[@]}" predict \
    --record "$tmp/small/sim-small.xml" "$top_srcdir/tests/data/traces/kernelslist.g"
  taskset -p "$before" $$ >/dev/null
}
purge() { HWLOC_FSROOT=$tmp/nothing faults purge -w process -m -t "$tmp/small" "${tool[@]}" "${sim[@]}" purge; }

for name in ${*:-warm cold refused amd simulated list show json purge predict element measure}; do $name; done
exit $status
