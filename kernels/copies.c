/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The kernels of the other constant banks: a module with a bank of its own, of which several copies
 * are loaded. It contains little else, because a module with all kernels takes ten times as long to
 * load. NVIDIA only.
 */
#define GPU_BANKS_ONLY
#include "banks.c"
#include "census.c"

__attribute__((address_space(4))) uint64_t gpu_constant_bank[GPU_CONSTANT_BYTES / 8];
