#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A launch fails on a real GPU, and the driver refuses every further request of the process. Only
# the properties that the launch was for are absent, with the reason; all others are measured.
tool=$top_builddir/hwloc-gpucache
spoil=$top_builddir/tests/gpu/.libs/libspoil.so
failed=0

fail() {
  echo "FAILED: $*"
  failed=1
}

[ -r "$spoil" ] || { echo "SKIPPED: $spoil is not there"; exit 77; }

# list FILE: prints lines "<subtype> <key> <value>", without what depends on the date.
list() {
  sed -n -e 's/.*subtype="\([^"]*\)".*/@\1/p' -e 's/.*<info name="\([^"]*\)" value="\([^"]*\)".*/\1 \2/p' "$1" |
    awk '/^@/ { kind = substr($0, 2); next } !/^(GPUCache|Measur|lstopo)/ { print kind, $0 }'
}

# sources FILE: prints the source of each property, and whether it is absent. Not of host memory: other
# programs use it, too.
sources() { list "$1" | grep -v ' Host' | sed -n 's/^\([^ ]* [^ ]*Source\) \(absent\)\{0,1\}.*/\1 \2/p' | sort; }

# discrete FILE: prints the values that are the same in every run.
discrete() { list "$1" | grep -E ' (LineBytes|FetchBytes|PerSM|Instances|Partitions|SharedWith) ' | sort; }

"$tool" measure --force --no-store --xml gpu0 >"$HOME/whole.xml" || exit 1
sources "$HOME/whole.xml" >"$HOME/whole"

# check KERNEL PROPERTY...: if this kernel fails, exactly these properties ("<subtype>
# <property>Source") are absent.
check() {
  kernel=$1
  shift
  begin=$(date +%s%N)
  LD_PRELOAD=$spoil SPOIL_KERNEL=gpu_$kernel "$tool" measure --replace gpu0 >"$HOME/out" 2>"$HOME/said" ||
    fail "$kernel: ended in $?"
  echo "$kernel: $((($(date +%s%N) - begin) / 1000000)) ms"
  cat "$HOME/said"
  grep -q "kernel $kernel on gpu0: CUDA_ERROR_[A-Z_]*; this is left out" "$HOME/said" ||
    fail "$kernel: the message does not name what failed"
  cp "$HWLOC_GPUCACHE_DIR"/*.xml "$HOME/rest.xml" || return
  sources "$HOME/rest.xml" >"$HOME/rest"
  printf '%s\n' "$@" | sed 's/$/ absent/' | sort >"$HOME/expected"
  diff "$HOME/whole" "$HOME/rest" | sed -n 's/^> //p' | sort >"$HOME/lost"
  diff "$HOME/expected" "$HOME/lost" || fail "$kernel: the absent properties are not the expected ones"
  discrete "$HOME/whole.xml" >"$HOME/a"
  discrete "$HOME/rest.xml" >"$HOME/b"
  diff "$HOME/a" "$HOME/b" || fail "$kernel: what was measured after the failure differs"
  grep -q '"GPUCacheMeasuringFailures" value="[1-9]"' "$HOME/rest.xml" || fail "$kernel: no failure is counted"
}

check latency_texture 'TextureCache LatencySource' 'TextureCache LatencyP95Source'
check latency_shared 'SharedMemory CapacitySource' 'SharedMemory LatencySource' 'SharedMemory LatencyP95Source' \
  'SharedMemory AtomicLatencySource' 'SharedMemory RemoteLatencySource'

# every measurement needs the clock
LD_PRELOAD=$spoil SPOIL_KERNEL=gpu_clock "$tool" measure --force --no-store gpu0 >"$HOME/out" 2>"$HOME/said" &&
  fail "measured without a clock"
cat "$HOME/said"
[ ! -s "$HOME/out" ] || fail "values were printed without a clock"
exit $failed
