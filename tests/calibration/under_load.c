/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Latency under load: draws for how long loads wait, and checks the measured pairs of load and
 * latency.
 */
#include "court.h"
#include "drawing.h"

#include <math.h>
#include <stdio.h>

#define LATENCY_SHARE 0.05 /* that a latency may be wrong by */
#define RATE_SHARE 0.05    /* the same for a rate */

/* These come from random numbers of their own, so that everything else that is drawn stays. */
void draw_queue(struct drawing *d, const char *key, double most)
{
  const struct gc_random others = d->random;

  gc_random_seed(&d->random, gc_random_next(&d->random) ^ 0x7175657565);
  if (draw_chance(d, 0.8))
    draw_text(d, "%s = %u\n", key, (unsigned)draw_scaled(d, 1, most));
  d->random = others;
}

/* A clock that rises with traffic, of the kind DRAWN_UNUSUAL. How much traffic it needs is less
 * than what is measured. As above. */
void draw_idle(struct drawing *d, const char *key, double most)
{
  const struct gc_random others = d->random;

  gc_random_seed(&d->random, gc_random_next(&d->random) ^ 0x69646c65);
  if (d->unusual && draw_chance(d, 0.3)) {
    const unsigned cycles = (unsigned)draw_scaled(d, 5, most);

    draw_text(d, "%s = %u %.4f\n", key, cycles, draw_scaled(d, 0.002, 0.1));
  }
  d->random = others;
}

double court_waits(const struct court *court, const struct court_case *c, double gbps)
{
  double cycles = 0;

  for (unsigned level = 0; level <= c->level; level++)
    cycles +=
        gc_model_true_queue(court->model, c->space, level, gbps / court_own_rate(court, c, level));
  return cycles;
}

/* Every latency must be right for its load, and no load may be larger than the bandwidth. */
bool judge_under_load(const struct court *court, struct court_case *c)
{
  const double mhz = court->profile.facts.running_clock_khz / 1e3 * court_clock_share(court);
  /* few SMs time loads; they may be any */
  const double spread = court_spread(court, c, c->level);
  const double least = court_latency(court, c->space, c->level) - spread;
  /* where lines have one place, half of the loads may go to another partition */
  const double most =
      least + 2 * spread +
      (c->cache && c->cache->partitions > 1 && !c->cache->replicate ? (double)c->cache->far_cycles
                                                                    : 0);
  const double bandwidth = court_rate(court, c);
  double gbps, ns, before = -1;
  unsigned points = 0;
  bool right = true;
  int used;

  if (court->gpu->class != DRAWN_NOISE)
    snprintf(c->truth, sizeof(c->truth), "0:%.4g,%.4g:%.4g", least / mhz * 1e3, bandwidth / 2,
             (least + court_waits(court, c, bandwidth / 2)) / mhz * 1e3);
  for (const char *text = c->reported; sscanf(text, "%lf:%lf%n", &gbps, &ns, &used) == 2;
       text += used + (text[used] == ','), points++) {
    const double cycles = ns * mhz / 1e3;
    const double low = court_waits(court, c, gbps * (1 - RATE_SHARE));
    const double high = court_waits(court, c, gbps * (1 + RATE_SHARE));

    right &= gbps >= before && gbps <= bandwidth * (1 + RATE_SHARE) &&
             cycles >= (1 - LATENCY_SHARE) * (least + fmin(low, high)) &&
             cycles <= (1 + LATENCY_SHARE) * (most + fmax(low, high)) + court->gpu->drift;
    before = gbps;
  }
  return right && points > 1;
}
