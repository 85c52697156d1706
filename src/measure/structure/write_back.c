/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Stores lines, evicts them by reads from memory, and times these reads. If L2 writes back, each
 * evicted line is written to memory, and memory has less time for the reads. If it writes through,
 * the reads take as long after stores as after loads. doc/methods.md, "Write policy".
 */
#include "measure/structure/write_back.h"

#include "measure/core/step_memory.h"
#include "measure/raw/raw.h"
#include "measure/walk/l2_survives.h"
#include "measure/walk/sweep.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* In sizes of L2: what is stored (so little that partitions can also keep copies of it); what is
 * read in a timed read, which evicts it. Reads take turns between two such regions, so that each
 * also evicts the other one. An H200 keeps lines that were used twice for longer than others. */
#define STORED 0.5
#define READ 2
#define SIZES 5       /* of L2, in all; 4.5 are used */
#define WAIT_NS 10000 /* until the memory has what a store sends there at once */
/* Reads take longer by this share of the time for writing all lines: lines are written back; none
 * is. */
#define BACK 0.25
#define THROUGH 0.15
#define SURE_ENOUGH 0.9

enum treatment { LOADED, STORED_ONLY, EVICTED, TREATMENTS };

struct sweeps {
  struct gc_measurement *m;
  uint64_t stored, read; /* bytes */
  uint32_t stores, reads;
};

/* P(the shift is not as stated). */
static double against(const struct gc_write_back_times *t, double shift, bool more)
{
  double shifted[GC_WRITE_BACK_ROUNDS];

  for (int i = 0; i < GC_WRITE_BACK_ROUNDS; i++)
    shifted[i] = t->stored[i] - shift;
  return more ? gc_ranks_pvalue(shifted, GC_WRITE_BACK_ROUNDS, t->loaded, GC_WRITE_BACK_ROUNDS)
              : gc_ranks_pvalue(t->loaded, GC_WRITE_BACK_ROUNDS, shifted, GC_WRITE_BACK_ROUNDS);
}

static double median_of(const double *values, size_t n)
{
  double copy[GC_WRITE_BACK_ROUNDS];

  memcpy(copy, values, n * sizeof(*copy));
  return gc_median(copy, n);
}

const char *gc_write_back_judge(const struct gc_write_back_times *t, bool *back, double *confidence)
{
  const double loaded = median_of(t->loaded, GC_WRITE_BACK_ROUNDS);
  const double evicted = median_of(t->evicted, GC_WRITE_BACK_CONTROLS);
  const double not_back = against(t, BACK * t->all, true);
  const double not_through = against(t, THROUGH * t->all, false);

  if (!(t->all > 0) || !(loaded > 0))
    return "the clock of the GPU did not advance";
  *back = not_back < not_through;
  *confidence = 1 - fmin(not_back, not_through);
  if (*confidence < SURE_ENOUGH)
    return "reads that evict lines which were stored take neither clearly longer nor clearly as "
           "long as others";
  if (fabs(evicted - loaded) >= BACK * t->all)
    return "reads after stores take another time even if the lines were evicted before";
  return NULL;
}

uint64_t gc_write_back_needs(const struct gc_properties *properties)
{
  return SIZES * properties->l2_bytes;
}

/* Stores to the lines, or loads them. */
static int use_lines(struct sweeps *s, bool store)
{
  struct gc_bench *bench = &s->m->bench;

  return gc_sweep(bench,
                  &(struct gc_sweeping){.address = bench->arena,
                                        .bytes = s->stored,
                                        .value = store ? ++s->stores : 0},
                  NULL);
}

/* Evicts them by a read. ns: NULL: it is not timed. */
static int evict(struct sweeps *s, double *ns)
{
  struct gc_bench *bench = &s->m->bench;
  const uint64_t region = bench->arena + s->stored + s->reads++ % 2 * s->read;

  return gc_sweep(
      bench, &(struct gc_sweeping){.address = region, .bytes = s->read, .wait_ns = WAIT_NS}, ns);
}

/* The lines are loaded in any case, so that stores find them even if L2 brings none in for a
 * store. */
static int time_reads(struct sweeps *s, enum treatment treatment, double *ns)
{
  int status = use_lines(s, false);

  if (!status)
    status = use_lines(s, treatment != LOADED);
  if (!status && treatment == EVICTED)
    status = evict(s, NULL);
  return status ? status : evict(s, ns);
}

static int all_rounds(struct sweeps *s, struct gc_write_back_times *times)
{
  struct gc_raw *raw = s->m->bench.raw;
  int status = evict(s, NULL);

  for (int i = 0; i < GC_WRITE_BACK_ROUNDS && !status; i++) {
    const bool first = i % 2; /* whether lines are stored first in this round */

    status = time_reads(s, first ? STORED_ONLY : LOADED, first ? &times->stored[i] : &times->loaded[i]);
    if (!status)
      status =
          time_reads(s, first ? LOADED : STORED_ONLY, first ? &times->loaded[i] : &times->stored[i]);
    if (!status && i < GC_WRITE_BACK_CONTROLS)
      status = time_reads(s, EVICTED, &times->evicted[i]);
    if (!status)
      gc_raw_row(raw, "round\tread after stores, ns\tread after loads, ns",
                 (double[]){i + 1, times->stored[i], times->loaded[i]});
    if (!status && i < GC_WRITE_BACK_CONTROLS)
      gc_raw_row(raw, "round\tread after stores and eviction, ns",
                 (double[]){i + 1, times->evicted[i]});
  }
  return status;
}

static const char *problem(const struct gc_measurement *m)
{
  const struct gc_properties *p = &m->bench.properties;

  if (!p->l2_bytes)
    return "the driver does not report a nominal size";
  if (p->l2_count > 1)
    return "there are several L2 caches";
  if (p->l3_bytes || m->results->element[GC_L3].tried)
    return "an L3 takes what L2 writes back";
  if (m->results->l2_lost)
    return gc_l2_lost_why;
  return STORED * (double)p->l2_bytes < (double)gc_tile_bytes(p) ? "the L2 is too small" : NULL;
}

int gc_write_back_measure(struct gc_measurement *m, struct gc_write_back_times *times,
                          const char **why)
{
  struct gc_bench *bench = &m->bench;
  const uint64_t l2 = bench->properties.l2_bytes, part = gc_tile_bytes(&bench->properties);
  struct sweeps s = {.m = m,
                     .stored = (uint64_t)(STORED * (double)l2) / part * part,
                     .read = READ * l2 / part * part};
  int status;

  if ((*why = problem(m)))
    return 0;
  status = all_rounds(&s, times);
  if (status)
    return status;
  times->all = median_of(times->loaded, GC_WRITE_BACK_ROUNDS) * (double)s.stored / (double)s.read;
  gc_raw_note(bench->raw, "bytes stored or loaded", (double)s.stored);
  gc_raw_note(bench->raw, "bytes of the timed read", (double)s.read);
  gc_raw_note(bench->raw, "longer by, share of all stores",
              times->all > 0 ? (median_of(times->stored, GC_WRITE_BACK_ROUNDS) -
                                median_of(times->loaded, GC_WRITE_BACK_ROUNDS)) / times->all
                             : 0);
  return 0;
}
