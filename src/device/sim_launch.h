/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Launches on a simulated GPU. A launch runs to its end at once, block after block. Each block runs
 * on the next SM (of the next XCD).
 */
#ifndef GC_DEVICE_SIM_LAUNCH_H
#define GC_DEVICE_SIM_LAUNCH_H

#include "device/sim_device.h"

/* Cycles that an SM's clock shows at the beginning: different on every SM. */
static inline uint64_t gc_sim_clock_origin(uint32_t sm)
{
  return 1000003ull * (sm + 1);
}

/* How many blocks of such a launch fit on an SM. The kernels use few registers, so registers never
 * limit this number. */
uint32_t gc_sim_occupancy(const struct gc_model_facts *facts, const struct gc_launch *launch);

/* The blocks for which the driver reserves shared memory: at least those that can reside. */
uint32_t gc_sim_reserved(const struct gc_model_facts *facts, const struct gc_launch *launch);

/* Members of struct gc_device_ops. */
int gc_sim_launch(struct gc_device *device, const struct gc_launch *launch, struct gc_error *err);
int gc_sim_launch_concurrent(struct gc_device *device, const struct gc_launch *launches,
                             const uint32_t *copies, size_t n, struct gc_error *err);

#endif
