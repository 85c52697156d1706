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

#define GC_TLB_COUNTS 4 /* of pages that are compared at once, at most */

struct gc_tlb_walk {
  struct gc_tlb_range *range;
  struct gc_tlb_way way;
  uint32_t rows;
  struct gc_tlb_sample near, far[GC_TLB_COUNTS]; /* near: of the baseline */
  double threshold; /* cycles that a page must be slower to count as slow */
  double *extra;    /* [timed] of the last comparison, medians over rows */
};

int gc_tlb_walk_open(struct gc_tlb_walk *walk, struct gc_tlb_range *range,
                     const struct gc_tlb_way *way);

/* Times the first pages while only these are walked, or `count` of them if that is more. Sets a
 * threshold that the noise does not reach, and how often comparisons walk for that. */
int gc_tlb_baseline(struct gc_tlb_walk *walk, const struct gc_tlb_pages *pages, uint32_t count);

/* How slow are the same pages if counts[i] pages are walked, for each of n counts? One launch, if
 * all these walks fit into it. */
struct gc_tlb_question {
  /* The baseline is timed anew with `first` pages, at least `first_rows` times, and the threshold
   * stays. first 0: the baseline stays, too. */
  uint32_t first, first_rows;
  uint32_t n, counts[GC_TLB_COUNTS];
};

struct gc_tlb_answer {
  uint32_t slow; /* pages */
  double cycles; /* how much slower these are, on average */
};

/* Compares. pages->count is not used. */
int gc_tlb_compare(struct gc_tlb_walk *walk, const struct gc_tlb_pages *pages,
                   const struct gc_tlb_question *question, struct gc_tlb_answer *answers);

#endif
