#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Generates ./configure from configure.ac.
set -e
cd "$(dirname "$0")"
for program in autoreconf:autoconf automake:automake libtoolize:libtool pkg-config:pkg-config; do
  command -v "${program%:*}" >/dev/null 2>&1 || {
    echo "autogen.sh: ${program%:*} is not installed (Debian package ${program#*:})" >&2
    exit 1
  }
done
exec autoreconf --force --install --warnings=all
