#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The simulated GPUs that were added last ($RECENT_GPUS, from data/local.mk) have the values of
# tests/data/values, and these agree with the model and with what is published of the real GPUs. What documents show of them
# is what show and report print.
set -u
if [ "$SANITIZERS" = yes ]; then
  echo "SKIPPED: these GPUs are measured only without the sanitizers, which take several times as long"
  exit 77
fi
fail=0
: "${RECENT_GPUS:?}"
# shellcheck disable=SC2086 # a list of names
"$top_srcdir/tests/values/same-values.sh" "$top_srcdir/tests/data/values" "$top_builddir/tests/records" \
  $RECENT_GPUS >"$HOME/differences"
status=$?
cat "$HOME/differences"
if [ $status -gt 1 ] || { [ $status = 1 ] && [ "$(uname -m)" = x86_64 ]; }; then
  fail=1 # other processors may round the simulated noise differently
fi
build=$(cd "$top_builddir" && pwd)
(cd "$top_srcdir" && sh doc/simulated.sh --check "$build/hwloc-gpucache" "$build/tests/records") ||
  [ "$(uname -m)" != x86_64 ] || fail=1
for gpu in $RECENT_GPUS; do
  table=test_tables
  ! grep -q '^gfx = ' "$top_srcdir/data/sim/$gpu" || table=test_amd
  "$top_builddir/tests/sim/$table" "$gpu" || fail=1
done
exit $fail
