#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The tables of doc/results/replay.md are what tests/replay/replay prints today. The confidences are
# not compared, because their last digit may depend on the machine.
rows() {
  awk -F'|' 'BEGIN { OFS = "|" } /^\| [A-Z].*[0-9]/ { $7 = ""; print }'
}
"$top_builddir/tests/replay/replay" --markdown | rows >"$HOME/found" || exit 1
rows <"$top_srcdir/doc/results/replay.md" >"$HOME/written"
if [ ! -s "$HOME/found" ] || ! diff "$HOME/written" "$HOME/found"; then
  echo "doc/results/replay.md is out of date; it says how its table is made"
  exit 1
fi
