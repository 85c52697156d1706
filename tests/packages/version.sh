#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# All files that name the version name the same one, and those that name the date of the release, too.
cd "$top_srcdir" || exit 99
version=$(sed -n 's/^AC_INIT(\[hwloc-gpucache\], \[\([^]]*\)\].*/\1/p' configure.ac)
news=$(sed -n 's/^Version //p' NEWS | sed 1q)
date=$(sed -n 's/^\(20[0-9][0-9]-[0-9][0-9]-[0-9][0-9]\)$/\1/p' NEWS | sed 1q)
failed=0

expect() # FILE FOUND EXPECTED
{
  [ "$2" = "$3" ] && return
  echo "$1: found '$2', expected '$3'"
  failed=1
}

[ -n "$version" ] || { echo "configure.ac names no version"; exit 1; }
expect "debian/changelog" "$(sed -n '1s/.*(\(.*\)-[0-9]*).*/\1/p' debian/changelog)" "$version"
expect "contrib/rpm/hwloc-gpucache.spec" "$(sed -n 's/^Version: *//p' contrib/rpm/hwloc-gpucache.spec)" "$version"
eb=$(echo contrib/upstream/hwloc-gpucache-*.eb)
expect "$eb" "$(sed -n "s/^version = '\(.*\)'/\1/p" "$eb")" "$version"
expect "contrib/spack/package.py" \
  "$(sed -n 's/.*url = ".*hwloc-gpucache-\(.*\)\.tar\.xz"/\1/p' contrib/spack/package.py)" "$version"
expect "contrib/python/pyproject.toml" "$(sed -n 's/^version = "\(.*\)"/\1/p' contrib/python/pyproject.toml)" "$version"
# Between releases, the top section of NEWS is "Unreleased".
[ "$(sed -n 3p NEWS)" = Unreleased ] || {
  expect NEWS "$news" "$version"
  expect debian/changelog "$(sed -n 's/^ -- .*  \(.*\) 00:00:00 +0000$/\1/p' debian/changelog | sed 1q)" \
    "$(LC_ALL=C date -u -d "$date" '+%a, %d %b %Y')"
  expect doc/hwloc-gpucache.1.in "$(sed -n 's/^\.Dd //p' doc/hwloc-gpucache.1.in)" \
    "$(LC_ALL=C date -u -d "$date" '+%B %-d, %Y')"
}
exit $failed
