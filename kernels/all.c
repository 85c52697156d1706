/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All kernels as one translation unit: one module to load, with one constant bank. On NVIDIA GPUs
 * filler.c and jumps.c are objects of their own, because they are long, and so are bulk.c,
 * cluster.c and system.c, because only newer GPUs can run them.
 */
#include "bandwidth.c"
#include "census.c"
#include "chase.c"
#include "marks.c"
#if GPU_AMD_PATHS
#include "sharing_groups.c"
#endif
#include "outstanding.c"
#include "pair.c"
#include "rounds.c"
#include "shares.c"
#include "store.c"
#include "stream.c"
#include "sweep.c"
#include "under_load.c"
#if GPU_NVIDIA_PATHS
#include "banks.c"
#include "constant_groups.c"
#include "slices.c"
#endif
#include "atomics.c"
#include "conflicts.c"
#if !defined(__NVPTX__)
#include "system.c"
#endif

#if defined(__NVPTX__)
__attribute__((address_space(4))) uint64_t gpu_constant_bank[GPU_CONSTANT_BYTES / 8];
#endif
