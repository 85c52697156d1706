#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# All GPUs of this machine together: measuring them takes at most what CUDA alone takes to start on all
# of them, plus 1.5 times what measuring one takes. Prints medians of 5 runs in alternation:
#   start all     processes that only start CUDA, one for each GPU, all at once, until the last has ended
#   measure one   what measuring gpu0 alone takes, without starting CUDA and the process
#   measure all   the command for all GPUs
# On one GPU the limit is the same. Then gpu0 is measured alone and beside the others: the values must
# be alike.
set -u
failed=
tool=$top_builddir/hwloc-gpucache
bare=$top_builddir/tests/bench/bare-start
runs=${SEVERAL_RUNS:-5}
uuids=$(sed -n 's/^GPU UUID:[[:space:]]*//p' /proc/driver/nvidia/gpus/*/information | sort)
count=$(echo "$uuids" | wc -l)
if ! "$bare" >/dev/null 2>&1; then
  echo "skipped: CUDA does not start on this machine"
  exit 77
fi

milliseconds() { # of a command
  start=$(date +%s%N)
  "$@" >"$HOME/out" 2>&1 || { cat "$HOME/out" >&2; exit 1; }
  echo $((($(date +%s%N) - start) / 1000000))
}
# as the command does it: each process sees its GPU only, and uses one hardware queue
start_all() {
  for uuid in $uuids; do
    CUDA_VISIBLE_DEVICES=$uuid CUDA_DEVICE_MAX_CONNECTIONS=1 "$bare" &
  done
  wait
}
median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

i=0
while [ $i -lt "$runs" ]; do
  milliseconds start_all >>"$HOME/start" || exit 1
  milliseconds "$tool" measure --force --no-store --xml gpu0 >>"$HOME/process" || exit 1
  sed -n 's/.*MeasuringMilliseconds" value="\([0-9.]*\)".*/\1/p' "$HOME/out" >>"$HOME/one"
  milliseconds "$tool" measure --force --no-store >>"$HOME/all" || exit 1
  i=$((i + 1))
done
start=$(median <"$HOME/start")
one=$(median <"$HOME/one")
all=$(median <"$HOME/all")
limit=$(awk "BEGIN { printf \"%.0f\", $start + 1.5 * $one }")
echo "$count GPUs, medians of $runs runs"
echo "  start all    $start ms  ($(tr '\n' ' ' <"$HOME/start"))"
echo "  measure one  $one ms  ($(tr '\n' ' ' <"$HOME/one")), as a process $(median <"$HOME/process") ms"
echo "  measure all  $all ms  ($(tr '\n' ' ' <"$HOME/all")), limit $limit ms"
[ "$all" -le "$limit" ] || { echo "FAILED: measuring all GPUs takes longer than $limit ms"; exit 1; }

for i in 1 2 3; do
  "$tool" measure --force --no-store --xml gpu0 >"$HOME/alone.xml" || exit 1
  "$tool" measure --replace >"$HOME/out" || exit 1
  rm -f "$HOME"/.cache/hwloc-gpucache/node-*.xml # gpu0 alone has no values of others, either
  "$tool" show --xml gpu0 >"$HOME/beside.xml" || exit 1
  "$tool" compare "$HOME/alone.xml" "$HOME/beside.xml" || failed=1
done
[ -z "$failed" ] || { echo "FAILED: measured beside the others, gpu0 has other values"; exit 1; }
