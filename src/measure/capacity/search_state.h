/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The input, the result and the state of the change-point search (search.h).
 */
#ifndef GC_MEASURE_CAPACITY_SEARCH_STATE_H
#define GC_MEASURE_CAPACITY_SEARCH_STATE_H

#include "measure/core/measurement.h"
#include "measure/raw/run.h"
#include "measure/walk/path.h"
#include "stats/decide.h"

#define GC_SWEEP_SIZES 33  /* of a cache inside the SM, where all SMs walk at the same time */
#define GC_SWEEP_REPEATS 4 /* the same */
#define GC_CONFIRM_MAX 32  /* largest value of gc_search.confirm */

/* The input: what is searched, and how. */
struct gc_search {
  struct gc_path path;  /* to the cache */
  uint64_t min, max;    /* range of array sizes, bytes; an array of min bytes fits */
  uint32_t step;        /* capacities are multiples of this, bytes */
  uint32_t wide_stride; /* replaces path.stride far from the answer, so that fewer loads are needed
                           if lines are so long; 0: none */
  unsigned sizes, repeats; /* in one sweep of the bracket */
  unsigned confirm;        /* runs that confirm the answer */
  uint64_t expected;       /* the cache probably has so many bytes, so search only near them first; 0:
                              not known */
  unsigned at_a_time;      /* so many sizes are walked at the same time, chosen by what is known from
                              those before them; 0: all sizes of a sweep */
  double outliers;         /* least share of slow loads that are no misses */
  /* Walks arrays of runs[i].bytes; runs[i].seen receives the last pass over each. path: that of the
   * search, or the same with another stride and fewer loads. */
  int (*walk)(void *data, const struct gc_path *path, const struct gc_binning *binning,
              struct gc_run *runs, size_t n);
  void *data;      /* for walk */
  bool needs_ring; /* the search lays a ring of max bytes, in order, for walk; otherwise walk lays
                      its own rings */
};

struct gc_capacity_result {
  uint64_t bytes;    /* largest size whose loads all hit; 0: not found, see absent */
  uint64_t at_least; /* the search ended at this size without a miss; otherwise 0 */
  uint64_t changed;  /* the smallest size from which on the K-S test finds another distribution */
  double confidence;
  double hit, miss; /* medians of raw cycles on the two sides */
  double usual;     /* 97 % of hits take no longer, raw cycles */
  uint32_t stride;  /* bytes between the last loads, which met every line */
  char absent[160]; /* why bytes is 0; else empty */
};

/* Latencies of one level differ by less between SMs, those of two levels by more. */
#define GC_SEARCH_SPREAD 0.25
#define GC_SEARCH_SHIFT 3 /* 8 cycles a bin: 1024 cycles in all */

/* How arrays are walked: wide or fine strides. */
struct gc_stride {
  struct gc_path path;
  uint32_t step; /* bytes: sizes are multiples of it */
};

struct gc_search_state {
  struct gc_measurement *m;
  const struct gc_search *search;
  const struct gc_stride *now; /* wide at first, then fine */
  struct gc_stride wide, fine;
  struct gc_capacity_result *found;
  uint64_t hits[GC_LATENCY_BINS]; /* latencies at sizes that fit */
  uint64_t low, high;             /* bracket: low fits, high does not; high 0: none yet */
  double fitting_loads, fitting_slow;
  double kept; /* probability that the capacity was inside every bracket so far */
  struct gc_binning binning;
};

/* Ends without a capacity. why: the reason. */
void gc_search_withhold(struct gc_search_state *s, const char *why);

/* Uses these strides from now on. */
int gc_search_use(struct gc_search_state *s, const struct gc_stride *stride);

/* Adds loads of arrays that fit: some loads are slow although they hit. */
void gc_search_add_fitting(struct gc_search_state *s, const uint64_t *histogram);

/* Zeroed sizes. 0 or -ENOMEM with a sentence. */
int gc_search_sizes(struct gc_search_state *s, struct gc_sizes *sizes, size_t n);

#endif
