#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Tests check.sh. Writes small trees that break one rule each; check.sh must fail and name the
# files. The first tree breaks none and must pass.
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

# said STATUS TEXT...: check.sh exits so, and prints each text.
said() {
  expected=$1
  shift
  status=0
  output=$("$check" "$dir") || status=$?
  [ $status = "$expected" ] || fail "the exit status is $status, not $expected"
  for text; do
    case $output in
    *"$text"*) ;;
    *) fail "this is missing: $text" ;;
    esac
  done
}
fail() {
  echo "${dir##*/}: $1; check.sh printed:"
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
said 2 2>/dev/null

exit $failed
