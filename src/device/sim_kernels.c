/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The kernels, compiled for the simulator from the same source as for GPUs, as one translation
 * unit.
 */
#include "device/sim_kernels.h"

#include "device/sim_target.h"

#include "kernels/all.c"

#define RUN(name, args, ...)                                                                       \
  static void run_##name(const void *from)                                                         \
  {                                                                                                \
    struct args a;                                                                                 \
                                                                                                   \
    memcpy(&a, from, sizeof(a));                                                                   \
    sim_kernel_##name(a);                                                                          \
  }
GPU_KERNELS(RUN)
#undef RUN

#define ENTRY(name, ...) run_##name,
static void (*const entries[GC_KERNEL_COUNT])(const void *) = {
  GPU_KERNELS(ENTRY)};
#undef ENTRY

bool gc_sim_run(enum gc_kernel kernel, const void *args, struct gc_sim_block *block)
{
  bool done = false;

  gpu_sim = block;
  block->run.count = 0;
  block->rows.bytes = 0;
  if (!setjmp(block->illegal)) {
    entries[kernel](args);
    gc_sim_settle(block);
    done = true;
  }
  gpu_sim = NULL;
  return done;
}
