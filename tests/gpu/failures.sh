#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A launch fails on a real GPU, which its driver answers by refusing all that the process asks from then on:
# only what that launch was for is absent, with the reason, and all else is told.
tool=$top_builddir/hwloc-gpucache
spoil=$top_builddir/tests/gpu/.libs/libspoil.so
failed=0

fail() {
  echo "FAILED: $*"
  failed=1
}

[ -r "$spoil" ] || { echo "SKIPPED: $spoil is not there"; exit 77; }

# list FILE: "<subtype> <key> <value>" a line, of what does not depend on the day.
list() {
  sed -n -e 's/.*subtype="\([^"]*\)".*/@\1/p' -e 's/.*<info name="\([^"]*\)" value="\([^"]*\)".*/\1 \2/p' "$1" |
    awk '/^@/ { kind = substr($0, 2); next } !/^(GPUCache|Measur|lstopo)/ { print kind, $0 }'
}

# sources FILE: which properties are told, and which are absent.
sources() { list "$1" | sed -n 's/^\([^ ]* [^ ]*Source\) \(absent\)\{0,1\}.*/\1 \2/p' | sort; }

# discrete FILE: what is the same in every run.
discrete() { list "$1" | grep -E ' (LineBytes|FetchBytes|PerSM|Instances|Partitions|SharedWith) ' | sort; }

"$tool" measure --force --no-store --xml gpu0 >"$HOME/whole.xml" || exit 1
sources "$HOME/whole.xml" >"$HOME/whole"

# check KERNEL PROPERTY...: those properties, "<subtype> <property>Source", are lost with that kernel.
check() {
  kernel=$1
  shift
  begin=$(date +%s%N)
  LD_PRELOAD=$spoil SPOIL_KERNEL=gpu_$kernel "$tool" measure --force gpu0 >"$HOME/out" 2>"$HOME/said" ||
    fail "$kernel: ended in $?"
  echo "$kernel: $((($(date +%s%N) - begin) / 1000000)) ms"
  cat "$HOME/said"
  grep -q "kernel $kernel on gpu0: CUDA_ERROR_[A-Z_]*; this is left out" "$HOME/said" ||
    fail "$kernel: it is not said what failed"
  cp "$HWLOC_GPUCACHE_DIR"/*.xml "$HOME/rest.xml" || return
  sources "$HOME/rest.xml" >"$HOME/rest"
  printf '%s\n' "$@" | sed 's/$/ absent/' | sort >"$HOME/expected"
  diff "$HOME/whole" "$HOME/rest" | sed -n 's/^> //p' | sort >"$HOME/lost"
  diff "$HOME/expected" "$HOME/lost" || fail "$kernel: not the expected properties are absent"
  discrete "$HOME/whole.xml" >"$HOME/a"
  discrete "$HOME/rest.xml" >"$HOME/b"
  diff "$HOME/a" "$HOME/b" || fail "$kernel: what was measured after the failure differs"
  grep -q '"GPUCacheMeasuringFailures" value="[1-9]"' "$HOME/rest.xml" || fail "$kernel: no failure is counted"
}

check latency_texture 'TextureCache LatencySource'
check latency_shared 'SharedMemory CapacitySource' 'SharedMemory LatencySource'

# what everything stands on
LD_PRELOAD=$spoil SPOIL_KERNEL=gpu_clock "$tool" measure --force --no-store gpu0 >"$HOME/out" 2>"$HOME/said" &&
  fail "measured without a clock"
cat "$HOME/said"
[ ! -s "$HOME/out" ] || fail "something was told without a clock"
exit $failed
