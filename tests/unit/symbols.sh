#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# No name is defined by two files of the command. The linker takes the first one from the libraries
# without a message, and calls of the other one reach the wrong function.
set -u
command -v nm >/dev/null || { echo "skipped: nm is missing"; exit 77; }
libraries=$(find "$top_builddir"/src -path '*/.libs/lib*.a' -o -path '*/.libs/lib*.lib') || exit 1
[ -n "$libraries" ] || { echo "no library was found in $top_builddir/src"; exit 1; }

# twice: of the output of nm, the names that two different object files define. (One object file can
# be in two libraries.)
twice()
{
  awk 'NF > 2 && $(NF - 1) ~ /^[TDBR]$/ { n = split($1, part, ":"); print part[n - 1], $NF }' |
    sort -u | awk '{ print $2 }' | sort | uniq -d
}

# shellcheck disable=SC2086 # no file name of the tree has a blank
nm -A --defined-only $libraries >symbols.nm 2>/dev/null
found=$(twice <symbols.nm)
functions=$(grep -c ' T ' symbols.nm)
rm -f symbols.nm
[ -z "$found" ] || { printf 'these names are defined twice:\n%s\n' "$found"; exit 1; }
[ "$functions" -gt 100 ] || { echo "nm reported only $functions functions"; exit 1; }

# Does the test notice?
noticed=$(printf '%s\n' 'a.a:one.o:00 T same' 'b.a:two.o:00 T same' 'b.a:one.o:00 T other' | twice)
[ "$noticed" = same ] || { echo "a name that is defined twice was not noticed"; exit 1; }
echo "$functions functions, each defined once"
