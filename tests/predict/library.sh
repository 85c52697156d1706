#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The library for programs: the example predicts what the command predicts, the library shows only the
# functions of its header, which debian/ lists, and an installed one is found by pkg-config, from C and C++.
set -e
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
record=$top_srcdir/doc/results/h200/record.xml
library=$top_builddir/src/predict/.libs/libhwloc-gpucache-predict.so

{
  echo 'blockdim: 32 1 1'
  for pass in 1 2; do
    for thread in 0 1 2 3 4 5 6 7; do echo "$thread 0 $((1048576 + 64 * thread)) 4"; done
  done
} >"$dir/trace"

# Eight threads, a sector each, twice.
expected=': 50.0 % of 16 sectors hit in L1, 8 misses are compulsory'
found=$("$top_builddir/doc/examples/gpucache-predict" "$record" "$dir/trace")
[ "$found" = "$expected" ] || { printf 'expected: %s\nfound:    %s\n' "$expected" "$found"; exit 1; }
found=$("$top_builddir/hwloc-gpucache" predict --json --record "$record" "$dir/trace" |
  jq '.kernels[0].l1_hit_rate.value')
[ "$found" = 0.5 ] || { echo "the command predicts $found"; exit 1; }

# Failures: a sentence, and no prediction.
for wrong in "$dir/none $dir/trace" "$record $dir/none" "$dir/trace $dir/trace"; do
  # shellcheck disable=SC2086 # two words
  if "$top_builddir/doc/examples/gpucache-predict" $wrong >"$dir/out" 2>"$dir/message"; then
    echo "accepted: $wrong"
    exit 1
  fi
  [ ! -s "$dir/out" ] && grep -q "$dir/" "$dir/message" || { cat "$dir/out" "$dir/message"; exit 1; }
done

strange=$(nm -D --defined-only "$library" | awk '$3 !~ /^hwloc_gpucache_(predict|record)/ && $2 ~ /[TDBR]/')
[ "$SANITIZERS" = yes ] || [ -z "$strange" ] || { echo "visible: $strange"; exit 1; }
nm -D --defined-only "$library" | sed -n 's/.* T \(hwloc_gpucache_\)/\1/p' | sort >"$dir/visible"
sed -n 's/^ \(.*\)@Base .*/\1/p' "$top_srcdir/debian/libhwloc-gpucache-predict0.symbols" | sort | diff - "$dir/visible" || {
  echo "debian/libhwloc-gpucache-predict0.symbols lists other functions than the library has"
  exit 1
}

# With the sanitizers, a program that is built without them cannot use the library.
[ "$SANITIZERS" != yes ] || exit 0
make -s -C "$top_builddir" install-libLTLIBRARIES install-pkgconfigDATA install-gpucacheincludeHEADERS \
  prefix="$dir/prefix" >"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }
pc=$(find "$dir/prefix" -name hwloc-gpucache-predict.pc)
installed=${pc%/pkgconfig/*}
flags=$(PKG_CONFIG_PATH=${pc%/*} pkg-config --define-variable=libdir="$installed" \
  --define-variable=includedir="$dir/prefix/include" --cflags --libs hwloc-gpucache-predict)
cp "$top_srcdir/doc/examples/gpucache-predict.c" "$dir/example.c"
cp "$dir/example.c" "$dir/example.cc"
for compile in "${CC:-cc} example.c" "g++ example.cc"; do
  command -v "${compile%% *}" >/dev/null || continue
  # shellcheck disable=SC2086 # several words
  (cd "$dir" && $compile -Wall -Wextra -Werror -o example $flags) || exit 1
  found=$(LD_LIBRARY_PATH=$installed "$dir/example" "$record" "$dir/trace")
  [ "$found" = "$expected" ] || { echo "installed: $found"; exit 1; }
done
