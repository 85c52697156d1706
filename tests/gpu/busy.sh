#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Another program uses the GPU: measure refuses while the program runs, and waits if it ends soon.
# On an idle GPU measure never refuses.
tool=$top_builddir/hwloc-gpucache
hammer=$top_builddir/tests/gpu/hammer
said=$HOME/said
failed=0

fail() {
  echo "FAILED: $*"
  failed=1
}

# begin SECONDS: starts a program that keeps the GPU busy for so long, and returns once it is busy.
begin() {
  "$hammer" "$1" >"$HOME/hammer" 2>&1 &
  while ! grep -q hammering "$HOME/hammer"; do
    kill -0 $! 2>/dev/null || { cat "$HOME/hammer"; grep -q SKIPPED "$HOME/hammer" && exit 77; exit 1; }
    sleep 0.05
  done
}

record() { cat "$HWLOC_GPUCACHE_DIR"/*.xml; }
value() { record | sed -n "s/.*\"$1\" value=\"\([^\"]*\)\".*/\1/p"; }

"$tool" measure --force gpu0 >/dev/null || exit 1
before=$(record)

begin 10
if "$tool" measure --force gpu0 >/dev/null 2>"$said"; then fail "measured although another program used the GPU"; fi
cat "$said"
grep -q 'gpu0: the GPU is busy' "$said" || fail "no reason was given"
[ "$before" = "$(record)" ] || fail "the old record was lost"
wait

begin 2
if "$tool" measure --force gpu0 >/dev/null 2>"$said"; then
  echo "the GPU was busy for 2 s: measured after $(value GPUCacheMeasuringMilliseconds) ms"
else
  cat "$said"
  fail "did not wait for 2 s"
fi
wait

repeats=0
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  "$tool" measure --force gpu0 >/dev/null || fail "run $i refused an idle GPU"
  repeats=$((repeats + $(value GPUCacheMeasuringRepeats)))
done
echo "20 runs on an idle GPU: $repeats steps were repeated"
exit $failed
