#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Compares simulated GPUs measured with two builds, and prints every difference in values, kinds of
# source and confidences. Use it to show that a change of the code changes no result.
#
#   same-values.sh OLD NEW [GPU]...
#   same-values.sh --write DIR NEW [GPU]...
#
# OLD and NEW are programs hwloc-gpucache, directories of records (GPU.xml, as tests/records has them
# in a build), or directories of values (GPU.tsv) that --write wrote into DIR. Without GPU, all of
# data/sim are compared (with a directory: all in it). Both programs measure the profiles of this
# tree's data/sim. No record is read or stored.
#
#   tests/values/same-values.sh /tmp/before/bin/hwloc-gpucache build/hwloc-gpucache
#
# Two runs of one build agree, because the noise of a simulated GPU has a fixed seed. Not compared:
# date, version, cost (GPUCacheMeasuring*), the hash of the profile (GPUCacheVBIOS), and the reason
# after "absent:". JOBS GPUs are measured at a time (default: one per core).
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
    for file in "$1"/*.tsv "$1"/*.xml; do [ ! -e "$file" ] || basename "${file%.*}"; done
  else
    find "$sim" -type f ! -name README -exec basename {} \; | sort
  fi
}

# of_record FILE: the values of a record.
of_record() { awk -f "$here/record.awk" "$1" | sort; }

# values DIR SOURCE GPU...: writes DIR/GPU.tsv, from a program or from a directory.
values() {
  dir=$1 source=$2 records=$2
  shift 2
  mkdir -p "$dir" || exit 4
  if [ ! -d "$source" ]; then
    records=$work/records
    rm -rf "$records"
    mkdir "$records" && command -v "$source" >/dev/null || fail "there is no program $source"
    # shellcheck disable=SC2016 # the inner shell expands
    printf '%s\n' "$@" | HWLOC_GPUCACHE_DIR=$work/none xargs -P "${JOBS:-$(nproc)}" -I @ sh -c \
      '"$1" --sim @ measure --no-store --timeout 86400 --xml >"$2/@.xml"' sh "$source" "$records" || fail "$source failed"
  fi
  for gpu; do
    if [ -e "$records/$gpu.tsv" ]; then
      cp "$records/$gpu.tsv" "$dir/"
    else
      [ -s "$records/$gpu.xml" ] || fail "$source has no $gpu"
      of_record "$records/$gpu.xml" >"$dir/$gpu.new" && mv "$dir/$gpu.new" "$dir/$gpu.tsv" || exit 4
    fi
  done
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
  dir=$2 new=$3
  shift 3
  all=
  [ ! -d "$new" ] || all=$new
  # shellcheck disable=SC2046 # several words
  [ $# -gt 0 ] || set -- $(gpus "$all")
  values "$dir" "$new" "$@"
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
  # shellcheck disable=SC2046 # several words
  set -- $(gpus "$all")
fi
values "$work/old" "$old" "$@"
values "$work/new" "$new" "$@"
for gpu; do
  compare "$work/old/$gpu.tsv" "$work/new/$gpu.tsv" "$gpu"
done >"$work/differences"
cat "$work/differences"
if [ -s "$work/differences" ]; then
  echo "$(wc -l <"$work/differences") differences"
  exit 1
fi
echo "$# GPUs: no difference"
