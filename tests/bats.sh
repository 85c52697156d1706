#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs a .bats file, and says what is missing when it cannot. Exit 77 means skipped to automake.
if [ -z "$BATS" ]; then
  echo "skipped: bats is not installed (Debian package bats), so these were not run:"
  sed -n 's/^@test /  /p' "$1"
  exit 77
fi
exec "$BATS" --tap "$@"
