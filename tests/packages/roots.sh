#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# make check-packages: builds the Debian packages from the release archive in a bare root of each
# release, checks them with lintian, installs them in another bare root, and runs debian/tests there.
#
#   tests/packages/roots.sh ARCHIVE SUITE...
#
# SUITES=bookworm selects releases. The roots come from the mirror that apt of this machine uses for
# Debian; MIRROR and KEYRING name others, for example for SUITES=noble of Ubuntu. The packages and the
# logs remain in build directory/packages/SUITE. Needs mmdebstrap, and root or user namespaces.
set -eu

# In the root, where this file and the archive are in /tmp/packages.
build()
{
  cd /tmp/packages
  apt-get install -y --no-install-recommends dpkg-dev lintian
  version=$(basename hwloc-gpucache-*.tar.xz .tar.xz)
  version=${version#hwloc-gpucache-}
  mv "hwloc-gpucache-$version.tar.xz" "hwloc-gpucache_$version.orig.tar.xz"
  tar -xf "hwloc-gpucache_$version.orig.tar.xz"
  apt-get build-dep -y --no-install-recommends "./hwloc-gpucache-$version"
  # Not as root: some tests would be skipped.
  chown -R nobody .
  runuser -u nobody -- env HOME="$PWD" sh -ec '
    cd "$1"
    dpkg-buildpackage -us -uc
    cd ..
    # A lintian older than the Standards-Version does not know it. Debian has no bug that the first
    # upload could close until somebody wants to upload.
    lintian -i --pedantic --suppress-tags newer-standards-version,initial-upload-closes-no-bugs --fail-on error,warning ./*.changes
  ' - "hwloc-gpucache-$version"
  mkdir out
  mv ./*.deb ./*.dsc ./*.tar.* ./*.changes ./*.buildinfo out
}

# In another root, with the packages in /tmp/packages.
try()
{
  cd /tmp/packages/out
  apt-get install -y --no-install-recommends ./hwloc-gpucache_*.deb ./libhwloc-gpucache-plugin_*.deb hwloc-nox
  hwloc-gpucache --sim t1000 measure
  HWLOC_GPUCACHE_SIM=t1000 lstopo-no-graphics --of console | grep 'gpu0-L1 '
  apt-get install -y --no-install-recommends autopkgtest
  autopkgtest ./*.deb ./*.dsc -- null
  apt-get purge -y '*hwloc-gpucache*'
  if find /usr /lib /etc -path '*hwloc*gpucache*' | grep .; then exit 1; fi
}

case ${1:-} in
build | try) export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8; set -x; "$1"; exit ;;
esac

skip() { echo "check-packages: skipped: $*"; exit 77; }

archive=$1
self=$0
shift
command -v mmdebstrap >/dev/null || skip "mmdebstrap is not installed (Debian package mmdebstrap)"
[ "$(id -u)" -eq 0 ] || unshare --user --map-auto true 2>/dev/null || skip "this needs root or user namespaces"
helper=/usr/lib/apt/apt-helper # of apt, which mmdebstrap needs, too
[ -x "$helper" ] || skip "there is no $helper"
if [ -z "${MIRROR:-}" ]; then
  MIRROR=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' | sed 1q)
  [ -n "$MIRROR" ] || skip "apt has no mirror of Debian; set MIRROR"
fi

# root SUITE LOG HOOK...: makes a root, and runs the hooks in it.
root()
{
  suite=$1 log=$2
  shift 2
  mmdebstrap ${KEYRING:+--keyring="$KEYRING"} --variant=apt --dpkgopt=force-unsafe-io --components=main${COMPONENTS:+,$COMPONENTS} \
    --customize-hook='mkdir -p "$1/tmp/packages"' --customize-hook="copy-in '$self' /tmp/packages" "$@" \
    "$suite" /dev/null "$MIRROR" >"$log" 2>&1 || {
    tail -n 100 "$log"
    echo "check-packages: $suite: FAILED; the complete output is in $log"
    return 1
  }
}

status=0
for suite; do
  out=$PWD/packages/$suite
  rm -rf "$out"
  mkdir -p "$out"
  "$helper" download-file "${MIRROR%/}/dists/$suite/InRelease" "$out/InRelease" >"$out/build.log" 2>&1 || {
    echo "check-packages: $suite: skipped: $MIRROR has no such release, or cannot be reached (see $out/build.log)"
    continue
  }
  echo "check-packages: $suite: building (see $out/build.log)"
  root "$suite" "$out/build.log" --customize-hook="copy-in '$archive' /tmp/packages" \
    --customize-hook='chroot "$1" sh /tmp/packages/roots.sh build' \
    --customize-hook="sync-out /tmp/packages/out '$out'" || { status=1; continue; }
  echo "check-packages: $suite: installing (see $out/try.log)"
  root "$suite" "$out/try.log" --customize-hook='mkdir "$1/tmp/packages/out"' \
    --customize-hook="sync-in '$out' /tmp/packages/out" \
    --customize-hook='chroot "$1" sh /tmp/packages/roots.sh try' || { status=1; continue; }
  echo "check-packages: $suite: ok: $(cd "$out" && echo ./*.deb)"
done
exit $status
