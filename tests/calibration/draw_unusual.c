/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What GPUs of the kind DRAWN_UNUSUAL have besides. Each of these is rare among the GPUs of the
 * other kinds, and exists or may exist on GPUs that nobody here has: a second mode of the noise,
 * SMs whose latencies differ, stores that are slower or faster than loads by far, two dies, no
 * memory of its own, and very few or very many SMs.
 */
#include "drawing.h"

#include <string.h>

#define SMS_MOST 300
#define ID_RANGES_MOST 24
#define SPREAD_MOST 60       /* cycles by which the latency on an SM differs from that of the GPU */
#define AMD_SPREAD_MOST 35   /* the same; less than the latency of scalar loads from L2 */
#define SECOND_MODE_MOST 0.3 /* share of loads */

/* One SM, more than any GPU has today, or what the others have. */
unsigned draw_unusual_sms(struct drawing *d, unsigned usual)
{
  const double p = draw_share(d);
  const bool even = d->kind == DRAWN_HIERARCHY;

  if (p < 0.1 && !even)
    return 1;
  return p < 0.3 ? 2 * draw_number(d, 73, SMS_MOST / 2) : usual;
}

/* Delayed loads, by about as much as the latencies of all loads vary, or by more. */
void draw_second_mode(struct drawing *d)
{
  const unsigned least = (unsigned)draw_scaled(d, 2, 200);

  draw_text(d, "outliers = %.6f %u %u\n", draw_scaled(d, 0.01, SECOND_MODE_MOST), least,
            least + (unsigned)draw_scaled(d, 1, 60));
}

/* NVIDIA: numbers of SMs that have gaps. */
static void draw_gaps(struct drawing *d)
{
  unsigned id = 0, ranges = 0;

  draw_text(d, "sm_ids =");
  for (unsigned left = d->sms; left; ranges++) {
    const unsigned n = ranges < ID_RANGES_MOST ? draw_number(d, 1, left) : left;

    draw_text(d, n > 1 ? " %u-%u" : " %u", id, id + n - 1);
    left -= n;
    id += n + draw_number(d, 1, 4);
  }
  draw_text(d, "\n");
}

/* No memory of its own. Numbers of their own decide for AMD, so that the rest of each GPU stays. */
static bool draw_integrated(struct drawing *d, bool amd)
{
  struct drawing own = *d;

  if (!amd)
    return draw_chance(d, 0.15);
  gc_random_seed(&own.random, gc_random_next(&own.random) ^ 0x617075);
  return draw_chance(&own, 0.4); /* GPUs of AMD are few */
}

void draw_unusual(struct drawing *d, bool amd)
{
  if (!d->unusual)
    return;
  if (draw_chance(d, 0.4)) {
    d->sm_spread = draw_number(d, 1, amd ? AMD_SPREAD_MOST : SPREAD_MOST);
    draw_text(d, "sm_spread = %u\n", d->sm_spread);
  }
  if (!amd && draw_chance(d, 0.2))
    draw_gaps(d);
  d->integrated = draw_integrated(d, amd);
  if (d->integrated)
    draw_text(d, "integrated = yes\nmemory_clock_khz = 0\n");
}

double draw_write_share(struct drawing *d)
{
  return d->unusual ? draw_scaled(d, 0.3, 3) : draw_between(d, 0.3, 1);
}

/* The far die is nearly as slow as the memory, or half as far from it as the near one. */
unsigned draw_far_die(struct drawing *d)
{
  return (unsigned)(d->l2_ahead * draw_between(d, 0.4, 0.95));
}

bool draw_other_hash(struct drawing *d)
{
  static const char *const hashes[] = {"none", "xor", "skew", "bits"};
  const struct gc_random kept = d->random; /* whatever else is drawn does not change */
  bool other;

  gc_random_seed(&d->random, ~gc_random_next(&d->random));
  other = d->unusual && d->hash_sets && draw_chance(d, 0.6);
  d->hash_of_read_only = draw_chance(d, 0.3);
  if (other) {
    unsigned i = draw_number(d, 0, 3);

    if (!strcmp(hashes[i], d->hash))
      i = (i + 1) % 4;
    draw_text(d, "other_hash = ");
    draw_hash_named(d, hashes[i]);
  }
  d->random = kept;
  return other;
}

unsigned draw_above_line(const struct drawing *d)
{
  return d->unusual ? 9 : 8;
}
