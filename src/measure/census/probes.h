/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The results of the probes of a census, and the capacity that follows. A probe tests whether one
 * slot of what was read is still in the cache. doc/methods.md, "Census".
 */
#ifndef GC_MEASURE_CENSUS_PROBES_H
#define GC_MEASURE_CENSUS_PROBES_H

#include "measure/census/verdict.h"

struct gc_probes {
  double bytes;   /* bytes that were read before each round of probes */
  uint32_t limit; /* raw cycles: a slot is not found if its load takes longer */
  size_t n;   /* number of probes: one in each of n parts of the bytes, in the order of reading */
  char *seen; /* [n] 0: the probe of this part does not count; else one of the values below */
  uint32_t rounds;
  double *found; /* [rounds] probes whose first load hit */
  double *sure; /* [rounds] probes whose second load hit; this load always hits, except for noise */
};

enum { GC_PROBE_MISSED = 1, GC_PROBE_FOUND };

/* The caller sets bytes, limit, n and rounds. The memory is that of the step. 0 or -ENOMEM. */
int gc_probes_open(struct gc_probes *probes, struct gc_bench *bench);

/* Adds the probe of a part: did its first and its second load hit? */
static inline void gc_probes_add(struct gc_probes *probes, size_t part, uint32_t round, bool first,
                                 bool second)
{
  probes->seen[part] = first ? GC_PROBE_FOUND : GC_PROBE_MISSED;
  probes->found[round] += first;
  probes->sure[round] += second;
}

/* Computes the census from all probes. raw, for plots: the share found, by the bytes read since. */
void gc_probes_conclude(const struct gc_probes *probes, struct gc_raw *raw,
                        struct gc_census *census);

/* The same for single lines spread evenly over `bytes` bytes: `slow` of the loads were slow. */
void gc_sample_conclude(double bytes, double loads, double slow, struct gc_census *census);

#endif
