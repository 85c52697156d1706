/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What GPUs of the kind DRAWN_HIERARCHY have besides: many SMs in GPCs, parts of a GPC that share a
 * constant L1.5 or a TLB, and a large L2 with two partitions. Some of them contradict what the
 * methods look for: partitions that divide a GPC, or have few SMs, or are almost equally near;
 * groups of SMs that are no whole TPCs; and lines whose home is no parity of address bits.
 */
#include "drawing.h"

#define SMS_LEAST 12
#define SMS_MOST 144
#define SIDE_BIT_MOST 24

unsigned draw_many_sms(struct drawing *d)
{
  return 2 * (unsigned)draw_scaled(d, SMS_LEAST / 2, SMS_MOST / 2);
}

/* A TLB can be found if it reaches no further than about the size of the memory (tlb_range.c). */
void draw_memory(struct drawing *d)
{
  static const unsigned gib[] = {16, 24, 40, 80, 141};

  d->memory_gib = gib[draw_number(d, 0, 4)];
}

/* Two or three TPCs, as on real GPUs; or up to four, or no whole TPCs. 0: there are no CPCs. */
static unsigned draw_cpc_sms(struct drawing *d)
{
  if (draw_chance(d, 0.12))
    return 0;
  return draw_chance(d, 0.6) ? 2 * draw_number(d, 2, 3)
                             : 2 * draw_number(d, 1, 4) + draw_chance(d, 0.1);
}

void draw_hierarchy(struct drawing *d)
{
  static const unsigned sizes[] = {64, 2048};
  static const char *const orders[] = {"contiguous", "scattered", "mixed"};

  if (d->kind != DRAWN_HIERARCHY)
    return;
  d->cpc_sms = draw_cpc_sms(d);
  d->gpc_whole = draw_chance(d, 0.5);
  if (draw_chance(d, 0.5))
    draw_text(d, "pages = %u KiB %s\npage_seed = %u\n", sizes[draw_number(d, 0, 1)],
              orders[draw_number(d, 0, 2)], draw_number(d, 0, 1u << 30));
}

static void draw_bits(struct drawing *d, unsigned least, unsigned apart)
{
  for (unsigned bit = least; bit <= SIDE_BIT_MOST; bit += draw_number(d, 1, apart))
    draw_text(d, " %u", bit);
  draw_text(d, "\n");
}

/* Two to five bits: the home of a quarter to a 32nd of all lines is no parity. */
static void draw_exception(struct drawing *d)
{
  unsigned bit = draw_number(d, draw_above_line(d), 12);

  draw_text(d, "side_and =");
  for (unsigned left = draw_number(d, 2, 5); left; left--) {
    draw_text(d, " %u", bit);
    bit += draw_number(d, 1, 2);
  }
  draw_text(d, "\n");
}

void draw_sides(struct drawing *d)
{
  const double p = draw_share(d);

  if (p < 0.75) {
    draw_text(d, "side_bits =");
    draw_bits(d, draw_number(d, draw_above_line(d), 16), 6);
  }
  if (p < 0.15)
    draw_exception(d);
}
