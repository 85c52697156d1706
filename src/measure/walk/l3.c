/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads arrays into L3, and lays rings there.
 */
#include "measure/walk/l3.h"
#include "measure/walk/evict.h"
#include "measure/walk/ring.h"

/* Bytes: at most the line of any L3; used unless an L2 fetches more at a time. */
#define STRIDE_MIN 64

int gc_l3_lay_ring(struct gc_bench *bench, size_t number, uint64_t bytes, uint64_t slots,
                   struct gc_l3_ring *ring)
{
  const uint64_t stride = gc_ring_stride(bytes, slots, GC_L3_LINE);
  const uint64_t start =
      gc_ring_address(bench, GC_ADDRESS_GLOBAL, number * (GC_L3_LINE + GC_L3_SLOT));
  const struct gpu_fill_args args = {.base = start,
                                     .count = slots,
                                     .stride = stride,
                                     .multiplier = gc_ring_scatter(slots),
                                     .first = start,
                                     .step = stride,
                                     .slot_bytes = GC_L3_SLOT};

  *ring = (struct gc_l3_ring){.start = start, .stride = stride};
  return gc_bench_launch(bench, GC_KERNEL_fill, bench->properties.sms, 256, 0, &args);
}

uint32_t gc_l3_read_stride(const struct gc_results *results)
{
  const struct gc_measured *l2 = &results->element[GC_L2];

  return gc_found(l2, GC_FETCH) && l2->fetch_bytes > STRIDE_MIN ? (uint32_t)l2->fetch_bytes
                                                                : STRIDE_MIN;
}

int gc_l3_read_array(struct gc_measurement *m, uint64_t from, uint64_t bytes)
{
  const uint64_t end = 2 * m->bench.properties.l2_bytes;
  const uint32_t stride = gc_l3_read_stride(m->results);
  int status = gc_read_by_all(&m->bench, from, bytes - from, stride);

  return status ? status : gc_fill_l2(&m->bench, bytes - end, end, stride, 1);
}
