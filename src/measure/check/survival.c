/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Does L2 keep its contents from one launch to the next? Most steps that need data in L2 read it in
 * one launch and time it in the next. If a driver empties L2 in between, they measure device memory
 * instead. So one SM reads a few lines twice in one launch, and times the second time: hits. Lines
 * that were evicted are misses. If the same lines take in the next launch as long as misses do, all
 * values that rest on a filled L2 are withheld. doc/methods.md, "L2 between launches".
 */
#include "measure/check/check.h"

#include "measure/walk/chase.h"
#include "measure/walk/evict.h"
#include "measure/walk/ring.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdlib.h>

#define LINE 128
#define LOADS                                                                                      \
  512           /* lines of the ring, and timed loads: more than the lines of an L1 set, less than \
                   any L2 has */
#define TRIES 4 /* an L2 that keeps lines is found out by one try; a far part shows them late */
#define SPREAD 1.25 /* latencies of one level differ by less */

static const char lost[] = "L2 loses its contents between launches";

/* What takes its data from an L2 that was filled by an earlier launch. */
#define OF_L2                                                                                      \
  (1u << GC_CAPACITY | 1u << GC_CENSUS | 1u << GC_LATENCY | 1u << GC_NEAR_LATENCY |                \
   1u << GC_FAR_LATENCY | 1u << GC_PARTITIONS | 1u << GC_PARTITION_SMS | 1u << GC_LINE |           \
   1u << GC_FETCH | 1u << GC_MISS_PENALTY | 1u << GC_READ | 1u << GC_WRITE)
/* Of nearer caches: a miss there would be a hit in L2. An L3 is not filled through L2. */
#define OF_NEARER (1u << GC_MISS_PENALTY)

/* Median of timed loads after `warm` untimed ones, raw cycles. */
static int median(struct gc_bench *bench, uint32_t warm, uint32_t trace[LOADS], double *cycles)
{
  const struct gc_path *path = gc_path_of(GC_L2);
  const uint64_t start = gc_ring_address(bench, path->space, 0);
  const struct gc_traced traced = {&start, 1, warm, LOADS};
  double values[LOADS];
  const int status = gc_chase_trace(bench, path, &traced, trace);

  for (size_t i = 0; i < LOADS && !status; i++)
    values[i] = trace[i];
  if (!status)
    *cycles = gc_median(values, LOADS);
  return status;
}

/* *survives stays true if hits and misses cannot be told apart. */
static int test(struct gc_bench *bench, uint32_t trace[LOADS], bool *survives)
{
  double hit, miss, next;
  int status =
      gc_ring_lay(bench, gc_path_of(GC_L2)->space, LOADS * LINE, LINE, gc_ring_scatter(LOADS));

  *survives = true;
  if (status || (status = gc_empty_l2(bench)) || (status = median(bench, 0, trace, &miss)))
    return status;
  for (int i = 0; i < TRIES; i++) {
    if ((status = median(bench, LOADS, trace, &hit)) || (status = median(bench, 0, trace, &next)))
      return status;
    *survives = miss < SPREAD * hit || next < (hit + miss) / 2;
    if (*survives)
      return 0;
  }
  return 0;
}

static void withhold(struct gc_results *results)
{
  results->element[GC_L2].capacity_at_least_bytes = 0;
  gc_warn(results, "all values that need data in L2 are withheld: %s", lost);
  for (int kind = 0; kind < GC_KIND_COUNT; kind++) {
    struct gc_measured *element = &results->element[kind];
    const unsigned properties = kind == GC_L2 ? OF_L2 : kind == GC_L3 ? 0 : OF_NEARER;

    for (int property = 0; property < GC_PROPERTY_COUNT; property++)
      if (properties & 1u << property && (element->found[property].origin == GC_MEASURED ||
                                          element->found[property].origin == GC_ABSENT))
        gc_set_absent(element, (enum gc_property)property, lost);
  }
}

int gc_step_l2_survival(struct gc_measurement *m, struct gc_measured *element)
{
  const struct gc_properties *p = &m->bench.properties;
  uint32_t *trace;
  bool survives = true;
  int status;

  (void)element;
  /* a lone block may have another L2 in the next launch */
  if (p->amd && p->l2_count != 1)
    return 0;
  trace = malloc(LOADS * sizeof(*trace));
  status =
      trace ? test(&m->bench, trace, &survives) : gc_fail(m->bench.err, -ENOMEM, "out of memory");
  free(trace);
  if (!status && !survives)
    withhold(m->results);
  return status;
}
