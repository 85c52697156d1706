/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Walks over pages: how much longer do the loads of some pages take if more pages are walked? Only
 * loads of the same lines on the same SM are compared, because the latency of L2 depends on both.
 */
#ifndef GC_MEASURE_STRUCTURE_TLB_WALK_H
#define GC_MEASURE_STRUCTURE_TLB_WALK_H

#include "measure/structure/tlb_range.h"

#define GC_TLB_SAMPLES                                                                             \
  256                    /* walks of the same pages, at most, by different SMs as far as possible */
#define GC_TLB_TIMED 256 /* pages that are timed, at most */

/* How to walk. */
struct gc_tlb_way {
  bool chained; /* untimed loads one after another; no: many at once */
  uint32_t
      blocks;    /* SMs that walk; if not chained, they would bring in each other's translations */
  uint32_t rows; /* walks of the same pages; more, up to rows_max, where the noise is large */
  uint32_t rows_max; /* at most GC_TLB_SAMPLES */
  uint32_t least;    /* pages that must be slow to count as a miss */
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
 * threshold that the noise does not reach, and how often comparisons walk for that. */
int gc_tlb_baseline(struct gc_tlb_walk *walk, const struct gc_tlb_pages *pages, uint32_t count);

/* The same, `rows` times, but keeps the threshold. The caller knows that a miss costs more. */
int gc_tlb_baseline_again(struct gc_tlb_walk *walk, const struct gc_tlb_pages *pages,
                          uint32_t count, uint32_t rows);

/* Times the same pages while all are walked. *slow: how many are slow; *cycles (may be NULL): how
 * much slower these are, on average. */
int gc_tlb_compare(struct gc_tlb_walk *walk, const struct gc_tlb_pages *pages, uint32_t *slow,
                   double *cycles);

#endif
