/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * From what walks over arrays of many sizes showed to a capacity: the decision alone, pure, so that
 * it can be applied to anybody's data (tests/replay). src/measure/capacity.c asks for the walks.
 *
 * In order: the first change of the latencies (K-S) splits sizes into such as fit and such as do
 * not; that tells what a hit and what a miss costs, hence which loads are slow; their counts are
 * evidence (stats.h) for each size; the decision is where misses begin, how sure that is, or why it
 * is not told.
 */
#ifndef GC_STATS_DECIDE_H
#define GC_STATS_DECIDE_H

#include "stats/stats.h"

#include <stdbool.h>

#define GC_LATENCY_BINS 128

/* What was seen of n array sizes; everything seen of a size is added up. */
struct gc_sizes {
  size_t n;
  uint64_t *bytes;                        /* ascending */
  uint64_t (*histogram)[GC_LATENCY_BINS]; /* latencies; the last bin holds all that are longer */
  struct gc_evidence *evidence;
  double *scratch;                        /* 2n + 2, overwritten by the functions below */
};
/* All zero. 0 or -ENOMEM (then nothing is left to free). */
int gc_sizes_new(struct gc_sizes *sizes, size_t n);
void gc_sizes_free(struct gc_sizes *sizes);

/* sum += seen, over GC_LATENCY_BINS bins. */
void gc_histogram_add(uint64_t *sum, const uint32_t *seen);

/* Share of loads that take longer than hits, even if these took longer by `spread`; *p: how likely
 * so many are by chance (one-sided K-S). */
double gc_slower_share(const uint64_t *hits, const uint64_t *seen, double spread, double *p);

/* The first size whose latencies are not those of the smaller ones; n: none (one-sided K-S, Holm).
 * spread: by which share latencies of one and the same level may differ. Less than that is no
 * change. */
size_t gc_first_change(const struct gc_sizes *sizes, double spread);

/* How many sizes, from the smallest on, have no more slow loads than those before them, where
 * nothing is known of misses but that they take longer than a hit by more than `spread`. Counts are
 * sharper than K-S: they see one miss in a hundred loads. */
size_t gc_without_misses(const struct gc_sizes *sizes, double spread);

/* The first size from which on all latencies differ from those of hits; n: none. */
size_t gc_lasting_change(const struct gc_sizes *sizes, const uint64_t *hits, double spread);

/* What a load costs on both sides of a change, in the unit of `width`, the width of a bin. */
struct gc_levels {
  double hit, miss; /* medians */
  double threshold; /* halfway from the slowest usual hit to the median of what is beyond it */
};
/* False: they overlap. Fewer loads are slower than usual hits than a change must have moved. */
bool gc_levels_find(const uint64_t *hits, const uint64_t *beyond, double width,
                    struct gc_levels *levels);

struct gc_verdict {
  size_t beyond;      /* index of the first size that does not fit; 0: nowhere, see absent */
  size_t least, most; /* so many sizes fit; fewer or more: one in 10^4 together */
  double kept;        /* probability of all from least to most, noise put aside */
  double confidence;  /* probability that the capacity is within 0.5 % of bytes[beyond - 1] */
  const char *absent; /* why no capacity must be told (a literal); NULL: it is bytes[beyond - 1] */
};
/* The capacity is the last size that fits, not the middle of the transition: caches that do not
 * replace the least recently used line miss gradually. changed: bytes from which on the K-S test
 * sees other latencies; misses that begin only there or later contradict it. */
void gc_decide(const struct gc_sizes *sizes, uint64_t changed, struct gc_verdict *verdict);

#endif
