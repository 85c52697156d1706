#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# measure.sh tests/records/NAME.xml: measures the simulated GPU NAME of data/sim, or that of
# tests/tool, as a user does, and copies its record to this file. NAME.messages beside it gets what
# the command printed on stderr. Always succeeds, so that the tests run that do not need this record.
# make sets the environment.
file=$1
name=$(basename "$file" .xml)
profile=$name
[ -e "$HWLOC_GPUCACHE_SIM_PATH/$name" ] || profile=$top_srcdir/tests/tool/$name
mkdir -p "${file%/*}" || exit 1
rm -f "$file"
if "$HWLOC_GPUCACHE_TOOL" --sim "$profile" measure --timeout 86400 >/dev/null 2>"${file%.xml}.messages"; then
  cp "$HWLOC_GPUCACHE_DIR/sim-$name.xml" "$file.tmp" && mv "$file.tmp" "$file"
else
  echo "$file is missing, because $name cannot be measured:" >&2
  cat "${file%.xml}.messages" >&2
fi
