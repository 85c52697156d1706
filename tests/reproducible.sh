#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# make check-reproducible: the release archive, the command and the plugin have the same bytes, whoever
# builds them, wherever and whenever. It builds the archive of this build in two directories, with
# another umask, time zone, locale, number of jobs and other times of all files, and compares. With
# "--deb" it also builds the Debian packages twice.
#
#   tests/reproducible.sh ARCHIVE [--deb]
#
# CUBIN_ARCHS is passed on to make, and AMD_PROCESSORS to configure.
set -euo pipefail

archive=$(realpath "$1")
name=$(basename "$archive" .tar.xz)
work=$(mktemp -d)
trap 'chmod -R u+rwx "$work"; rm -rf "$work"' EXIT
export HOME=$work
unset SOURCE_DATE_EPOCH MAKEFLAGS MFLAGS MAKELEVEL CFLAGS LDFLAGS DEB_BUILD_OPTIONS

logged()
{
  local log

  log=$(mktemp -p "$work")
  "$@" >"$log" 2>&1 </dev/null || { tail -n 50 "$log"; echo "this failed: $*"; return 1; }
}

# build DIR UMASK DATE TZ LC_ALL JOBS
build()
{
  local dir=$work/$1

  (
    umask "$2"
    export TZ=$4 LC_ALL=$5
    mkdir -p "$dir"
    tar -C "$dir" --no-same-permissions -xf "$archive"
    cd "$dir/$name"
    find . -exec touch -d "$3" {} +
    logged ./configure --prefix=/usr --libdir=/usr/lib --localstatedir=/var --with-systemdsystemunitdir=no \
      --with-tmpfilesdir=no --with-udevrulesdir=no CFLAGS="-O2 -g -ffile-prefix-map=$dir=/src"
    logged make -s -j"$6" V=0 ${CUBIN_ARCHS:+CUBIN_ARCHS="$CUBIN_ARCHS"}
    logged make -s dist ${CUBIN_ARCHS:+CUBIN_ARCHS="$CUBIN_ARCHS"}
  )
}

status=0
same() # FILE FILE WHAT
{
  if cmp "$1" "$2"; then
    echo "ok: $3: $(sha256sum <"$1" | cut -d' ' -f1)"
  else
    echo "FAILED: $3 differs"
    status=1
  fi
}

packages() # DIR UMASK
{
  (
    umask "$2"
    mkdir -p "$work/$1"
    cp "$archive" "$work/$1/${name%-*}_${name##*-}.orig.tar.xz"
    tar -C "$work/$1" -xf "$archive"
    cd "$work/$1/$name"
    logged env DEB_BUILD_OPTIONS=nocheck dpkg-buildpackage -us -uc
  )
}

build a 022 '2026-01-01 00:00Z' UTC C 2 &
first=$!
build longer/path 077 '2025-06-01 12:34Z' Asia/Tokyo C.UTF-8 1
wait $first
same "$archive" "$work/a/$name/$name.tar.xz" "archive from an archive"
same "$work/a/$name/$name.tar.xz" "$work/longer/path/$name/$name.tar.xz" "archive from another directory"
for file in hwloc-gpucache src/plugin/.libs/hwloc_gpucache.so doc/hwloc-gpucache.1; do
  same "$work/a/$name/$file" "$work/longer/path/$name/$file" "$(basename "$file")"
done
if [ "${2:-}" = --deb ]; then
  packages b 022 &
  first=$!
  packages other/path 027
  wait $first
  for file in "$work"/b/*.deb "$work"/b/*.dsc "$work"/b/hwloc-gpucache_*.tar.*; do
    same "$file" "$work/other/path/$(basename "$file")" "$(basename "$file")"
  done
fi
exit $status
