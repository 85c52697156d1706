/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/walk/allocations.h"

#define ALIGNMENT ((uint64_t)2 << 20) /* of parts of the arena: no GPU has larger pages */

static int visit_one(struct gc_bench *bench, uint64_t address, uint64_t bytes,
                     int (*visit)(void *data), void *data)
{
  const uint64_t arena = bench->arena, arena_bytes = bench->arena_bytes;
  int status;

  bench->arena = address;
  bench->arena_bytes = bytes;
  status = visit(data);
  bench->arena = arena;
  bench->arena_bytes = arena_bytes;
  return status;
}

int gc_visit_allocations(struct gc_bench *bench, uint64_t bytes, unsigned most,
                         int (*visit)(void *data), void *data, unsigned *n)
{
  const uint64_t part = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  uint64_t others[GC_ALLOCATIONS_MAX];
  unsigned made = 0;
  int status = 0;

  while (made < most && made < GC_ALLOCATIONS_MAX &&
         bench->ops->counts(bench->device)->device_bytes + bytes <= bench->most_bytes &&
         !bench->ops->alloc(bench->device, bytes, &others[made], bench->err))
    made++;
  for (*n = 0; *n < made && !status; ++*n)
    status = visit_one(bench, others[*n], bytes, visit, data);
  for (uint64_t used = part; *n < most && used + bytes <= bench->walk_bytes && !status; ++*n) {
    status = visit_one(bench, bench->arena + used, bytes, visit, data);
    used += part;
  }
  while (made)
    bench->ops->release(bench->device, others[--made]);
  return status;
}
