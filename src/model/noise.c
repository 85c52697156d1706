/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Random numbers and the noise of timed loads.
 */
#include "model/noise.h"

void gc_random_seed(struct gc_random *random, uint64_t seed)
{
  /* splitmix64, as the authors of xoshiro advise: no seed yields the all-zero state. */
  for (int i = 0; i < 4; i++) {
    uint64_t z = seed += 0x9e3779b97f4a7c15;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    random->s[i] = z ^ (z >> 31);
  }
}

void gc_jitter_init(struct gc_jitter *jitter, double cycles)
{
  const double sigma = 2.8284271247461903; /* of a binomial with 32 trials: sqrt(32 / 4) */

  for (int ones = 0; ones < GC_JITTER_STEPS; ones++) {
    const double exact = (ones - 16) / sigma * cycles;

    jitter->add[ones] = (int32_t)(exact < 0 ? exact - 0.5 : exact + 0.5);
  }
}

void gc_noise_init(struct gc_noise *noise, const struct gc_disturbance *disturbance, uint64_t seed)
{
  const double below = disturbance->outlier_rate * 4294967296.0;

  gc_random_seed(&noise->random, seed);
  noise->disturbance = *disturbance;
  noise->outlier_below = below >= 4294967295.0 ? UINT32_MAX : (uint32_t)below;
  noise->loads = 0;
}

/* A triangular wave from 0 to drift_cycles and back. */
static uint32_t drift(struct gc_noise *noise)
{
  const struct gc_disturbance *d = &noise->disturbance;
  uint64_t at;

  if (!d->drift_loads)
    return 0;
  at = noise->loads++ % d->drift_loads * 2;
  if (at > d->drift_loads)
    at = 2ull * d->drift_loads - at;
  return (uint32_t)(at * d->drift_cycles / d->drift_loads);
}

uint32_t gc_noise_add(struct gc_noise *noise, uint32_t cycles, const struct gc_jitter *jitter)
{
  const uint64_t bits = gc_random_next(&noise->random);
  int64_t seen = (int64_t)cycles + jitter->add[gc_ones((uint32_t)bits)];

  seen += drift(noise);
  if ((uint32_t)(bits >> 32) < noise->outlier_below) {
    const struct gc_disturbance *d = &noise->disturbance;

    seen +=
      d->outlier_least + gc_random_below(&noise->random, d->outlier_most - d->outlier_least + 1);
  }
  return seen < 1 ? 1 : (uint32_t)seen;
}
