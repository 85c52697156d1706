#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# simulated.sh [--check] TOOL RECORDS: renews what documents show of simulated GPUs that nobody here has: the output of show
# in doc/results/simulated.md, and the pages of report in doc/results/simulated/. With --check, compares them and changes
# nothing. TOOL is hwloc-gpucache, RECORDS a directory with the records of these GPUs (tests/records in a build).
# "make renew-values" runs this. Dates, durations and file names are left out. To be run in the top folder of the source.
page=doc/results/simulated.md
check=false
[ "$1" != --check ] || { check=true; shift; }
[ $# = 2 ] && [ -f $page ] || { echo "usage, in the top folder of the source: $0 [--check] TOOL RECORDS" >&2; exit 2; }
work=$(mktemp -d) || exit
trap 'rm -rf "$work"' EXIT
cp $page "$work/page"
failed=0

# keep NEW OLD: replaces a file, or compares it
keep() {
  if $check; then
    diff "$2" "$1" || { echo "$2 differs from what the record gives: run make renew-values" >&2; failed=1; }
  else
    cat "$1" >"$2"
  fi
}

for gpu in b200 mi355x; do
  cp "$2/$gpu.xml" "$work/" && "$1" show "$work/$gpu.xml" | sed '1s/, measured .*//' >"$work/show" && [ -s "$work/show" ] &&
    "$1" report "$work/$gpu.html" "$work/$gpu.xml" >/dev/null || exit 1
  # the block whose first line is the heading of this GPU
  awk -v example="$work/show" '
    BEGIN { getline first <example; close(example) }
    above == "```text" && $0 == first { while ((getline line <example) > 0) print line; found = inside = 1 }
    inside && /^```$/ { inside = 0 }
    !inside { print }
    { above = $0 }
    END { exit !found }' "$work/page" >"$work/new" || { echo "$page has no block that begins: $(head -n 1 "$work/show")" >&2; exit 1; }
  mv "$work/new" "$work/page"
  sed '/[0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z/d; /duration of the measurement/d; /<dt>\(Command\|Record\)</d' "$work/$gpu.html" >"$work/report"
  [ -e doc/results/simulated/$gpu.html ] || : >doc/results/simulated/$gpu.html
  keep "$work/report" doc/results/simulated/$gpu.html
done
keep "$work/page" $page
exit $failed
