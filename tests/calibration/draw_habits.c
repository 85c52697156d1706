/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Habits of real GPUs that the default kind of drawn GPUs does not have: clocks that change, few
 * loads in flight, latencies in steps, SMs that compete for an L1.
 */
#include "drawing.h"

#define MS 1000000.0

/* Only AMD GPUs stay at a low clock for long. */
static void draw_ramp(struct drawing *d, bool amd)
{
  const unsigned low = (unsigned)(d->clock_khz * draw_between(d, 0.2, 0.9));
  const double from = amd ? draw_between(d, 0, 400 * MS) : 0;
  const double until = from + draw_between(d, 0, amd ? 200 * MS : 15 * MS);

  draw_text(d, "ramp = %u %.0f %.0f\n", low < 1000 ? 1000 : low, from, until);
}

static void draw_clocks(struct drawing *d, bool amd)
{
  static const char *const own[] = {"none", "memory", "l2"};

  draw_text(d, "own_clock = %s\n", own[draw_number(d, 0, 2)]);
  if (draw_chance(d, 0.3))
    draw_ramp(d, amd);
  if (draw_chance(d, 0.25))
    draw_text(d, "wander = %.4f %.0f\n", draw_scaled(d, 0.002, 0.08),
              draw_scaled(d, 0.2 * MS, 50 * MS));
  if (draw_chance(d, 0.1)) {
    const double from = draw_scaled(d, 0.5 * MS, 100 * MS);

    draw_text(d, "throttle = %u %.0f %.0f\n", (unsigned)(d->clock_khz * draw_between(d, 0.5, 0.95)),
              from, from + draw_scaled(d, 0.5 * MS, 100 * MS));
  }
}

void draw_habits(struct drawing *d, bool amd)
{
  draw_clocks(d, amd);
  if (draw_chance(d, 0.3))
    draw_text(d, "latency_step = %u\n", draw_power(d, 2, 8));
  if (draw_chance(d, 0.3))
    draw_text(d, "outstanding_per_warp = %u\n", (unsigned)draw_scaled(d, 1, 100));
  if (draw_chance(d, 0.3))
    draw_text(d, "outstanding_per_sm = %u\n", (unsigned)draw_scaled(d, 16, 2000));
  /* not drawn, so that all other values stay the same */
  draw_text(d, "miss_cycles = %u\nload_cycles = %u\nmiss_bytes_per_cycle = %u\n", 1 + d->sms % 3,
            2 + d->clock_khz % 15, 64u << d->clock_khz % 3);
  d->close = draw_chance(d, 0.2);
  d->pairs = d->sms > 1 && draw_chance(d, 0.25);
}
