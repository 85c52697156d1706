/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All kernels as one translation unit: one module to load, with one constant bank. On NVIDIA GPUs
 * filler.c is an object of its own, because it is long.
 */
#include "bandwidth.c"
#include "census.c"
#include "chase.c"
#if GPU_AMD_PATHS
#include "sharing_groups.c"
#endif
#include "pair.c"
#include "stream.c"
#if GPU_NVIDIA_PATHS
#include "banks.c"
#endif

#if defined(__NVPTX__)
__attribute__((address_space(4))) uint64_t gpu_constant_bank[GPU_CONSTANT_BYTES / 8];
#endif
