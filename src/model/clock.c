/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The rate in each step is a function of the number of the step. So the cycles at the begin of a
 * step follow from those of its neighbours, and the clock needs no memory of the past.
 */
#include "model/clock.h"

#include "model/noise.h"

static uint64_t scale(uint64_t value, uint64_t by, uint64_t per)
{
  return (uint64_t)((unsigned __int128)value * by / per);
}

void gc_clock_init(struct gc_clock *clock, const struct gc_clock_habits *habits, uint64_t khz,
                   uint64_t seed)
{
  *clock = (struct gc_clock){.habits = *habits, .khz = khz, .seed = seed};
  clock->steady = !habits->throttle_khz && !habits->ramp_khz && !(habits->wander > 0);
}

/* A number from -1 to 1 that depends on the seed and on n. */
static double knot(const struct gc_clock *clock, uint64_t n)
{
  struct gc_random random;

  gc_random_seed(&random, clock->seed ^ (n + 1) * 0x9e3779b97f4a7c15);
  return (double)gc_random_below(&random, 2001) / 1000.0 - 1;
}

/* From -1 to 1: straight lines between random knots, wander_ns apart. */
static double deviation(const struct gc_clock *clock, uint64_t ns)
{
  const uint64_t apart = clock->habits.wander_ns, n = ns / apart;
  const double before = knot(clock, n), after = knot(clock, n + 1);

  return before + (after - before) * (double)(ns % apart) / (double)apart;
}

static uint64_t khz_of_step(const struct gc_clock *clock, uint64_t step)
{
  const struct gc_clock_habits *h = &clock->habits;
  const uint64_t ns = step * GC_CLOCK_STEP_NS;
  uint64_t khz = clock->khz;

  if (h->ramp_khz && ns < h->ramp_until_ns)
    khz = ns < h->ramp_from_ns ? h->ramp_khz
                               : h->ramp_khz + scale(khz - h->ramp_khz, ns - h->ramp_from_ns,
                                                     h->ramp_until_ns - h->ramp_from_ns);
  if (h->wander > 0)
    khz = (uint64_t)((double)khz * (1 + h->wander * deviation(clock, ns)));
  if (h->throttle_khz && ns >= h->throttle_from_ns && ns < h->throttle_until_ns)
    khz = h->throttle_khz;
  return khz;
}

static uint64_t cycles_of_step(const struct gc_clock *clock, uint64_t step)
{
  return khz_of_step(clock, step) * GC_CLOCK_STEP_NS / 1000000;
}

/* Finds the step in which the cycle is. Returns the cycles of that step. */
static uint64_t find(struct gc_clock *clock, uint64_t cycles)
{
  uint64_t length;

  while (cycles < clock->cycles)
    clock->cycles -= cycles_of_step(clock, --clock->step);
  while (cycles - clock->cycles >= (length = cycles_of_step(clock, clock->step))) {
    clock->cycles += length;
    clock->step++;
  }
  return length;
}

uint64_t gc_clock_ns(struct gc_clock *clock, uint64_t cycles)
{
  uint64_t length;

  if (clock->steady)
    return scale(cycles, 1000000, clock->khz);
  length = find(clock, cycles);
  return clock->step * GC_CLOCK_STEP_NS + scale(cycles - clock->cycles, GC_CLOCK_STEP_NS, length);
}

uint64_t gc_clock_khz(struct gc_clock *clock, uint64_t cycles)
{
  if (clock->steady)
    return clock->khz;
  find(clock, cycles);
  return khz_of_step(clock, clock->step);
}
