/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The kernels, compiled for the simulator.
 */
#ifndef GC_DEVICE_SIM_KERNELS_H
#define GC_DEVICE_SIM_KERNELS_H

#include "device/sim_block.h"

/* Runs a kernel as the block in *block. args: the kernel's struct. False: the kernel made an
 * illegal access; see illegal_space and illegal_address. Any thread may call it with a block of its
 * own. */
bool gc_sim_run(enum gc_kernel kernel, const void *args, struct gc_sim_block *block);

#endif
