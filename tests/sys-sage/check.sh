#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Imports exports into sys-sage: mt4g with ParseMt4g, mt4g-csv with ParseMt4g_v0_1 (NVIDIA GPUs). The
# records are those of all simulated GPUs (their values are in tests/data/values), and the real ones in
# doc/results. Each import must return 0, and the tree must have the components, sizes, latencies and bandwidths of the record.
#
#   make check-sys-sage DIR=/where/sys-sage/is/installed [GPUS='h200 mi300x']
set -u
source=$(cd "${top_srcdir:?}" && pwd) build=$(cd "${top_builddir:?}" && pwd)
here=$source/tests/sys-sage work=$build/tests/sys-sage/work
# make check-sys-sage calls this with an empty DIR if the user gave none
if [ ! -e "${DIR:-}/inc/sys-sage.hpp" ] || [ ! -e "${DIR:-}/lib/libsys-sage.so" ]; then
  cat >&2 <<EOF
make check-sys-sage needs DIR=PATH, an installed sys-sage (https://github.com/caps-tum/sys-sage): the directory that
its "cmake --install" wrote (CMAKE_INSTALL_PREFIX), with inc/sys-sage.hpp and lib/libsys-sage.so.
GPUS='h200 mi300x' selects simulated GPUs.
EOF
  exit 2
fi
DIR=$(cd "$DIR" && pwd)
tool=$build/hwloc-gpucache
rm -rf "$work"
mkdir -p "$work"
# shellcheck disable=SC2046 # several words
${CXX:-c++} -std=c++20 -O1 -isystem "$DIR/inc" -isystem "$DIR/inc/parsers" $(xml2-config --cflags 2>/dev/null) \
  "$here/tree.cc" -o "$work/tree" -L"$DIR/lib" -Wl,-rpath,"$DIR/lib" -lsys-sage || exit 1

# Cores of an SM or CU, from the vendors' data sheets.
cores_of() {
  case $1 in
    *gtx470*) echo 32 ;; *gtx560ti*) echo 48 ;; *gtx780* | *k20c*) echo 192 ;;
    *gtx840m* | *p6000* | *h100* | *h200* | real-predict*) echo 128 ;; # the last one is an H200, too
    *) echo 64 ;; # Volta, Turing, A100; AMD
  esac
}

passed=0 failed=0
# compare NAME RECORD KIND: is the imported tree what the record has?
compare() {
  awk -f "$source/tests/values/record.awk" "$2" | awk -v format="$3" -v cores="$(cores_of "$1")" \
    -f "$here/expected.awk" | LC_ALL=C sort >"$work/$1.expected" &&
    grep '^tree\|^path\|^chip' "$work/$1.tree" | LC_ALL=C sort | diff "$work/$1.expected" - >"$work/$1.diff"
}

# check NAME RECORD FORMAT KIND: one import.
check() {
  local name=$1-$3
  if ! "$tool" export --format "$3" --output "$work/$name" "$2" 2>"$work/$name.errors"; then
    echo "FAILED $name: $(cat "$work/$name.errors")"
  elif ! "$work/tree" "$4" "$work/$name" >"$work/$name.out" 2>"$work/$name.tree"; then
    echo "FAILED $name: sys-sage does not import it: $(grep -v '^tree\|^path' "$work/$name.tree" | tail -n 1)"
  elif compare "$name" "$2" "$4"; then
    echo "passed $name: $(grep -c '^tree' "$work/$name.tree") kinds of components, $(grep -c '^path' "$work/$name.tree") of data paths"
    passed=$((passed + 1))
    return
  else
    echo "FAILED $name: expected (<) and imported (>):"
    cat "$work/$name.diff"
  fi
  failed=$((failed + 1))
}

check_formats() {
  check "$1" "$2" mt4g json
  if grep -q GPUCacheComputeCapability "$2"; then
    check "$1" "$2" mt4g-csv csv
  fi
}

# shellcheck disable=SC2086 # several words
for gpu in ${GPUS:-$(cd "$source/data/sim" && printf '%s\n' [!R]*)}; do
  awk -f "$source/tests/values/record-of-values.awk" "$source/tests/data/values/$gpu.tsv" >"$work/$gpu.xml"
  check_formats "$gpu" "$work/$gpu.xml"
done
for record in "$source"/doc/results/*/record.xml; do
  directory=${record%/record.xml}
  check_formats "real-${directory##*/}" "$record"
done

# without NAME: the same record again and again, each time without one of its values. An export that
# sys-sage cannot import must be refused.
without() {
  local key name=$1-without imported=0 refused=0 values=$source/tests/data/values/$1.tsv
  # shellcheck disable=SC2013 # keys have no blanks
  for key in $(cut -f 1 "$values" | grep -E '(Bytes|Cycles|GBps|KHz|Bits|SM|SMs|Threads|Groups|Instances|With|GFX|Capability)$'); do
    grep -v "^$key	" "$values" | awk -f "$source/tests/values/record-of-values.awk" >"$work/$name.xml"
    if ! "$tool" export --format "$2" --output "$work/$name" "$work/$name.xml" 2>"$work/$name.errors"; then
      refused=$((refused + 1))
    elif "$work/tree" "$3" "$work/$name" >"$work/$name.out" 2>"$work/$name.tree" &&
      compare "$name" "$work/$name.xml" "$3"; then
      imported=$((imported + 1))
    else
      echo "FAILED $1-$2 without $key: expected (<) and imported (>):"
      cat "$work/$name.diff"
      failed=$((failed + 1))
      return
    fi
  done
  echo "passed $1-$2 without each of its values: $imported imported, $refused refused"
  passed=$((passed + 1))
}
without k20c mt4g json
without k20c mt4g-csv csv
without mi100 mt4g json
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
