#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs every kernel once on the first GPU. Then again from PTX alone, which the driver compiles, as on a GPU that is newer
# than the ptxas of the build; a measurement must then succeed, too. And checks the machine code of this build, with
# nvdisasm where it is installed (the machine that built it may have none).
set -eu
smoke=$top_builddir/tests/gpu/chase-smoke
tool=${TOOL:-$top_builddir/hwloc-gpucache}
"$smoke"

echo "from PTX alone:"
CUDA_FORCE_PTX_JIT=1
CUDA_CACHE_DISABLE=1
export CUDA_FORCE_PTX_JIT CUDA_CACHE_DISABLE
"$smoke"
"$tool" measure --force --no-store --xml gpu0 >"$HOME/ptx.xml"
unset CUDA_FORCE_PTX_JIT CUDA_CACHE_DISABLE
"$tool" measure --force --no-store --xml gpu0 >"$HOME/cubin.xml"
# differences are told, but are no failure: another compiler may order instructions differently
"$tool" compare "$HOME/cubin.xml" "$HOME/ptx.xml" || [ $? = 1 ]
for element in L1Cache L2Cache SharedMemory DeviceMemory; do
  sed -n "/subtype=\"$element\"/,/LatencyCycles/p" "$HOME/ptx.xml" | grep -q 'name="LatencyCycles"' ||
    { echo "from PTX, $element has no latency"; exit 1; }
done

status=0
sh "$top_srcdir/tests/kernels/sass.sh" || status=$?
[ $status = 77 ] || exit $status
