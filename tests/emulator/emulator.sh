#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs every kernel of the code objects in an emulator of AMD's instruction sets: that of tinygrad
# (test/mockgpu/amd), which supports RDNA3, RDNA4 and CDNA and is not part of this project.
#
#   make check TESTS=tests/emulator/emulator.sh TINYGRAD=/where/tinygrad/is
#
# The test also checks that it detects a broken kernel. doc/amd.md states what this test proves.
set -eu
cd "$top_builddir"
if [ -z "${TINYGRAD:-}" ]; then
  echo "SKIPPED: TINYGRAD is not the path of a tinygrad checkout"
  exit 77
fi
if [ -z "$AMD_IMAGES" ] || ! command -v python3 >/dev/null; then
  echo "SKIPPED: no code objects for AMD GPUs, or no python3"
  exit 77
fi
emulate() {
  # tinygrad compiles each instruction on first use
  CC=$CLANG PYTHONDONTWRITEBYTECODE=1 python3 "$top_srcdir/tests/emulator/run.py" "$TINYGRAD" "$@"
}

count=0
for image in $AMD_IMAGES; do
  processor=${image#kernels/amd.}
  processor=${processor%.image}
  case $processor in
  gfx10*) echo "$processor: this emulator does not support RDNA1 and RDNA2" ;;
  *)
    emulate "$processor" "$image"
    count=$((count + 1))
    last=$processor
    ;;
  esac
done

# A histogram that forgets earlier counts must be detected.
cp -R "$top_srcdir/kernels" "$HOME/kernels"
chmod -R u+w "$HOME/kernels"
sed 's/h->count\[i\] += bin/h->count[i] = bin/' "$top_srcdir/kernels/lanes.h" >"$HOME/kernels/lanes.h"
case $last in *-generic) version='-Xclang -mcode-object-version=6' ;; *) version= ;; esac
# shellcheck disable=SC2086
"$AMD_CLANG" $AMDGCN_FLAGS $version -mcpu="$last" -c -x c -o "$HOME/object" "$HOME/kernels/all.c"
"$LLD" -shared -s -o "$HOME/image" "$HOME/object"
if emulate "$last" "$HOME/image" chase_ca >"$HOME/output" || ! grep -q 'chase_ca: .*histogram' "$HOME/output"; then
  echo "a broken histogram was not detected:"
  cat "$HOME/output"
  exit 1
fi
echo "$count code objects: all kernels are correct; a broken one is detected"
