#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# doc/results/replay.md holds what the program finds today: all columns but the confidence, whose last
# digit may depend on the machine.
[ -d "${MT4G_TRACES:-$top_srcdir/../shared/mt4g}" ] || {
  echo "skipped: MT4G's raw data are not here (MT4G_TRACES, or ../shared/mt4g)"
  exit 77
}
rows() {
  awk -F'|' 'BEGIN { OFS = "|" } /^\| [A-Z].*[0-9]/ { $7 = ""; print }'
}
"$top_builddir/tests/replay/replay" --markdown | rows >"$HOME/found" || exit 1
rows <"$top_srcdir/doc/results/replay.md" >"$HOME/written"
if [ ! -s "$HOME/found" ] || ! diff "$HOME/written" "$HOME/found"; then
  echo "doc/results/replay.md is out of date; it says how its table is made"
  exit 1
fi
