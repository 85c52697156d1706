#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs a .bats file. If a program is missing, prints which, and which tests were not run. To
# automake, exit status 77 means skipped.
if [ -z "$BATS" ]; then
  echo "skipped: bats is not installed (Debian package bats), so these were not run:"
  sed -n 's/^@test /  /p' "$1"
  exit 77
fi
if [ -z "$LSTOPO" ] && grep -Eq 'lstopo|hwloc-info' "$1" "${1%/*}"/setup.bash; then
  echo "skipped: lstopo is not installed (Debian package hwloc), so these were not run:"
  sed -n 's/^@test /  /p' "$1"
  exit 77
fi
exec "$BATS" --tap "$@"
