#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# GPGPU-Sim's own parser reads the exports of all NVIDIA GPUs (export --format accelsim).
#
#   make check-gpgpusim-options DIR=/where/the/sources/of/gpgpu-sim/are
set -eu
if [ ! -e "${DIR:-}/src/option_parser.cc" ]; then
  echo "make check-gpgpusim-options needs DIR=PATH, the sources of GPGPU-Sim" \
    "(https://github.com/accel-sim/gpgpu-sim_distribution); they need not be built" >&2
  exit 2
fi
work=${top_builddir:?}/tests/gpgpusim/work/options
rm -rf "$work"
mkdir -p "$work"
for values in "${top_srcdir:?}"/tests/data/values/*.tsv; do
  grep -q GPUCacheComputeCapability "$values" || continue
  name=${values##*/}
  name=${name%.tsv}
  awk -f "$top_srcdir/tests/values/record-of-values.awk" "$values" >"$work/$name.xml"
  "$top_builddir/hwloc-gpucache" export --format accelsim --output "$work/$name.config" "$work/$name.xml"
done
for record in "$top_srcdir"/doc/results/*/record.xml; do
  name=${record%/record.xml}
  "$top_builddir/hwloc-gpucache" export --format accelsim --output "$work/real-${name##*/}.config" "$record"
done
cd "$work"
exec python3 "$top_srcdir/tests/gpgpusim/options.py" "$DIR" ./*.config
