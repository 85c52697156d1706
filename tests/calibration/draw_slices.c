/* SPDX-License-Identifier: BSD-3-Clause */
#include "drawing.h"

#define SIDE_BIT_LEAST 8 /* above the longest line */
#define SIDE_BIT_MOST 24

/* These come from random numbers of their own, so that everything else that is drawn stays. */
void draw_slices(struct drawing *d, unsigned parts)
{
  const struct gc_random others = d->random;
  bool slices;

  gc_random_seed(&d->random, gc_random_next(&d->random) ^ 0x736c69636573);
  slices = draw_chance(d, 0.7);
  if (slices)
    draw_text(d, "slices = %u\n", parts * draw_number(d, 2, 96 / parts));
  if (parts == 2 && d->kind == DRAWN_HIERARCHY) {
    draw_sides(d);
  } else if (parts == 2 && draw_chance(d, 0.7)) {
    draw_text(d, "side_bits =");
    for (unsigned bit = draw_number(d, SIDE_BIT_LEAST, 16); bit <= SIDE_BIT_MOST;
         bit += draw_number(d, 1, 6))
      draw_text(d, " %u", bit);
    draw_text(d, "\n");
  }
  if (slices && d->kind == DRAWN_HIERARCHY && draw_chance(d, 0.9))
    draw_text(d, "slice_bytes_per_cycle = %u\n", draw_number(d, 24, 160));
  d->random = others;
}
