/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The latency of memories inside the SM. One thread follows a small ring and reads the clock only
 * before and after hundreds of loads. The slope between two lengths is the latency, without any
 * cost of timing. The ring holds absolute addresses, so that the chain consists of loads only.
 * doc/methods.md, "Latency"; Pascal, p-chase guide.
 */
#include "measure/latency/latency.h"
#include "measure/latency/tail.h"
#include "measure/walk/chase.h"
#include "measure/walk/levels.h"
#include "measure/walk/ring.h"

#define LOADS 128     /* so few that most chains are free of outliers */
#define TOLERANCE 0.5 /* cycles: latencies inside the SM shall be accurate to one cycle */

/* The bytes of a ring that is no larger than the capacity. */
static uint64_t fitting(const struct gc_measured *element, const struct gc_path *path,
                        uint32_t stride)
{
  const uint64_t capacity = gc_capacity(element) ? gc_capacity(element) : UINT64_MAX;
  const uint64_t bytes = capacity < path->latency_bytes ? capacity : path->latency_bytes;

  return bytes / stride * stride;
}

int gc_step_latency(struct gc_measurement *m, struct gc_measured *element)
{
  const struct gc_path *path = gc_path_of(element->kind);
  const uint32_t stride =
      element->kind == GC_CONSTANT_L15 ? gc_constant_l15_stride(m->results) : path->latency_stride;
  const uint64_t bytes = fitting(element, path, stride);
  const struct gc_chain chain = {.warm = (uint32_t)(2 * bytes / stride), .n = LOADS};
  struct gc_latency latency;
  int status;

  if (path->before && !gc_capacity(element) && !element->capacity_at_least_bytes)
    return gc_set_absent(element, GC_LATENCY,
                         "without a capacity, loads may hit the cache before it");
  if (element->kind == GC_CONSTANT_L15 && gc_constant_fetch_unknown(m->results))
    return gc_set_absent(element, GC_LATENCY, gc_constant_fetch_why);
  if ((status = gc_ring_lay(&m->bench, path->space, bytes, stride, 1)) ||
      (status = gc_chain_latency(&m->bench, path, chain.warm, chain.n, TOLERANCE, &latency)))
    return status;
  if (!(latency.cycles > 0))
    return gc_set_absent(element, GC_LATENCY, "the clock did not advance during loads");
  status = gc_time_single(m, element, path, &chain, &latency);
  return status ? status : gc_set_latency(element, GC_LATENCY, &latency, m->bench.mhz);
}
