/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Random numbers and noise of the simulator. All are drawn from seeded xoshiro256** generators
 * (Blackman and Vigna 2018), so that the same seed gives the same run on every machine. No libm.
 */
#ifndef GC_MODEL_NOISE_H
#define GC_MODEL_NOISE_H

#include "util/bits.h"

#include <stdint.h>

struct gc_random {
  uint64_t s[4];
};

void gc_random_seed(struct gc_random *random, uint64_t seed);

static inline uint64_t gc_random_next(struct gc_random *random)
{
  uint64_t *s = random->s;
  const uint64_t five = s[1] * 5, result = ((five << 7) | (five >> 57)) * 9, t = s[1] << 17;

  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = (s[3] << 45) | (s[3] >> 19);
  return result;
}

/* Uniform in [0, n). The bias is below n / 2^32. */
static inline uint32_t gc_random_below(struct gc_random *random, uint32_t n)
{
  return (uint32_t)((gc_random_next(random) >> 32) * n >> 32);
}

/* Disturbances of timed loads other than jitter. */
struct gc_disturbance {
  double outlier_rate;                     /* probability per timed load */
  uint32_t outlier_least, outlier_most;    /* cycles that an outlier adds, uniformly distributed */
  uint32_t drift_cycles;                   /* height of a slow triangular wave */
  uint32_t drift_loads;                    /* its period in timed loads; 0: none */
  /* Another program uses the GPU for busy_length_ns after every busy_every_ns of our time, from
   * busy_from_ns to busy_until_ns on the wall clock. busy_every_ns 0: never. */
  uint64_t busy_every_ns, busy_length_ns, busy_from_ns, busy_until_ns;
  /* Another program runs at the same time as ours, from neighbour_from_ns to neighbour_until_ns:
   * our blocks reach neighbour_sms SMs only, and on half of the SMs, chosen anew for each
   * repetition, rows take neighbour_slower times as long. neighbour_sms 0: never. */
  uint64_t neighbour_sms, neighbour_slower, neighbour_from_ns, neighbour_until_ns;
  /* Loads of device memory take clearing_cycles longer from clearing_from_ns to clearing_until_ns. */
  uint64_t clearing_cycles, clearing_from_ns, clearing_until_ns;
};

/* Jitter of one level: the cycles to add for each number of ones in 32 random bits. That number is
 * binomially distributed, which is close to a Gaussian; other bits of the same draw decide on
 * outliers. */
#define GC_JITTER_STEPS 33
struct gc_jitter {
  int32_t add[GC_JITTER_STEPS];
};

/* Fills the table for a standard deviation of `cycles`. */
void gc_jitter_init(struct gc_jitter *jitter, double cycles);

struct gc_noise {
  struct gc_random random;
  struct gc_disturbance disturbance;
  uint32_t outlier_below; /* a load is an outlier if 32 random bits are below this */
  uint64_t loads;
};

void gc_noise_init(struct gc_noise *noise, const struct gc_disturbance *disturbance, uint64_t seed);

/* The measured latency of a load with the true latency `cycles`; at least 1. */
uint32_t gc_noise_add(struct gc_noise *noise, uint32_t cycles, const struct gc_jitter *jitter);

#endif
