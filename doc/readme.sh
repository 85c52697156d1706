#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# readme.sh [--check] TOOL: renews what README.md repeats of the record of an H200: the example of show, and the
# picture. With --check, compares the example and changes nothing. TOOL is hwloc-gpucache; lstopo must be in the PATH.
# To be run in the top folder of the source after the record was renewed.
record=doc/results/structure/h200.xml
picture=doc/results/structure/h200.svg
check=false
[ "$1" != --check ] || { check=true; shift; }
[ $# = 1 ] && [ -f README.md ] && [ -f $record ] ||
  { echo "usage, in the top folder of the source: $0 [--check] TOOL" >&2; exit 2; }
example=$(mktemp) && readme=$(mktemp) || exit
trap 'rm -f "$example" "$readme"' EXIT
"$1" show $record >"$example" && [ -s "$example" ] || exit 1
# the block that begins with the heading of gpu0
awk -v example="$example" '
  /^gpu0: / { while ((getline line < example) > 0) print line; found = inside = 1 }
  inside && /^```$/ { inside = 0 }
  !inside { print }
  END { exit !found }' README.md >"$readme" || { echo "README.md has no block that begins with gpu0:" >&2; exit 1; }
if $check; then
  diff README.md "$readme" || { echo "the example in README.md differs from \"show $record\": run doc/readme.sh TOOL" >&2; exit 1; }
  exit 0
fi
cat "$readme" >README.md
# the objects of the record only; a viewBox has no units
lstopo --no-legend -f -i $record --of svg | sed "s/viewBox='0 0 \([0-9]*\)px \([0-9]*\)px'/viewBox='0 0 \1 \2'/" >$picture
