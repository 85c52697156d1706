#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Where the plugin is installed: what hwloc loads and nothing else, gone again after; a directory that is not
# absolute is refused, because hwloc would never find it.
set -e
dir=$HOME/install
mkdir "$dir"

make -s -C "$top_builddir" install-hwlocpluginLTLIBRARIES install-data-hook DESTDIR="$dir" >"$dir.log" 2>&1 ||
  { cat "$dir.log"; exit 1; }
# automake installs the libraries before the plugin
found=$(find "$dir" ! -type d -name '*gpucache*' ! -name 'libhwloc-gpucache-predict.*' -exec basename {} \;)
[ "$found" = hwloc_gpucache.so ] || { echo "installed: $found"; exit 1; }
make -s -C "$top_builddir" uninstall-hwlocpluginLTLIBRARIES uninstall-libLTLIBRARIES uninstall-hook DESTDIR="$dir" >"$dir.log" 2>&1 ||
  { cat "$dir.log"; exit 1; }
found=$(find "$dir" ! -type d)
[ -z "$found" ] || { echo "left: $found"; exit 1; }

# a source tree that is built in itself takes no other build
[ ! -e "$top_srcdir/config.status" ] || exit 0
cd "$dir"
! "$top_srcdir/configure" --with-hwloc-plugindir=relative >"$dir.log" 2>&1 || { echo "accepted"; exit 1; }
grep -q 'needs an absolute directory, not relative' "$dir.log" || { tail "$dir.log"; exit 1; }
