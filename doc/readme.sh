#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# readme.sh [--check] TOOL: renews what doc/use-lstopo.md repeats of the record of an H200: the example of show, and the
# picture of the README. With --check, compares the example and changes nothing. TOOL is hwloc-gpucache; lstopo must be in the PATH.
# To be run in the top folder of the source after the record was renewed.
record=doc/results/structure/h200.xml
picture=doc/results/structure/h200.svg
page=doc/use-lstopo.md
check=false
[ "$1" != --check ] || { check=true; shift; }
[ $# = 1 ] && [ -f $page ] && [ -f $record ] ||
  { echo "usage, in the top folder of the source: $0 [--check] TOOL" >&2; exit 2; }
example=$(mktemp) && readme=$(mktemp) || exit
trap 'rm -f "$example" "$readme"' EXIT
"$1" show $record >"$example" && [ -s "$example" ] || exit 1
# the block whose first line is the heading of gpu0
awk -v example="$example" '
  /^gpu0: / && above == "```text" { while ((getline line < example) > 0) print line; found = inside = 1 }
  inside && /^```$/ { inside = 0 }
  !inside { print }
  { above = $0 }
  END { exit !found }' $page >"$readme" || { echo "$page has no block that begins with gpu0:" >&2; exit 1; }
if $check; then
  diff $page "$readme" || { echo "the example in $page differs from \"show $record\": run doc/readme.sh TOOL" >&2; exit 1; }
  exit 0
fi
cat "$readme" >$page
# the objects of the record only; a viewBox has no units
lstopo --no-legend -f -i $record --of svg | sed "s/viewBox='0 0 \([0-9]*\)px \([0-9]*\)px'/viewBox='0 0 \1 \2'/" >$picture
