#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# make check-packages: builds the RPM packages from the release archive, with the tests of %check. On
# a system whose own packages are not RPM, rpmbuild cannot check BuildRequires and lacks the macros of
# systemd-rpm-macros, so they are given here.
#
#   tests/packages/rpm.sh ARCHIVE SPEC
set -eu
archive=$1 spec=$2
command -v rpmbuild >/dev/null || { echo "check-packages: rpm: skipped: rpmbuild is not installed (package rpm)"; exit 77; }
out=$PWD/packages/rpm
rm -rf "$out"
mkdir -p "$out/SOURCES"
cp "$archive" "$out/SOURCES"
set -- --define "_topdir $out"
rpm -q rpm >/dev/null 2>&1 || set -- "$@" --nodeps --define 'debug_package %{nil}' \
  --define '_unitdir /usr/lib/systemd/system' --define '_tmpfilesdir /usr/lib/tmpfiles.d' \
  --define '_udevrulesdir /usr/lib/udev/rules.d' \
  --define 'systemd_post() :' --define 'systemd_preun() :' --define 'systemd_postun() :'
echo "check-packages: rpm: building (see $out/build.log)"
rpmbuild "$@" -ba "$spec" >"$out/build.log" 2>&1 || { tail -n 100 "$out/build.log"; exit 1; }
echo "check-packages: rpm: ok: $(cd "$out" && find . -name '*.rpm' | sort | xargs)"
