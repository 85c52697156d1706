/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A few SMs time single loads while others read, or while no others do (kernels/under_load.c).
 *
 * Other loads can make a load wait. But they can also make it faster: some GPUs let the clock of
 * the memory, or of the way to it, rise with traffic. So a load that takes clearly less time beside
 * others shows such a clock. doc/methods.md, "Clocks that rise with traffic".
 */
#ifndef GC_MEASURE_WALK_BESIDE_H
#define GC_MEASURE_WALK_BESIDE_H

#include "measure/core/measurement.h"

#define GC_BESIDE_REPEATS 9
/* SMs that time loads: several, because one may be near to most of few lines; but few, because they
 * hardly add to the load. */
#define GC_BESIDE_CHAINS 8
#define GC_BESIDE_PART 64 /* loads of one repetition in each chain, whole pages */
/* Loads before them, untimed: on an H100 the last reader begins a few microseconds after the first
 * one. */
#define GC_BESIDE_WARM 64
#define GC_BESIDE_LOADS (GC_BESIDE_REPEATS * GC_BESIDE_PART)
#define GC_BESIDE_CHAIN (GC_BESIDE_WARM + GC_BESIDE_LOADS)

struct gc_beside {
  uint32_t chains;                   /* SMs that time loads */
  uint64_t starts[GC_BESIDE_CHAINS]; /* the first slot of each */
  uint32_t readers, warps;           /* the others: SMs, 0 or more; and warps of each, 1 or more */
  uint64_t region, bytes;            /* what they read: offset in the arena; size, a tile or more */
  bool quiet;                        /* the others end before loads are timed */
  uint32_t launches;                 /* so far; each reads what the others did not */
  struct gpu_bandwidth_result *results; /* space for each SM */
  uint32_t *trace; /* [chains * GC_BESIDE_LOADS], raw cycles: of each chain in order */
  double gbps;     /* what the readers got */
  uint32_t sms[GC_BESIDE_CHAINS]; /* the SMs that timed loads */
};

/* Allocates results and trace, for this step. 0 or -ENOMEM. */
int gc_beside_alloc(struct gc_bench *bench, struct gc_beside *beside);

/* Spreads so many reading warps over all SMs but those of the chains. */
void gc_beside_spread(const struct gc_bench *bench, uint32_t warps, struct gc_beside *beside);

/* One launch. *met: two blocks ran on one SM, so what it measured does not count. */
int gc_beside_launch(struct gc_bench *bench, struct gc_beside *beside, bool *met);

/* Whether loads that took `alone` cycles without other loads take clearly less time beside some.
 * Reorders the arrays. SMs may differ by as much: so compare loads of the same SMs. */
bool gc_beside_faster(double alone[GC_BESIDE_REPEATS], double beside[GC_BESIDE_REPEATS]);

/* What loads take that are faster beside others: element->traffic. confidence: of what was
 * subtracted from both. */
void gc_beside_keep(struct gc_measured *element, double alone[GC_BESIDE_REPEATS],
                    double beside[GC_BESIDE_REPEATS], double confidence);

#endif
