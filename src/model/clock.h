/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The SM clock of a simulated GPU: how long some of its cycles take. It may be low at first
 * (ramp), throttled for a while, or wander. It changes in steps of GC_CLOCK_STEP_NS.
 */
#ifndef GC_MODEL_CLOCK_H
#define GC_MODEL_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define GC_CLOCK_STEP_NS 50000

/* What happens to the clock; data/sim/README explains the keys. */
struct gc_clock_habits {
  uint64_t throttle_khz, throttle_from_ns, throttle_until_ns; /* throttle_khz 0: never */
  uint64_t ramp_khz, ramp_from_ns, ramp_until_ns;             /* ramp_khz 0: no ramp */
  double wander;                                              /* a share; 0: does not wander */
  uint64_t wander_ns;
};

struct gc_clock {
  struct gc_clock_habits habits;
  uint64_t khz, seed;
  bool steady;     /* always khz */
  uint64_t step;   /* the step found last, and */
  uint64_t cycles; /* the cycles that have passed when it begins */
};

/* khz: the rate without any habits. */
void gc_clock_init(struct gc_clock *clock, const struct gc_clock_habits *habits, uint64_t khz,
                   uint64_t seed);

/* The wall clock, in ns, when so many cycles have passed. */
uint64_t gc_clock_ns(struct gc_clock *clock, uint64_t cycles);

/* The rate at that time. */
uint64_t gc_clock_khz(struct gc_clock *clock, uint64_t cycles);

#endif
