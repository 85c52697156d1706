#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# <hwloc/gpucache.h> alone, in every dialect that an application may be written in.
set -u
top=${top_srcdir:-.}
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
flags="-Wall -Wextra -Werror -I$top/include $(${PKG_CONFIG:-pkg-config} --cflags hwloc)"
printf '#include <hwloc/gpucache.h>\nint main(void) { return hwloc_gpucache_get_next_gpu(0, 0) != 0; }\n' \
  >"$dir/full.c"
printf '#define HWLOC_GPUCACHE_KEYS_ONLY\n#include <hwloc/gpucache.h>\n%s\n' \
  'const char *prefix(void); const char *prefix(void) { return HWLOC_GPUCACHE_PREFIX; }' >"$dir/keys.c"
cp "$dir/full.c" "$dir/full.cc"
cp "$dir/keys.c" "$dir/keys.cc"
failed=0 compiled=0

# try COMPILER FILE FLAGS: COMPILER may be several words.
try() {
  compiler=$1 file=$2
  shift 2
  command -v "${compiler%% *}" >/dev/null || { echo "skipped: no $compiler"; return; }
  # shellcheck disable=SC2086
  if $compiler $flags "$@" -c "$file" -o "$dir/out.o"; then
    compiled=$((compiled + 1))
  else
    echo "failed: $compiler $* $(basename "$file")"
    failed=1
  fi
}

for source in full keys; do
  for std in c99 gnu11 c17; do
    try "${CC:-cc}" "$dir/$source.c" -std=$std -pedantic
    try clang-19 "$dir/$source.c" -std=$std
  done
  for std in c++98 c++11 c++20; do
    try g++ "$dir/$source.cc" -std=$std
    try clang++-19 "$dir/$source.cc" -std=$std
  done
done
echo "$compiled compilations succeeded"
[ $failed -eq 0 ] && [ $compiled -gt 0 ]
