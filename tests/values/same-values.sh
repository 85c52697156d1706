#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Measures simulated GPUs with two builds and prints every difference in values, kinds of source and
# confidences. Use it to show that a change of the code changes no result.
#
#   same-values.sh OLD NEW [GPU]...
#   same-values.sh --write DIR TOOL [GPU]...
#
# OLD and NEW are programs hwloc-gpucache, or directories that --write wrote; TOOL is such a
# program. --write measures with one build and writes DIR/GPU.tsv. Without GPU, all of data/sim are
# measured (with a directory: all in it). Both builds measure the profiles of this tree's data/sim.
# No record is read or stored.
#
#   tests/values/same-values.sh /tmp/before/bin/hwloc-gpucache build/hwloc-gpucache
#   tests/values/same-values.sh tests/data/values build/hwloc-gpucache    (make check-values)
#
# Two runs of one build agree, because the noise of a simulated GPU has a fixed seed. Not compared:
# date, version, cost (GPUCacheMeasuring*), the hash of the profile (GPUCacheVBIOS), and the reason
# after "absent:". All GPUs take one minute of one core; JOBS of them run at a time (default: one per
# core).
#
# After a change that changes values on purpose, renew the reference of make check, and say why in
# the commit:
#
#   tests/values/same-values.sh --write tests/data/values build/hwloc-gpucache
#
# Exit status: 0 no difference, 1 differences, 2 wrong usage, 4 a measurement failed.
set -u
here=$(cd "$(dirname "$0")" && pwd) || exit 4
sim=${here%/tests/values}/data/sim
LC_ALL=C HWLOC_GPUCACHE_SIM_PATH=$sim
export LC_ALL HWLOC_GPUCACHE_SIM_PATH
unset HWLOC_GPUCACHE HWLOC_GPUCACHE_SIM HWLOC_GPUCACHE_TIMEOUT
work=$(mktemp -d) || exit 4
trap 'rm -rf "$work"' EXIT

usage() { sed -n 's/^#   same-values/usage: same-values/p' "$0" >&2; exit 2; }
fail() { echo "same-values.sh: $1" >&2; exit 4; }

# gpus [DIR]: the names of all simulated GPUs, or of those in DIR.
gpus() {
  if [ -n "${1:-}" ]; then
    for file in "$1"/*.tsv; do basename "$file" .tsv; done
  else
    find "$sim" -type f ! -name README -exec basename {} \; | sort
  fi
}

# measure DIR TOOL GPU...: writes DIR/GPU.tsv.
measure() {
  dir=$1 tool=$(command -v "$2") || fail "there is no program $2"
  shift 2
  mkdir -p "$dir" || exit 4
  # shellcheck disable=SC2016 # the inner shell expands
  printf '%s\n' "$@" | HWLOC_GPUCACHE_DIR=$work/records xargs -P "${JOBS:-$(nproc)}" -I @ sh -c '
    "$1" --sim @ measure --no-store --timeout 86400 --xml >"$2/@.xml" && [ -s "$2/@.xml" ] &&
      awk -f "$3" "$2/@.xml" | sort >"$2/@.values" && mv "$2/@.values" "$4/@.tsv"
    ' sh "$tool" "$work" "$here/record.awk" "$dir" || fail "$tool failed"
}

# compare OLD NEW GPU: two files of values.
compare() {
  awk -F '\t' -v gpu="$3" '
    NR == FNR { old[$1] = $2; next }
    { new[$1] = $2 }
    END {
      for (key in old)
        if (!(key in new))
          print gpu ": " key " is gone; it was " old[key]
      for (key in new)
        if (!(key in old))
          print gpu ": " key " is new: " new[key]
        else if (old[key] "" != new[key] "")
          print gpu ": " key " was " old[key] " and is " new[key]
    }' "$1" "$2" | sort
}

case ${1:-} in
--write)
  [ $# -ge 3 ] || usage
  dir=$2 tool=$3
  shift 3
  [ $# -gt 0 ] || set -- $(gpus)
  measure "$dir" "$tool" "$@"
  exit
  ;;
-*) usage ;;
esac
[ $# -ge 2 ] || usage
old=$1 new=$2
shift 2
if [ $# -eq 0 ]; then
  all=
  for one in "$new" "$old"; do [ ! -d "$one" ] || all=$one; done
  set -- $(gpus "$all")
fi
[ -d "$old" ] || { measure "$work/old" "$old" "$@"; old=$work/old; }
[ -d "$new" ] || { measure "$work/new" "$new" "$@"; new=$work/new; }
for gpu; do
  [ -s "$old/$gpu.tsv" ] && [ -s "$new/$gpu.tsv" ] || fail "there are no values of $gpu in $old or $new"
  compare "$old/$gpu.tsv" "$new/$gpu.tsv" "$gpu"
done >"$work/differences"
cat "$work/differences"
if [ -s "$work/differences" ]; then
  echo "$(wc -l <"$work/differences") differences"
  exit 1
fi
echo "$# GPUs: no difference"
