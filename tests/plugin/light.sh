#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The plugin is light: every process that loads a topology maps it. It needs no library except
# those that hwloc has mapped already. Its code and data, without symbols, have at most 130 KB.
plugin=$top_builddir/src/plugin/.libs/hwloc_gpucache.so
[ "$SANITIZERS" = no ] || { echo "skipped: with sanitizers the plugin is larger and needs their libraries"; exit 77; }
for program in readelf size; do
  command -v $program >/dev/null || { echo "skipped: there is no $program"; exit 77; }
done
failed=0

libraries=$(readelf -d "$plugin" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
echo "needs: $(echo $libraries)"
[ -n "$libraries" ] || { echo "readelf prints no library"; failed=1; }
for library in $libraries; do
  case $library in
  libc.so.* | libm.so.* | libpthread.so.* | libdl.so.* | ld-linux*.so.* | ld64.so.*) ;;
  *) echo "the plugin needs $library, which hwloc may not have mapped"; failed=1 ;;
  esac
done

# The file is larger, because its last section begins in a page of its own.
bytes=$(size "$plugin" | awk 'NR == 2 { print $1 + $2 }')
echo "code and data: $bytes bytes"
[ "${bytes:-130001}" -le 130000 ] || { echo "that is more than 130 KB"; failed=1; }
# other compilers make other sizes
stated=$(sed -n 's/.*| \([0-9]*\)\.\([0-9]\) KB (x86-64, gcc 12, -O2).*/\1\200/p' "$top_srcdir/doc/testing.md")
case "$(uname -m) $(readelf -p .comment "$plugin")" in
*clang*) ;;
x86_64*"GCC: ("*") 12."*)
  [ $((100 * (bytes - stated))) -le "$stated" ] && [ $((100 * (stated - bytes))) -le "$stated" ] ||
    { echo "doc/testing.md states $stated bytes"; failed=1; } ;;
esac
exit $failed
