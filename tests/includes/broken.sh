#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Tests check.sh and declarations.sh. Writes small trees that break one rule each; the script must
# fail and name the files. The first tree of each breaks none and must pass.
set -eu
check=$top_srcdir/tests/includes/check.sh
failed=0

# tree NAME FILE:INCLUDE...: starts a tree with these files, each with its includes.
tree() {
  dir=$HOME/$1
  shift
  mkdir -p "$dir/src" "$dir/kernels"
  for pair; do
    file=$dir/${pair%%:*}
    mkdir -p "${file%/*}"
    : >>"$file"
    [ -z "${pair#*:}" ] || printf '#include "%s"\n' "${pair#*:}" >>"$file"
  done
}

# said STATUS TEXT...: the script exits so, and prints each text.
said() {
  expected=$1
  shift
  status=0
  output=$("$check" "$dir" 2>&1) || status=$?
  [ $status = "$expected" ] || fail "the exit status is $status, not $expected"
  for text; do
    case $output in
    *"$text"*) ;;
    *) fail "this is missing: $text" ;;
    esac
  done
}
fail() {
  echo "${dir##*/}: $1; ${check##*/} printed:"
  echo "$output" | sed 's/^/  /'
  failed=1
}

tree good src/util/a.h: src/util/a.c:config.h src/util/a.c:util/a.h src/util/b.h:a.h src/store/s.c:util/b.h \
  src/store/s.c:../util/a.h src/measure/core/m.c:kernels/args.h kernels/args.h: kernels/k.c:args.h
said 0 "6 includes of 7 files"

tree upwards src/util/low.c:tool/high.h src/tool/high.h:
said 1 "src/util/low.c includes src/tool/high.h: src/tool is above src/util"

tree beside src/store/one.c:gpus/other.h src/gpus/other.h:
said 1 "src/store/one.c includes src/gpus/other.h: src/gpus is beside src/store"

tree two src/gpus/here.h:gpus/there.h src/gpus/there.h: src/gpus/there.c:gpus/here.h
said 1 "circle: src/gpus/here.h includes src/gpus/there.h; src/gpus/there.c includes src/gpus/here.h"

tree three src/store/x.h:store/y.h src/store/y.h: src/store/y.c:store/z.h src/store/z.h:store/x.h \
  src/store/apart.c:store/x.h
said 1 "src/store/x.h includes src/store/y.h" "src/store/y.c includes src/store/z.h" \
  "src/store/z.h includes src/store/x.h"
[ "$(echo "$output" | wc -l)" = 1 ] || fail "one circle is reported more than once"

tree interface src/measure/m.c:kernels/lanes.h kernels/lanes.h: src/tool/t.c:kernels/args.h kernels/args.h:
said 1 "src/measure/m.c includes kernels/lanes.h, which only these may include" \
  "src/tool/t.c includes kernels/args.h, which only these may include"

tree unlisted src/util/a.h: src/novel/n.c:util/a.h
said 1 "src/novel has no place in the order of folders"

tree missing src/util/a.c:util/gone.h
said 1 'src/util/a.c:1 includes "util/gone.h", and there is no such file'

tree empty
said 2

check=$top_srcdir/tests/includes/declarations.sh
# has FILE LINE...: adds lines to a file of the tree.
has() {
  file=$dir/$1
  shift
  mkdir -p "${file%/*}"
  printf '%s\n' "$@" >>"$file"
}

tree declared
has src/util/one.h '/* int gc_in_a_comment(void); */' 'struct gc_one {' '  int a;' '};' 'int gc_one(int a,' '           int b);'
has src/util/one.c 'int gc_one(int a,' '           int b)' '{' '  return gc_two();' '}'
has src/util/one_more.c 'static int own(void);' 'int gc_two(void)' '{' 'out:' '  return own();' '}'
has src/util/util.h 'int gc_two(void);'
said 0 "2 functions are declared where they belong"

tree elsewhere
has src/util/one.h 'int gc_one(void);'
has src/util/other.c 'int gc_one(void)' '{' '}'
said 1 "src/util/one.h declares gc_one, which src/util/other.c defines"

tree nowhere
has src/util/one.h '__attribute__((const)) int gc_one(void);'
said 1 "src/util/one.h declares gc_one, which no file defines"

tree in_c
has src/util/one.c 'int gc_two(void);'
said 1 "src/util/one.c declares gc_two"

tree calls
has src/util/util.h 'int gc_one(void);' 'int gc_two(void);'
has src/util/one.c 'int gc_one(void)' '{' '  return gc_two();' '}'
has src/util/two.c 'int gc_two(void)' '{' '  return gc_one();' '}'
said 1 "these files call each other in a circle" src/util/one src/util/two

tree twice
has src/util/one.h 'struct gc_one {'
has src/util/two.c 'enum gc_one { A };'
said 1 "src/util/two.c and src/util/one.h define gc_one"

exit $failed
