#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# doc/testing.md lists the tests of the tiers "ci" and "smoke", and no others, below its heading
# "Tiers". Every such test exists.
set -u
fail=0
make=${MAKE:-make}
"$make" -s --no-print-directory -C "$top_builddir" tiers >"$HOME/tiers" || exit 1
section() { sed -n "/^## Tiers/,/^## /p" "$top_srcdir/doc/testing.md"; }
for tier in ci smoke; do
  sed -n "s/^$tier //p" "$HOME/tiers" | sort >"$HOME/made"
  section | sed -n "/^| \`$tier\` |/s/^| \`$tier\` |//p" | grep -o 'tests/[^`]*' | sort >"$HOME/documented"
  if [ ! -s "$HOME/made" ] || ! cmp -s "$HOME/made" "$HOME/documented"; then
    echo "tier $tier: the local.mk files (-) and doc/testing.md (+) differ:"
    diff -u "$HOME/made" "$HOME/documented"
    fail=1
  fi
done
exit $fail
