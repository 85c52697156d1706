/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What GPUs of the kind DRAWN_PAGES have besides: physical pages and TLBs, and an L2 and L3 that
 * resist thrashing or do not survive a launch.
 */
#include "drawing.h"

#include <string.h>

#define PAGE_SEED_MOST (1u << 30)

void draw_pages(struct drawing *d)
{
  static const unsigned sizes[] = {4, 64, 2048};
  static const char *const orders[] = {"contiguous", "scattered", "mixed"};
  const unsigned other = d->group == DRAWN_OTHER_PAGES ? PAGE_SEED_MOST + 1 : 0;

  if (d->kind != DRAWN_PAGES)
    return;
  draw_text(d, "whole_sectors = yes\npages = %u KiB %s\npage_seed = %u\n",
            sizes[draw_number(d, 0, 2)], orders[draw_number(d, 0, 2)],
            other + draw_number(d, 0, PAGE_SEED_MOST));
}

uint64_t draw_count_with_pages(const struct draw_seeds *seeds, uint64_t gpus)
{
  switch (seeds->kind) {
  case DRAWN_PAGES:
    return gpus;
  case DRAWN_ALL: /* one of each kind in turn */
    return (gpus + DRAWN_ALL - 1 - DRAWN_PAGES) / DRAWN_ALL;
  default:
    return 0;
  }
}

uint64_t draw_index_with_pages(const struct draw_seeds *seeds, uint64_t n)
{
  return seeds->kind == DRAWN_ALL ? n * DRAWN_ALL + DRAWN_PAGES : n;
}

/* Whether the cache whose section is being written has this replacement. */
static bool replaces(const struct drawing *d, const char *how)
{
  const char *last = NULL;

  for (const char *at = d->gpu->text; (at = strstr(at, "replacement = ")); at++)
    last = at + strlen("replacement = ");
  return last && !strncmp(last, how, strlen(how));
}

bool draw_is_lru(const struct drawing *d) { return replaces(d, "lru"); }

void draw_outer_cache(struct drawing *d, bool l2)
{
  if (d->kind != DRAWN_PAGES)
    return;
  if ((replaces(d, "lru") || replaces(d, "plru")) && draw_chance(d, 0.25))
    draw_text(d, "insertion = %s %u\n", draw_chance(d, 0.5) ? "bip" : "dip", draw_power(d, 8, 64));
  if (l2 && draw_chance(d, 0.15))
    draw_text(d, "survives_launch = no\n");
}

/* Which SMs share the second TLB: those of a CPC of two or three TPCs, or all. From random numbers of
 * its own. */
static void draw_second_scope(struct drawing *d)
{
  const struct gc_random kept = d->random; /* whatever else is drawn does not change */

  gc_random_seed(&d->random, ~gc_random_next(&d->random));
  if (d->gpcs && draw_chance(d, 0.6))
    draw_text(d, "scope = gpc %u\n", 2 * draw_number(d, 2, 3));
  else
    draw_text(d, "scope = chip\n");
  d->random = kept;
}

/* Each further TLB reaches at least as far, and is shared by at least as many SMs. */
void draw_tlbs(struct drawing *d)
{
  unsigned entries, covers;

  if (d->kind != DRAWN_PAGES || draw_chance(d, 0.3))
    return;
  entries = draw_number(d, 8, 64);
  covers = draw_power(d, 64, 4096);
  draw_text(d, "\n[tlb L1TLB]\nentries = %u\ncovers = %u KiB\npenalty = %u\n", entries, covers,
            draw_number(d, 10, 120));
  if (draw_chance(d, 0.3) && d->sms > 1)
    draw_text(d, "scope = group 2\n");
  if (draw_chance(d, 0.3))
    return;
  draw_text(d,
            "\n[tlb L2TLB]\nentries = %u\nways = 8\ncovers = %u KiB\npenalty = %u\n",
            8 * draw_number(d, entries / 4 + 1, 128), covers << draw_number(d, 0, 5),
            draw_number(d, 50, 600));
  draw_second_scope(d);
}
