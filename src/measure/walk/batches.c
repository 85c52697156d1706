/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Launches the kernels `outstanding` and `departure`.
 */
#include "measure/walk/batches.h"

#include "measure/core/step_memory.h"

#include <errno.h>
#include <string.h>

#define ATTEMPTS 4 /* to run on an SM */
#define LINE 128   /* bytes, if no line is known */

uint32_t gc_batches_stride(const struct gc_results *results)
{
  static const enum gc_kind kinds[] = {GC_L1, GC_L2, GC_L3};
  uint64_t stride = 0;

  for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
    const struct gc_measured *element = &results->element[kinds[i]];

    if (gc_found(element, GC_LINE) && element->line_bytes > stride)
      stride = element->line_bytes;
    if (gc_found(element, GC_FETCH) && element->fetch_bytes > stride)
      stride = element->fetch_bytes;
  }
  return stride < LINE ? LINE : (uint32_t)stride;
}

/* The data of a launch, in this order: a word that counts blocks; the numbers of lines; the times.
 */
static int launch(const struct gc_batches *b, uint32_t *data)
{
  struct gc_bench *bench = b->bench;
  const uint64_t at = gc_scratch_trace(bench);
  const struct gpu_outstanding_args args = {.base = bench->arena + b->from,
                                            .blocks = at,
                                            .counts = at + sizeof(uint32_t),
                                            .results = at + (1 + b->n) * sizeof(uint32_t),
                                            .stride = b->stride,
                                            .rounds = b->n,
                                            .only_sm = b->sm,
                                            .lane_stride = b->lane_stride,
                                            .never = GPU_BATCH_NEVER};
  const size_t bytes = (1 + b->n + (size_t)b->n * b->warps) * sizeof(uint32_t);
  int status = 0;

  for (int attempt = 0; attempt < ATTEMPTS && !status && data[0] != 1 && !(b->once && data[0]);
       attempt++) {
    data[0] = 0;
    /* also the times, because a simulated block writes that of warp 0 only */
    status = bench->ops->upload(bench->device, at, data, bytes, bench->err);
    if (!status)
      status =
          gc_bench_launch_fetch(bench, b->lane_stride ? GC_KERNEL_departure : GC_KERNEL_outstanding,
                                bench->properties.sms, b->warps * bench->properties.warp, 0, &args,
                                &(struct gc_fetch){data, at, bytes});
  }
  if (!status && data[0] != 1)
    bench->signs |= GC_SIGN_BLOCKS_MET;
  return status;
}

int gc_batches_time(const struct gc_batches *b, const uint32_t *counts, uint32_t *cycles)
{
  uint32_t *data = gc_step_alloc(b->bench, 1 + b->n + (size_t)b->n * b->warps, sizeof(*data));
  int status;

  memset(cycles, 0, b->n * sizeof(*cycles));
  if (!data)
    return -ENOMEM;
  memcpy(data + 1, counts, b->n * sizeof(*counts));
  status = launch(b, data);
  for (size_t i = 0; i < (size_t)b->n * b->warps && !status && data[0] == 1; i++) {
    const uint32_t time = data[1 + b->n + i];

    if (time > cycles[i / b->warps])
      cycles[i / b->warps] = time;
  }
  gc_step_free(b->bench, data);
  return status;
}
