#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What cannot be made from src/record/property_table.h agrees with it: the public header, the
# sections of doc/methods.md, and the keys with a limit of their own in compare.
set -u
top=${top_srcdir:-.}
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
failed=0
fail() {
  echo "$*"
  failed=1
}

# Lines of words between tabs: P NAME JUDGE SECTION SENTENCE; K KEY FORMAT LEAST (a number), T or
# F KEY PATTERN LEAST (a text or a fact).
cat >"$dir/table.c" <<'END'
#define PROPERTY(id, name, judge, section, sentence) @@P ~ name ~ judge ~ section ~ sentence
#define NUMBER(id, key, format, least, member, words) @@K ~ key ~ format ~ least
#define TEXT(id, key, pattern, between, write, words) @@T ~ key ~ pattern ~ 0
#define LOOSE(key, least, member, words) @@K ~ key ~ WHOLE ~ least
#define FACT(key, pattern, least, words) @@F ~ key ~ pattern ~ least
#include "record/property_table.h"
END
${CC:-cc} -E -P -I"$top/src" "$dir/table.c" | tr '\n' ' ' | sed 's/@@/\n/g' |
  sed '1d; s/" "//g; s/ *~ */\t/g; s/"\t/\t/g; s/\t"/\t/g; s/"* *$//' >"$dir/table"

# What is measured has a sentence and a section that exists.
measured=0
while IFS=$(printf '\t') read -r row name judge section sentence; do
  case $row$judge in Pnone | [!P]*) continue ;; esac
  measured=$((measured + 1))
  case $sentence in *.) ;; *) fail "$name has no sentence that says how it is measured" ;; esac
  grep -qx "## $section" "$top/doc/methods.md" || fail "$name: methods.md has no section '$section'"
done <"$dir/table"
[ $measured -gt 50 ] || fail "only $measured properties are measured"

# Lines of a key, a tab, and the comment before its macro.
awk '/^\/\*\*/ { text = "" } { line = $0; sub(/^ \* ?/, "", line); text = text " " line }
  /^#define HWLOC_GPUCACHE_[A-Z0-9_]* "/ { split($0, part, "\""); print part[2] "\t" text; text = "" }' \
  "$top/include/hwloc/gpucache.h" >"$dir/header"
documented() { # KEY: prints the comment; fails without one
  awk -F '\t' -v key="$1" '$1 == key { print $2; found = 1 } END { exit !found }' "$dir/header"
}

# Every key is in the header, with its range or the words that it can be.
while IFS=$(printf '\t') read -r row key format least; do
  [ "$row" != P ] || continue
  comment=$(documented "$key") || comment=$(documented "GPUCache$key") || fail "gpucache.h has no $key"
  case $comment in *' as '[A-Z]* | *'The same'*) continue ;; esac # as another key
  case $row$format in
  KWHOLE | F#) range="integer >= $least|integer > $((least - 1))|integer from $least to" ;;
  KTENTHS | KRATE) range='number > 0|number >= 0' ;;
  *[a-z]\|[a-z]*)
    for word in $(echo "$format" | tr '|' ' '); do
      case $comment in *"\"$word\""*) ;; *) fail "gpucache.h: $key can be \"$word\"" ;; esac
    done
    continue ;;
  *) continue ;;
  esac
  echo "$comment" | grep -qE "$range" || fail "gpucache.h: the comment of $key has not the range $range"
done <"$dir/table"

# The header has no other keys and properties of elements, and compare no limits of other keys.
group() { sed -n "/defgroup hwlocality_gpucache_$1/,/^\/\*\* @} \*\//p" "$top/include/hwloc/gpucache.h"; }
for key in $({ group keys; group structure; group properties; } | sed -n 's/^#define [A-Z0-9_]* "\(.*\)"$/\1/p') \
  $(sed -n 's/^ *{"\([A-Za-z]*\)", [A-Z_]*, .*/\1/p' "$top/src/tool/compare/limits.c"); do
  cut -f 2 "$dir/table" | grep -qx "$key" || fail "the table has no $key, which gpucache.h or limits.c has"
done
exit $failed
