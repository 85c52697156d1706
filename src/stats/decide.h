/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The capacity that follows from walks over arrays of many sizes. Pure functions, so that they also
 * apply to data of others (tests/replay). src/measure makes the walks. The method: doc/methods.md,
 * "Capacity".
 *
 * The steps are: the first change of the latencies (K-S) separates sizes that fit from sizes that
 * do not. This gives the costs of a hit and of a miss, and so which loads are slow. The numbers of
 * slow loads are evidence (stats.h) for each size. The decision is where misses begin and with
 * which confidence, or why there is no capacity.
 */
#ifndef GC_STATS_DECIDE_H
#define GC_STATS_DECIDE_H

#include "stats/stats.h"

#include <stdbool.h>

#define GC_LATENCY_BINS 128

/* The results for n array sizes, each a sum over runs. gc_sizes_new allocates the arrays. */
struct gc_sizes {
  size_t n;
  uint64_t *bytes;                        /* ascending */
  uint64_t (*histogram)[GC_LATENCY_BINS]; /* latencies; the last bin also has all longer ones */
  struct gc_evidence *evidence;
  double *scratch;                        /* 2n + 2 values, which the functions below overwrite */
};
/* Everything is zero. 0, or -ENOMEM; then there is nothing to free. */
int gc_sizes_new(struct gc_sizes *sizes, size_t n);
void gc_sizes_free(struct gc_sizes *sizes);

/* sum[b] += seen[b] for GC_LATENCY_BINS bins. */
void gc_histogram_add(uint64_t *sum, const uint32_t *seen);

/* The share of loads that take longer than hits, where hits may take longer by the share `spread`.
 * *p: the probability of so many by chance (one-sided K-S). */
double gc_slower_share(const uint64_t *hits, const uint64_t *seen, double spread, double *p);

/* The first size whose latencies differ from those of the smaller sizes; n: none (one-sided K-S
 * test, Holm). spread: the share by which latencies of the same level may differ. Smaller
 * differences are no change. */
size_t gc_first_change(const struct gc_sizes *sizes, double spread);

/* The number of sizes, from the smallest on, that have no more slow loads than the sizes before
 * them. A load is slow if it takes longer than a hit by more than `spread`. This is more sensitive
 * than the K-S test: it detects one miss in a hundred loads. */
size_t gc_without_misses(const struct gc_sizes *sizes, double spread);

/* The first size from which on the latencies of all sizes differ from those of hits; n: none. */
size_t gc_lasting_change(const struct gc_sizes *sizes, const uint64_t *hits, double spread);

/* Latencies on both sides of a change, in the unit of `width`, the width of a bin. */
struct gc_hit_miss {
  double hit, miss; /* medians */
  double threshold; /* halfway from the slowest usual hit to the median of what is beyond it */
};
/* False: the two overlap, because fewer loads are slower than usual hits than a change requires. */
bool gc_hit_miss_find(const uint64_t *hits, const uint64_t *beyond, double width,
                    struct gc_hit_miss *levels);

/* Do these loads look like loads of one level? Then no more than one in twenty takes longer than
 * their median by more than `spread`. */
bool gc_is_one_level(const uint64_t *hits, double spread);

/* Why gc_hit_miss_find() is false although latencies change with the size (a literal). The change
 * is real, so this alone does not mean that hits and misses take equally long: arrays that should
 * fit may have slow loads, too, because of outliers or because they already miss. They can take
 * equally long only if the smallest and the largest array have the same latencies. */
const char *gc_explain_overlap(const uint64_t *hits, const uint64_t *smallest,
                               const uint64_t *largest, double spread);

struct gc_verdict {
  size_t beyond;      /* index of the first size that does not fit; 0: none, see absent */
  size_t least, most; /* range of the number of sizes that fit, but for a probability of 10^-4 */
  double kept;        /* the probability of that range if the runs are not noise */
  double confidence;  /* probability that the capacity is within 0.5 % of bytes[beyond - 1] */
  const char *absent; /* why there is no capacity (a literal); NULL: it is bytes[beyond - 1] */
};
/* Decides on the capacity. It is the last size that fits, not the middle of the transition: caches
 * with another replacement policy than LRU miss gradually. changed: bytes from which on the K-S
 * test finds other latencies. If the first misses come later, the two contradict each other. */
void gc_decide(const struct gc_sizes *sizes, uint64_t changed, struct gc_verdict *verdict);

#endif
