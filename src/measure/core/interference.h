/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The interference check: does another program use the GPU, and has the GPU's clock changed?
 * Programs share a GPU by time slices. A launch waits for the end of the other program's slice, and
 * a kernel is interrupted when its own slice ends. doc/methods.md, "Interference".
 */
#ifndef GC_MEASURE_CORE_INTERFERENCE_H
#define GC_MEASURE_CORE_INTERFERENCE_H

#include "measure/core/bench.h"

struct gc_interference {
  struct gc_bench *bench;
  double patience_ms; /* the most time that interference may cost */
  double lost_ms;     /* the time that it has cost so far */
  double checked_ms;  /* when the GPU was last found free of interference (gc_now_ms) */
  double tick_ns;     /* one step of the GPU's wall clock; 0: not known yet */
  bool suspected;     /* a launch since then may have waited for another program */
  bool crowded;       /* another program occupies SMs, so warming up also checks that */
  bool only_clock;    /* what was found last was nothing but another clock */
  unsigned unsteady;  /* how often only the clock was wrong */
  bool wanders;       /* the clock does not settle although nothing else uses the GPU. So bench->mhz
                         is 0, and no clock is wrong any more */
  double least_mhz, most_mhz; /* the clocks seen when it was not steady; 0: it was */
};

enum gc_interference_result {
  GC_UNDISTURBED,
  GC_DISTURBED,     /* what was measured since the last check may be wrong */
  GC_SUSPECTED,     /* it may be wrong, although nothing interferes now */
  GC_DOUBTED,       /* it may be wrong, and so may the capacity that the step before it has found */
  GC_ALL_DOUBTED,   /* all that was measured so far may be wrong */
  GC_CLOCK_CHANGED, /* the clock settled at another rate, now in bench->mhz; earlier values may be
                       wrong */
};

/* From now on every launch of the bench is observed. The bench must not outlive *interference. */
void gc_interference_start(struct gc_interference *interference, struct gc_bench *bench,
                           double patience_ms);

/* Warms the GPU up and waits until no other program uses it. To be called before measurements.
 * -EBUSY with a sentence if that takes longer than the patience. A clock that does not settle is no
 * reason to refuse a GPU: it wanders. */
int gc_interference_warm_up(struct gc_interference *interference);

/* Checks whether anything interfered since the last call. If so, waits until no other program uses
 * the GPU and its clock is steady, unless it wanders. Evaluates and clears bench->signs. -EBUSY as
 * above; any other error means that the device does not work any more. */
int gc_interference_check(struct gc_interference *interference,
                          enum gc_interference_result *disturbance);

#endif
