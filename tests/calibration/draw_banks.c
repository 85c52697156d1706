/* SPDX-License-Identifier: BSD-3-Clause */
#include "drawing.h"

/* Banks of shared memory, and atomic operations. Called at the end, so that the rest of a GPU does
 * not depend on it. Most real GPUs have 32 banks of 4 bytes. */
void draw_banks(struct drawing *d)
{
  const bool usual = draw_chance(d, 0.5);
  const unsigned width = usual ? 4 : draw_power(d, 4, 8), count = usual ? 32 : draw_power(d, 16, 64);

  draw_text(d, "\n[banks]\ncount = %u\nwidth = %u\ninterleave = %u\nconflict = %u\n", count, width,
            draw_chance(d, 0.5) ? 4 : width, (unsigned)draw_scaled(d, 1, 40));
  draw_text(d, "\n[atomics]\nshared_cycles = %u\nshared_per_cycle = %.3f\n",
            (unsigned)draw_scaled(d, 20, 300), draw_scaled(d, 0.05, 4));
  draw_text(d, "l2_cycles = %u\nl2_per_cycle = %.3f\n", (unsigned)draw_scaled(d, 100, 600),
            draw_scaled(d, 0.05, 4));
  if (d->kind == DRAWN_HIERARCHY && draw_chance(d, 0.5))
    draw_text(d, "l2_far_cycles = %u\n", draw_number(d, 1, 250));
}

void draw_bulk(struct drawing *d)
{
  if (draw_chance(d, 0.6))
    draw_text(d, "\n[bulk]\ncycles = %u\nbytes_per_cycle = %.2f\n", draw_number(d, 100, 1000),
              draw_scaled(d, 8, 128));
}
