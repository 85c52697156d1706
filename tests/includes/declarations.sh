#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# declarations.sh [TREE]: reads the declarations, definitions and calls of functions gc_* in src/,
# and prints each that breaks a rule:
#
#   1. A file declares what it defines: foo.h has functions of foo.c, and of foo_*.c in its folder.
#      A header with the name of its folder, or one of the table "interfaces", may have those of any
#      file in or below the folder. C files declare static functions only.
#   2. There are no circles of calls. foo.c and foo.h are one unit.
#   3. A struct, union or enum gc_* is defined once.
#
# It relies on the layout of the code: what is global begins in the first column.
# Exit status: 0 no rule is broken; 1 one is; 2 wrong usage.

# The subcommands, the links of doctor, the pictures, the sections of a page; and two ways to keep
# the lines of a cache, between which lines.c chooses.
interfaces='
src/tool/commands.h
src/tool/doctor/links.h
src/tool/plot/draw.h
src/tool/report/page.h
src/predict/model/cache_lines.h
'

[ $# -le 1 ] || { echo "usage: $0 [TREE]" >&2; exit 2; }
cd "${1:-${top_srcdir:-.}}" || exit 2
files=$(find src -name '*.[ch]' | LC_ALL=C sort) || exit 2
[ -n "$files" ] || { echo "declarations.sh: no C files in src of $PWD" >&2; exit 2; }
calls=$(mktemp) || exit 2
trap 'rm -f "$calls"' EXIT
failed=0
# shellcheck disable=SC2086 # no file name of the tree has a blank
INTERFACES=$interfaces CALLS=$calls awk '
  BEGIN {
    n = split(ENVIRON["INTERFACES"], word, " ")
    while (n)
      interface[word[n--]] = 1
  }
  FNR == 1 { text = ""; in_comment = 0 }
  {
    line = code($0)
    first = substr(line, 1, 1)
    if (text == "" && first ~ /[A-Za-z_]/ && line !~ /^(typedef|_Static_assert|[a-z_]+:)/)
      text = line
    else if (text != "")
      text = text " " line
    if (text ~ /[;{]/) {
      take(text)
      text = ""
    }
    if (first !~ /[A-Za-z_#]/)
      while (match(line, /gc_[a-z0-9_]+\(/)) {
        call[FILENAME, substr(line, RSTART, RLENGTH - 1)] = 1
        line = substr(line, RSTART + RLENGTH)
      }
  }
  END {
    for (name in declared)
      check(name, declared[name], defined[name])
    for (pair in call) {
      split(pair, part, SUBSEP)
      if (part[2] in defined && unit(part[1]) != unit(defined[part[2]]))
        print unit(part[1]), unit(defined[part[2]]) >ENVIRON["CALLS"]
    }
    if (!failed)
      print functions " functions are declared where they belong"
    exit failed
  }

  function broken(text) { print text; failed = 1 }
  function folder(file) { sub(/\/[^\/]*$/, "", file); return file }
  function unit(file) { sub(/\.[ch]$/, "", file); return file }
  function last(path) { sub(/.*\//, "", path); return path }

  # A line without strings and comments.
  function code(line,   i) {
    gsub(/\\./, "", line)
    gsub(/"[^"]*"/, "\"\"", line)
    if (in_comment) {
      if (!(i = index(line, "*/")))
        return ""
      in_comment = 0
      line = substr(line, i + 2)
    }
    gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, "", line)
    if (i = index(line, "/*")) {
      in_comment = 1
      line = substr(line, 1, i - 1)
    }
    return line
  }

  # The beginning of a declaration or definition, up to ; or {.
  function take(text,   name) {
    if (match(text, /^(struct|union|enum) gc_[a-z0-9_]+ \{/)) {
      split(text, word, " ")
      if (word[2] in tag)
        broken(FILENAME " and " tag[word[2]] " define " word[2])
      tag[word[2]] = FILENAME
      return
    }
    if (text ~ /^static / || text ~ /=/ || !match(text, /[ *]gc_[a-z0-9_]+\(/))
      return
    name = substr(text, RSTART + 1, RLENGTH - 2)
    if (text ~ /\{/)
      defined[name] = FILENAME
    else if (FILENAME ~ /\.c$/)
      broken(FILENAME " declares " name)
    else if (!(name in declared)) {
      declared[name] = FILENAME
      functions++
    }
  }

  function check(name, header, source,   own) {
    if (source == "") {
      broken(header " declares " name ", which no file defines")
      return
    }
    own = last(unit(header))
    if (folder(source) == folder(header) && (unit(source) == unit(header) || index(last(source), own "_") == 1))
      return
    if ((own == last(folder(header)) || header in interface) && index(source, folder(header) "/") == 1)
      return
    broken(header " declares " name ", which " source " defines")
  }
' $files || failed=1

tsort <"$calls" >/dev/null || { echo "these files call each other in a circle"; failed=1; }
exit $failed
