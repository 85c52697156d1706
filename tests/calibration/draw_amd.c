/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * AMD GPUs: a vector L1, a scalar L1 that some CUs share, an L2 in each XCD, and sometimes an L3.
 * CU numbers have gaps. The kernel driver's tables state the number of L2 caches and the size of
 * the L3.
 */
#include "drawing.h"

#define CUS_TOGETHER 3 /* most CUs that share a scalar L1 */
#define XCD_L2_MOST 16384 /* KiB, of kind DRAWN_PAGES */
#define L3_LEAST (9216 * KIB)
#define CUS_MOST 128 /* of an XCD: each may be a word of its own, and a profile has no more words */

/* One word for each group of one to three neighbours. The CUs of a group share a scalar L1. */
static void draw_ids(struct drawing *d, unsigned each, unsigned xcds)
{
  unsigned id = 0;

  draw_text(d, "sm_ids =");
  for (unsigned left = each; left;) {
    const unsigned most = left < CUS_TOGETHER ? left : CUS_TOGETHER, n = draw_number(d, 1, most);

    draw_text(d, n > 1 ? " %u-%u" : " %u", id, id + n - 1);
    left -= n;
    id += n + draw_number(d, 0, 2);
  }
  draw_text(d, "\nsm_ids_repeat = %u %u\nxcds = %u\n", xcds, id, xcds);
}

/* The L2 of an XCD, or of the chip. Returns its bytes. */
static unsigned draw_l2(struct drawing *d, unsigned xcds, bool l3)
{
  const double most = (l3 ? 512 : d->kind == DRAWN_PAGES ? XCD_L2_MOST : 2048) * KIB;
  const unsigned bytes =
    draw_cache(d, &(struct draw_shape){.name = "L2", .least = 256 * KIB, .most = most, .least_line = 64,
                                       .most_line = 128, .most_sector = 128,
                                       .aligned = GLOBAL_ALIGNED});

  draw_outer_cache(d, true);
  draw_text(d, "scope = %s\n", xcds > 1 ? "xcd" : "chip");
  draw_chip_rates(d, 64);
  return bytes;
}

/* The L3 is large enough to be detected behind all L2 caches. Every real L3 has 8 MiB or more. */
static unsigned draw_l3(struct drawing *d, unsigned l2_bytes)
{
  const unsigned least = 12 * l2_bytes > L3_LEAST ? 12 * l2_bytes : L3_LEAST;
  const unsigned bytes =
    draw_cache(d, &(struct draw_shape){.name = "L3", .least = least, .most = 2.0 * least,
                                       .least_line = draw_least_line(d, 64), .most_line = 128,
                                       .most_sector = 128,
                                       .aligned = GLOBAL_ALIGNED});

  draw_outer_cache(d, false);
  draw_text(d, "scope = chip\n");
  draw_chip_rates(d, 32);
  return bytes;
}

static void draw_scalar(struct drawing *d)
{
  draw_cache(d, &(struct draw_shape){.name = "ScalarL1", .least = 4 * KIB, .most = 32 * KIB,
                                     .least_line = 64, .most_line = 64, .most_sector = 64,
                                     .aligned = GLOBAL_ALIGNED});
  draw_text(d, "scope = range\n%s", d->habits ? "compete = yes\n" : "");
}

void draw_amd(struct drawing *d, uint64_t index)
{
  const bool l3 = draw_chance(d, 0.2);
  const unsigned xcds = draw_chance(d, 0.6) || d->sms < 8 ? 1 : draw_power(d, 2, l3 ? 2 : 8);
  const char *const behind = l3 ? "L2 L3" : "L2";
  const double cycles = draw_between(d, 60, 130);
  unsigned l2_bytes, l3_bytes = 0;

  d->sms = (d->sms / xcds < CUS_MOST ? d->sms / xcds : CUS_MOST) * xcds;
  draw_chip(d, index, true);
  draw_text(d, "gfx = gfx90a\nwarp = 64\nthreads_per_sm = 2048\nshared_per_sm = 64 KiB\n"
           "shared_per_block = 64 KiB\n");
  draw_ids(d, d->sms / xcds, xcds);
  draw_sm_cache(d, "L1", 4 * KIB, 64 * KIB, 1024 * KIB);
  draw_scalar(d);
  l2_bytes = draw_l2(d, xcds, l3);
  if (l3)
    l3_bytes = draw_l3(d, l2_bytes * xcds);
  draw_path(d, "ca", cycles, l3 ? "L1 L2 L3" : "L1 L2", 1);
  draw_path(d, "cg", cycles * 2, behind, 0);
  draw_path(d, "scalar", draw_between(d, 30, 60), l3 ? "ScalarL1 L2 L3" : "ScalarL1 L2", 1);
  draw_path(d, "shared", draw_between(d, 30, 70), "", 1);
  draw_tlbs(d);
  draw_text(d, "\n[sysfs L2Cache]\nNominalBytes = %u\nInstances = %u\n", l2_bytes, xcds);
  if (l3)
    draw_text(d, "\n[sysfs L3Cache]\nNominalBytes = %u\nInstances = 1\n", l3_bytes);
}
