#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Each public header alone, and both together, in every dialect that an application may be written in.
set -u
top=${top_srcdir:-.}
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
flags="-Wall -Wextra -Werror -I$top/include $(${PKG_CONFIG:-pkg-config} --cflags hwloc)"
printf '#include <hwloc/gpucache.h>\nint main(void) { return hwloc_gpucache_get_next_gpu(0, 0) != 0; }\n' \
  >"$dir/full.c"
printf '#define HWLOC_GPUCACHE_KEYS_ONLY\n#include <hwloc/gpucache.h>\n%s\n' \
  'const char *prefix(void); const char *prefix(void) { return HWLOC_GPUCACHE_PREFIX; }' >"$dir/keys.c"
printf '#include <hwloc/gpucache-predict.h>\n%s\n' \
  'int main(void) { hwloc_gpucache_record_free(0); return 0; }' >"$dir/predict.c"
printf '#include <hwloc/gpucache.h>\n' | cat - "$dir/predict.c" >"$dir/both.c"
cp "$dir/full.c" "$dir/full.cc"
cp "$dir/predict.c" "$dir/predict.cc"
cp "$dir/both.c" "$dir/both.cc"
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

for source in full keys predict both; do
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
