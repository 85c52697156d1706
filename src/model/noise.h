/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Where the simulator's chance comes from. Everything is drawn from seeded xoshiro256** generators
 * (Blackman and Vigna 2018), so the same seed gives the same run on every machine; no libm.
 */
#ifndef GC_MODEL_NOISE_H
#define GC_MODEL_NOISE_H

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

/* What disturbs a timed load besides its own jitter. */
struct gc_disturbance {
  double outlier_rate;                     /* probability per timed load */
  uint32_t outlier_least, outlier_most;    /* cycles that an outlier adds, uniform */
  uint32_t drift_cycles;                   /* height of a slow triangular wave */
  uint32_t drift_loads;                    /* its period in timed loads; 0: none */
  /* Another program has the GPU for so long after every so much of our time, from here to there on the
   * wall clock; busy_every_ns 0: never. */
  uint64_t busy_every_ns, busy_length_ns, busy_from_ns, busy_until_ns;
  /* The SM clock runs at this rate only, from here to there on the wall clock; 0: never. */
  uint64_t throttle_khz, throttle_from_ns, throttle_until_ns;
};

/* Jitter of one level: what to add for each count of ones in 32 random bits. That count is
 * binomial, near enough to a Gaussian, and one draw serves the outlier too. */
#define GC_JITTER_STEPS 33
struct gc_jitter {
  int32_t add[GC_JITTER_STEPS];
};

/* A table with this standard deviation, in cycles. */
void gc_jitter_init(struct gc_jitter *jitter, double cycles);

struct gc_noise {
  struct gc_random random;
  struct gc_disturbance disturbance;
  uint32_t outlier_below; /* an outlier when 32 random bits are below this */
  uint64_t loads;
};

void gc_noise_init(struct gc_noise *noise, const struct gc_disturbance *disturbance, uint64_t seed);

/* The latency that a timed load shows whose true latency is `cycles`; at least 1. */
uint32_t gc_noise_add(struct gc_noise *noise, uint32_t cycles, const struct gc_jitter *jitter);

#endif
