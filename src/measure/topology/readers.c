/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Lets SMs read lines, and times these lines on all SMs.
 */
#include "measure/topology/readers.h"

#include "measure/core/placement.h"
#include "measure/walk/chase.h"
#include "measure/walk/evict.h"
#include "measure/walk/l2_survives.h"
#include "measure/walk/ring.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdlib.h>

#define LINE 128
#define SECTOR 32 /* a reader reads all sectors of a line; the shortest line of an L2 */
#define LOADS 64
#define LOADS_MIN 24

/* How much is read to evict the lines of the readers from L2, in L2s. If memory is scarce, less is
 * read, in several passes. */
#define EVICTING_L2S 2
#define EVICTING_L2S_MIN 1.25
#define EVICTING_PASSES 4

/* Why this GPU is not suited for the experiment; NULL: it is suited. */
static const char *problem(const struct gc_readers *r)
{
  const struct gc_bench *bench = &r->m->bench;
  const uint64_t l2 = bench->properties.l2_bytes, bytes = r->slots * LINE;

  if (r->m->results->l2_lost)
    return gc_l2_lost_why;
  if (!l2)
    return "the driver does not state the size of the L2";
  if (bytes > l2 / 4 || r->slots > GC_TRACE_MAX)
    return "the L2 is too small for so many SMs";
  if (r->m->results->sm_count < r->sms)
    return "the blocks of a launch did not spread over all SMs";
  return NULL;
}

/* Lays the lines of all readers: a ring in scattered order for each. Then reads more than the L2
 * holds, which evicts them. */
static int lay(struct gc_readers *r)
{
  struct gc_bench *bench = &r->m->bench;
  const uint64_t bytes = r->slots * LINE, used = r->most * bytes;
  const uint64_t evicting = EVICTING_L2S * bench->properties.l2_bytes;
  struct gpu_fill_args ring = {
      .count = r->slots, .stride = LINE, .multiplier = r->scatter, .step = LINE, .slot_bytes = 8};

  for (size_t reader = 0; reader < r->most; reader++) {
    int status;

    ring.base = ring.first = bench->arena + reader * bytes;
    status = gc_bench_launch(bench, GC_KERNEL_fill, r->sms, 256, 0, &ring);
    if (status)
      return status;
  }
  if (used + evicting <= bench->arena_bytes)
    return gc_fill_l2(bench, used, evicting, SECTOR, 1);
  return gc_fill_l2(bench, used, (bench->arena_bytes - used) / LINE * LINE, SECTOR,
                    EVICTING_PASSES);
}

/* Sorts the trace, which is by block, by SM. */
static void sort_by_sm(struct gc_readers *r, const char **absent)
{
  const struct gc_bench *bench = &r->m->bench;

  for (uint32_t sm = 0; sm < r->sms; sm++)
    *gc_readers_loads(r, r->count, sm) = -1;
  for (uint32_t i = 0; i < r->sms; i++) {
    const uint32_t sm = gc_sm_index(r->m->results, bench->results[i].sm);

    for (uint32_t k = 0; k < r->loads && sm < r->sms; k++)
      gc_readers_loads(r, r->count, sm)[k] =
          r->trace[i * r->loads + k] - r->m->results->overhead.cycles;
  }
  for (uint32_t sm = 0; sm < r->sms; sm++) {
    if (*gc_readers_loads(r, r->count, sm) < 0) {
      *absent = "the blocks of a launch did not spread over all SMs";
      r->m->bench.signs |= GC_SIGN_BLOCKS_MET;
    }
    gc_sort(gc_readers_loads(r, r->count, sm), r->loads);
  }
}

int gc_readers_observe(struct gc_readers *r, uint32_t reader, const char **absent)
{
  struct gc_bench *bench = &r->m->bench;
  const uint64_t bytes = r->slots * LINE, offset = r->count * bytes;
  const struct gc_read read = {offset, bytes, SECTOR, 1, r->m->results->sm_number[reader]};
  const struct gc_traced traced = {.starts = r->starts, .n = r->sms, .loads = r->loads};
  int status;

  for (uint64_t i = 0; i < r->sms; i++)
    r->starts[i] = bench->arena + offset + i * r->loads * r->scatter % r->slots * LINE;
  if ((status = gc_read_arena(bench, &read)) ||
      (status = gc_chase_trace(bench, gc_path_of(GC_L2), &traced, r->trace)))
    return status;
  sort_by_sm(r, absent);
  r->readers[r->count++] = reader;
  return 0;
}

/* Loads of each SM. The lines of a reader must take little of a partition, and the loads of all SMs
 * must fit a trace. */
static uint32_t loads_of(const struct gc_properties *p)
{
  uint32_t loads = LOADS;

  while (loads > LOADS_MIN &&
         ((uint64_t)p->sms * loads * LINE > p->l2_bytes / 8 || p->sms * loads > GC_TRACE_MAX))
    loads--;
  return loads;
}

uint64_t gc_readers_needs(const struct gc_measurement *m, size_t most)
{
  const struct gc_properties *p = &m->bench.properties;

  return most * p->sms * loads_of(p) * LINE + (uint64_t)(EVICTING_L2S_MIN * (double)p->l2_bytes);
}

int gc_readers_new(struct gc_measurement *m, struct gc_readers *r, size_t most, const char **absent)
{
  struct gc_bench *bench = &m->bench;
  int status = gc_number_sms(m);

  *r = (struct gc_readers){.m = m, .sms = bench->properties.sms, .most = most};
  if (status)
    return status;
  r->loads = loads_of(&bench->properties);
  r->slots = (uint64_t)r->sms * r->loads;
  r->scatter = gc_ring_scatter(r->slots);
  if ((*absent = problem(r)))
    return -ENOTSUP;
  r->trace = malloc(r->slots * sizeof(*r->trace));
  r->starts = malloc(r->sms * sizeof(*r->starts));
  r->seen = malloc(most * r->slots * sizeof(*r->seen));
  if (!r->trace || !r->starts || !r->seen)
    return gc_fail(bench->err, -ENOMEM, "out of memory");
  return lay(r);
}

void gc_readers_free(struct gc_readers *r)
{
  free(r->seen);
  free(r->starts);
  free(r->trace);
}
