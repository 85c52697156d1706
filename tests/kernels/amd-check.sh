#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Usage: amd-check.sh PROCESSOR IMAGE   checks a code object. amd.sh and amd-broken.sh run it.
set -eu
objdump=$("$AMD_CLANG" -print-prog-name=llvm-objdump)
readelf=$("$AMD_CLANG" -print-prog-name=llvm-readelf)
if ! command -v "$objdump" >/dev/null || ! command -v "$readelf" >/dev/null; then
  echo "SKIPPED: no llvm-objdump and llvm-readelf of the version of $AMD_CLANG (Debian package llvm-19)"
  exit 77
fi
tests=$top_srcdir/tests/kernels
failed=0
"$objdump" -d --no-show-raw-insn "$2" >"$HOME/code"
"$readelf" --notes "$2" >"$HOME/notes"
"$top_builddir/tests/kernels/kernel-bytes" >"$HOME/bytes"
awk -v processor="$1" -f "$tests/amd-order.awk" "$HOME/code" || failed=1
awk -v processor="$1" -f "$tests/amd-notes.awk" "$HOME/bytes" "$HOME/notes" || failed=1
exit $failed
