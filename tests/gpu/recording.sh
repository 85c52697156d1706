# SPDX-License-Identifier: BSD-3-Clause
# For the scripts that record programs, which source it: finds the tool and its library, and goes to an
# empty directory, or to OUT=DIR, which stays.
tool=${TOOL:-$PWD/hwloc-gpucache}
HWLOC_GPUCACHE_TRACE_LIBRARY=${HWLOC_GPUCACHE_TRACE_LIBRARY:-$PWD/src/trace/.libs/hwloc-gpucache-trace.so}
CUDA_DEVICE_ORDER=PCI_BUS_ID # as gpu0 is found
export HWLOC_GPUCACHE_TRACE_LIBRARY CUDA_DEVICE_ORDER
here=$(cd "${srcdir:-.}/tests/gpu" && pwd)
dir=${OUT:-$(mktemp -d)}
[ -n "${OUT:-}" ] || trap 'rm -rf "$dir"' EXIT
cd "$dir"
