/* SPDX-License-Identifier: BSD-3-Clause */
#include "drawing.h"

#define SIDE_BIT_MOST 24
#define RATE_MOST 4096 /* that a profile may state */

/* L2 as a whole cannot read more than its slices deliver: 0.85 to twice its share of that for each.
 * Less than the share contradicts itself and must not be found; nor must a rate be found that is
 * more than the SMs near to the slice can ask for, as many are. */
static void draw_rate(struct drawing *d, unsigned slices)
{
  const double share = d->chip_gbps * 1e6 / d->clock_khz / slices;
  const double rate = share * draw_scaled(d, 0.85, 2);

  draw_text(d, "slice_bytes_per_cycle = %.1f\n", rate < RATE_MOST ? rate : RATE_MOST);
}

/* These come from random numbers of their own, so that everything else that is drawn stays. */
void draw_slices(struct drawing *d, unsigned parts)
{
  const struct gc_random others = d->random;
  unsigned slices = 0;

  gc_random_seed(&d->random, gc_random_next(&d->random) ^ 0x736c69636573);
  if (draw_chance(d, 0.7)) {
    slices = parts * draw_number(d, 2, 96 / parts);
    draw_text(d, "slices = %u\n", slices);
  }
  if (parts == 2 && d->kind == DRAWN_HIERARCHY) {
    draw_sides(d);
  } else if (parts == 2 && draw_chance(d, 0.7)) {
    draw_text(d, "side_bits =");
    for (unsigned bit = draw_number(d, draw_above_line(d), 16); bit <= SIDE_BIT_MOST;
         bit += draw_number(d, 1, 6))
      draw_text(d, " %u", bit);
    draw_text(d, "\n");
  }
  if (slices && d->kind == DRAWN_HIERARCHY && draw_chance(d, 0.9))
    draw_rate(d, slices);
  d->random = others;
}
