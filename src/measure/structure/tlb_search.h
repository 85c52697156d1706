/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Searches the capacity of a TLB.
 */
#ifndef GC_MEASURE_STRUCTURE_TLB_SEARCH_H
#define GC_MEASURE_STRUCTURE_TLB_SEARCH_H

#include "measure/structure/tlb_walk.h"

/* Where the search begins. */
struct gc_tlb_start {
  uint64_t spacing;     /* of pages, bytes: a power of two */
  uint64_t spacing_max; /* larger ones are tried up to this if the TLB holds all pages */
  uint32_t pages_max;   /* of one spacing, before a larger one is tried */
  /* The nearer TLB; NULL: there is none. Walks are longer, so that it has no part in what is
   * compared. */
  const struct gc_measured *nearer;
};

/* What a TLB holds. 0: not known. */
struct gc_tlb_found {
  uint64_t entries, entry_bytes, reach_bytes;
  bool counted; /* the number of entries is exact; else within 1 % */
  double confidence;
  double penalty;            /* about what a miss adds, cycles */
  double penalty_confidence; /* 0: it is only good for a threshold */
  uint64_t tried_bytes;      /* pages so far apart in all were held, if nothing was found */
  bool blind;                /* nothing shows what an entry covers, so nothing was found */
  bool noise;                /* some were slow at every distance, if nothing was found */
};

/* So many pages are too many for this TLB; 0: NULL. */
uint32_t gc_tlb_beyond(const struct gc_measured *tlb, uint64_t stride);

int gc_tlb_search(struct gc_tlb_walk *walk, const struct gc_tlb_start *start,
                  struct gc_tlb_found *found);

#endif
