#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Prints the times that this machine takes; checks nothing. make bench runs it and sets its
# environment. By hand:
#   top_builddir=... HWLOC_GPUCACHE_TOOL=... HWLOC_PLUGINS_PATH=PLUGIN:OTHERS tests/bench.sh
# Without an NVIDIA GPU it times the simulated H200 instead, and says so. The processor time of
# measuring each simulated GPU (about a minute) is printed only then, or with BENCH_SIM=1: it says
# nothing about a real GPU.
set -u
tool=${HWLOC_GPUCACHE_TOOL:?names no tool}
bin=${top_builddir:-.}/tests/bench
plugin=${HWLOC_PLUGINS_PATH%%:*}
others=${HWLOC_PLUGINS_PATH#*:}
[ "$others" = "$HWLOC_PLUGINS_PATH" ] && others=/nonexistent
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
HWLOC_GPUCACHE_DIR=$work/records
export HWLOC_GPUCACHE_DIR

milliseconds() { # of a command
  start=$(date +%s%N)
  "$@" >"$work/out" 2>"$work/err" || { cat "$work/err" >&2; return 1; }
  echo $((($(date +%s%N) - start) / 100000)) | sed 's/.$/.&/; s/^\./0./'
}
median() { sort -n | awk '{ v[NR] = $1 } END { if (NR) print v[int((NR + 1) / 2)] }'; }

model=$(sed -n 's/^Model:[[:space:]]*//p' /proc/driver/nvidia/gpus/*/information 2>/dev/null | head -n 1)
echo "machine   $(hostname), $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores"
echo "date      $(date -u +%Y-%m-%dT%H:%MZ)"
echo "version   $("$tool" --version | head -n 1)"
if [ -n "$model" ]; then
  echo "GPU       $model, driver $(sed -n 's/^NVRM version:.*  *\([0-9][0-9]*\.[0-9.]*\)  *.*/\1/p' /proc/driver/nvidia/version)"
  sim=
else
  echo "GPU       none: the simulated H200 is timed instead, its times mean nothing for a real one"
  sim=h200
fi

if [ -n "$model" ]; then
  for i in 1 2 3 4 5; do
    "$bin/bare-start" >>"$work/bare" || exit 1
    CUDA_DEVICE_MAX_CONNECTIONS=1 "$bin/bare-start" >>"$work/one" || exit 1
    milliseconds "$bin/bare-start" >>"$work/process" || exit 1
    # --replace: a record that lacks a value, such as one of a busy host, counts like the others
    milliseconds "$tool" measure --force --replace gpu0 >>"$work/measure" || exit 1
  done
  bare=$(awk '{ print $1 + $2 }' "$work/bare" | median)
  one=$(awk '{ print $1 + $2 }' "$work/one" | median)
  all=$(median <"$work/measure")
  echo
  echo "cold, medians of 5 runs in alternation, GPU otherwise idle"
  echo "  cuInit + context alone       $bare ms  ($(awk '{ printf "%s+%s ", $1, $2 }' "$work/bare"))"
  # the tool asks for one hardware queue, with which CUDA starts faster
  echo "  the same, one hardware queue $one ms  ($(awk '{ printf "%s+%s ", $1, $2 }' "$work/one"))"
  echo "  a process with only that     $(median <"$work/process") ms  ($(tr '\n' ' ' <"$work/process"))"
  echo "  hwloc-gpucache measure       $all ms  ($(tr '\n' ' ' <"$work/measure"))"
  echo "  ratio to cuInit + context    $(awk "BEGIN { printf \"%.2f\", $all / $bare }")  (to reach: 2.0)"
  echo "  ratio to that with one queue $(awk "BEGIN { printf \"%.2f\", $all / $one }")"
  echo "  ratio to the bare process    $(awk "BEGIN { printf \"%.2f\", $all / $(median <"$work/process") }")  (to reach: 1.35)"
else
  echo
  echo "cold     hwloc-gpucache --sim h200 measure: $(milliseconds "$tool" --sim h200 measure --force) ms"
fi
"$tool" ${sim:+--sim $sim} show --json >"$work/record.json" 2>"$work/err"
fact() { sed -n "s/.*\"$1\": *\([0-9.]*\).*/\1/p" "$work/record.json" | head -n 1; }
echo "  measuring alone              $(fact MeasuringMilliseconds) ms, $(fact MeasuringLaunches) launches  (to reach: 160, 1200)"
echo "  device memory                $(($(fact MeasuringDeviceBytes) >> 20)) MiB  (to reach: 670, and a 20th of what is free if that is enough)"
if [ -n "$model" ]; then
  # one queue also saves host memory, so the tool is compared with CUDA with one queue
  ours=$("$bin/bare-start" "$tool" measure --force --no-store gpu0) && cuda=$("$bin/bare-start" "$bin/bare-start") &&
    queue=$(CUDA_DEVICE_MAX_CONNECTIONS=1 "$bin/bare-start" "$bin/bare-start") &&
    echo "  host memory at most          $((ours >> 10)) MiB, $(((ours - queue) >> 10)) MiB beyond CUDA's own  (to reach: 32)" &&
    echo "  cuInit + context alone       $((queue >> 10)) MiB with one hardware queue, as the tool has; $((cuda >> 10)) MiB by default"
fi

echo
echo "measuring alone, one run: milliseconds, launches, step"
"$tool" ${sim:+--sim $sim} measure --force --no-store --verbose >"$work/out" 2>"$work/steps" || exit 1
sed -n 's/.*: [^:]*: \(.*\) took \([0-9.]*\) ms, \([0-9]*\) launch\(es\)*$/\2 \3 \1/p' "$work/steps" |
  awk '{ printf "  %7.2f %5d ", $1, $2; for (i = 3; i <= NF; i++) printf " %s", $i; print ""; all += $1; n += $2 }
       END { printf "  %7.2f %5d  all steps\n", all, n }'

# The processor time of a simulated measurement as a share of that of a computation that needs no
# memory: it depends little on the machine and on its load. /dev/zero has no end, sha256sum gets 1 GiB.
user_seconds() { # of a command and its children
  ("$@" >"$work/out" 2>"$work/err"; times) | awk 'NR == 2 { split($1, t, /[ms]/); print 60 * t[1] + t[2] }'
}
hash_zeros() { head -c 1G /dev/zero | sha256sum; }
simulated() { user_seconds "$tool" --sim "$1" measure --force --no-store; }
if [ -z "$model" ] || [ -n "${BENCH_SIM:-}" ]; then
  profiles=${HWLOC_GPUCACHE_SIM_PATH:-${top_srcdir:-.}/data/sim}
  echo
  echo "simulated GPUs, user time of measure / user time of head -c 1G /dev/zero | sha256sum"
  sum=0 recent=0 sum_of=' '
  for profile in h200 h100 mi300x a100 $(ls "$profiles"); do
    case "$profile $sum_of" in README*|*" $profile "*) continue ;; esac
    sum_of="$sum_of$profile "
    ratio=$(awk "BEGIN { printf \"%.2f\", $(simulated "$profile") / $(user_seconds hash_zeros) }")
    case " ${RECENT_GPUS:-} " in
      *" $profile "*) recent=$(awk "BEGIN { print $recent + $ratio }") ;;
      *) sum=$(awk "BEGIN { print $sum + $ratio }") ;;
    esac
    case $profile in
      h200 | h100) echo "  $profile $ratio  (to reach: 1.0)" ;;
      mi300x) echo "  $profile $ratio  (to reach: 1.2)" ;;
      a100) echo "  $profile $ratio  (to reach: 0.7)" ;;
    esac
  done
  echo "  all but those that were added last: $sum  (to reach: 8)"
  echo "  those that were added last, ${RECENT_GPUS:-none}: $recent"
fi

echo
echo "warm, medians of 200 loads in alternation, all I/O kept, microseconds"
${sim:+env HWLOC_GPUCACHE_SIM=$sim} "$bin/load-cost" "$others" "$plugin:$others" >"$work/load" || exit 1
sed '1s/\([0-9-]*\) \([0-9-]*\) \([0-9-]*\)/  without the plugin \1, with it \2, difference \3  (to reach: 500)/; 2,$s/^/  /' "$work/load"

echo
[ -n "$sim" ] || "$tool" measure >/dev/null 2>"$work/err" || cat "$work/err" # the other GPUs
HWLOC_PLUGINS_PATH=$plugin ${sim:+env HWLOC_GPUCACHE_SIM=$sim} sh "${top_srcdir:-.}/tests/bench/fresh.sh"
