/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One SM reads a few lines twice in one launch, and times the second time: hits. Lines that were
 * evicted are misses. If the same lines take in the next launch as long as misses do, L2 has lost
 * them in between. doc/methods.md, "L2 between launches".
 */
#include "measure/walk/l2_survives.h"

#include "measure/walk/chase.h"
#include "measure/walk/evict.h"
#include "measure/walk/ring.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdlib.h>

#define LINE 128
#define READ_STRIDE 32 /* bytes: at most the sector of any L2 */
#define LOADS                                                                                      \
  512           /* lines of the ring, and timed loads: more than the lines of an L1 set, less than \
                   any L2 has */
#define TRIES 4 /* an L2 that keeps lines is found out by one try; a far part shows them late */
#define SPREAD 1.25 /* latencies of one level differ by less */

const char gc_l2_lost_why[] = "L2 loses its contents between launches";

/* Median of timed loads after `warm` untimed ones, raw cycles. */
static int median(struct gc_bench *bench, uint32_t warm, double *cycles)
{
  const struct gc_path *path = gc_path_of(GC_L2);
  const uint64_t start = gc_ring_address(bench, path->space, 0);
  const struct gc_traced traced = {.starts = &start, .n = 1, .warm = warm, .loads = LOADS};
  double values[LOADS];
  uint32_t trace[LOADS];
  const int status = gc_chase_trace(bench, path, &traced, trace);

  for (size_t i = 0; i < LOADS && !status; i++)
    values[i] = trace[i];
  if (!status)
    *cycles = gc_median(values, LOADS);
  return status;
}

/* *survives stays true if hits and misses cannot be told apart. */
static int test(struct gc_bench *bench, bool *survives)
{
  double hit, miss, next;
  int status =
      gc_ring_lay(bench, gc_path_of(GC_L2)->space, LOADS * LINE, LINE, gc_ring_scatter(LOADS));

  *survives = true;
  if (status || (status = gc_empty_l2(bench)) || (status = median(bench, 0, &miss)))
    return status;
  for (int i = 0; i < TRIES; i++) {
    /* with several L2, a lone block may have another one in the next launch: fill them all */
    if ((status = median(bench, LOADS, &hit)) ||
        (bench->properties.l2_count > 1 &&
         (status = gc_fill_l2(bench, 0, LOADS * LINE, READ_STRIDE, 1))) ||
        (status = median(bench, 0, &next)))
      return status;
    *survives = miss < SPREAD * hit || next < (hit + miss) / 2;
    if (*survives)
      return 0;
  }
  return 0;
}

int gc_test_l2_survival(struct gc_measurement *m)
{
  const struct gc_properties *p = &m->bench.properties;
  bool survives = true;
  int status;

  /* a lone block may have another L2 in the next launch */
  if (p->l2_per_xcd && !p->l2_count)
    return 0;
  status = test(&m->bench, &survives);
  m->results->l2_lost = !status && !survives;
  return status;
}
