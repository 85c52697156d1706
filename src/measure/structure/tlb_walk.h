/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Walks over pages: how much longer do the loads of some pages take if more pages are walked? Only
 * loads of the same lines on the same SM are compared, because the latency of L2 depends on both.
 */
#ifndef GC_MEASURE_STRUCTURE_TLB_WALK_H
#define GC_MEASURE_STRUCTURE_TLB_WALK_H

#include "measure/structure/tlb_range.h"

#define GC_TLB_SAMPLES 64 /* walks of the same pages, by different SMs as far as there are any */
#define GC_TLB_TIMED 256  /* pages that are timed, at most */

/* How to walk. */
struct gc_tlb_way {
  bool chained; /* untimed loads one after another; no: many at once, in another launch */
  uint32_t
      blocks;     /* SMs that walk; if not chained, they would bring in each other's translations */
  uint32_t rows;  /* walks of the same pages, at most GC_TLB_SAMPLES */
  uint32_t least; /* pages that must be slow to count as a miss */
};

/* Timed loads: row after row, each of one SM. */
struct gc_tlb_sample {
  uint32_t rows, timed;
  uint32_t *sm;     /* [rows] */
  uint32_t *cycles; /* [rows][timed] */
};

struct gc_tlb_walk {
  struct gc_tlb_range *range;
  struct gc_tlb_way way;
  uint32_t rows;
  struct gc_tlb_sample near, far; /* near: of the baseline */
  double threshold;               /* cycles that a page must be slower to count as slow */
  double *extra;                  /* [timed] of the last comparison, medians over rows */
};

int gc_tlb_walk_open(struct gc_tlb_walk *walk, struct gc_tlb_range *range,
                     const struct gc_tlb_way *way);
void gc_tlb_walk_close(struct gc_tlb_walk *walk);

/* Times the first pages while only these are walked, or `count` of them if that is more. Sets a
 * threshold that the noise does not reach. */
int gc_tlb_baseline(struct gc_tlb_walk *walk, const struct gc_tlb_pages *pages, uint32_t count);

/* Times the same pages while all are walked. *slow: how many are slow; *cycles (may be NULL): how
 * much slower these are, on average. */
int gc_tlb_compare(struct gc_tlb_walk *walk, const struct gc_tlb_pages *pages, uint32_t *slow,
                   double *cycles);

/* After a comparison: how much slower each of the slow pages was. Returns their number. */
uint32_t gc_tlb_slow_pages(const struct gc_tlb_walk *walk, double values[GC_TLB_SAMPLES]);

#endif
