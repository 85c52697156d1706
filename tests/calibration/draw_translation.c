/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * TLBs like those of real GPUs, for the kind DRAWN_HIERARCHY: a first level of an SM or a TPC, and a
 * second one that a CPC, a GPC, an SM or the chip shares. Some contradict the constant L1.5: other
 * parts of a GPC share it.
 */
#include "drawing.h"

#define MIB_LEAST 2 /* that an entry covers */
#define MIB_MOST 64
#define WAYS 8 /* of a second TLB */
#define SETS_MOST 64u /* of different sizes, */
#define SET_MEAN 100  /* their mean size, at most, */
#define SET_MOST 192u /* and the largest one */

/* Sets of different sizes that have so many entries together: one is larger, as on Kepler (Mei and
 * Chu 2017: 17 and six times 8), or all differ. From random numbers of its own. */
static bool draw_unequal_sets(struct drawing *d, unsigned entries)
{
  struct drawing own = *d;
  unsigned most, sets, rest = entries, size[SETS_MOST], sum = 0;
  bool one;

  gc_random_seed(&own.random, gc_random_next(&own.random));
  if (!d->unusual || !draw_chance(&own, 0.5))
    return false;
  one = draw_chance(&own, 0.5);
  most = entries / 4 < SETS_MOST ? entries / 4 : SETS_MOST;
  sets = draw_number(&own, 2, most > 2 ? most : 2);
  while (sets < SETS_MOST && entries > sets * SET_MEAN)
    sets++;
  for (unsigned i = 0; i < sets; i++)
    sum += size[i] = one ? 8 + 8 * !i : draw_number(&own, 8, 16);
  for (unsigned i = 1; i < sets; i++)
    rest -= size[i] = size[i] * entries / sum;
  size[0] = rest;
  if (rest > SET_MOST)
    return false;
  draw_text(d, "sets =");
  for (unsigned i = 0; i < sets; i++)
    draw_text(d, " %u", size[i]);
  draw_text(d, "\n");
  return true;
}

/* Returns its entries; *covers: MiB of each. */
static unsigned draw_first(struct drawing *d, unsigned *covers)
{
  const unsigned entries = draw_chance(d, 0.5) ? draw_power(d, 8, 64) : draw_number(d, 8, 64);

  *covers = draw_power(d, MIB_LEAST, 32);
  draw_text(d, "\n[tlb L1TLB]\nentries = %u\ncovers = %u MiB\npenalty = %u\n", entries, *covers,
            (unsigned)draw_scaled(d, 8, 120));
  draw_unequal_sets(d, entries);
  if (draw_chance(d, 0.35))
    draw_text(d, "scope = group 2\n"); /* a TPC */
  return entries;
}

/* As many SMs of a GPC as those of a CPC, but not so many. */
static unsigned draw_other_part(struct drawing *d)
{
  const unsigned sms = 2 * draw_number(d, 2, 4);

  return sms == d->cpc_sms ? sms + 2 : sms;
}

static void draw_scope(struct drawing *d)
{
  const double p = draw_share(d);

  if (p < 0.6 && d->cpc_sms)
    draw_text(d, "scope = gpc %u\n", d->cpc_sms);
  else if (p >= 0.6 && p < 0.7)
    draw_text(d, "scope = gpc %u\n", draw_other_part(d));
  else if (p < 0.8)
    draw_text(d, "scope = gpc\n");
  else if (p < 0.9)
    draw_text(d, "scope = chip\n");
}

/* Its entries cover at least as much as those of the first one, and mostly are many more. It reaches
 * further, but not beyond the memory. Some misses cost as little as those of a first level. */
static void draw_second(struct drawing *d, unsigned first_entries, unsigned first_covers)
{
  const unsigned most = d->memory_gib * 1024; /* MiB */
  const bool power = draw_chance(d, 0.6), few = draw_chance(d, 0.1);
  unsigned sets = power ? draw_power(d, 8, 256) : (unsigned)draw_scaled(d, 8, 256);
  unsigned covers = first_covers << draw_number(d, 0, 3);

  while (covers > MIB_MOST || (covers > first_covers && sets * WAYS * covers > most))
    covers /= 2;
  while (sets * WAYS * covers < 2 * first_entries * first_covers ||
         (!few && sets * WAYS < 4 * first_entries))
    sets *= 2;
  while (sets * WAYS * covers > most)
    sets /= 2;
  draw_text(d, "\n[tlb L2TLB]\nentries = %u\ncovers = %u MiB\npenalty = %u\n", sets * WAYS, covers,
            (unsigned)(draw_chance(d, 0.8) ? draw_between(d, 60, 600) : draw_scaled(d, 8, 60)));
  if (!draw_unequal_sets(d, sets * WAYS))
    draw_text(d, "ways = %u\n", WAYS);
  draw_scope(d);
}

void draw_translation(struct drawing *d)
{
  const struct gc_random kept = d->random; /* whatever else is drawn does not change */
  unsigned entries, covers;

  gc_random_seed(&d->random, ~gc_random_next(&d->random));
  if (d->kind == DRAWN_HIERARCHY && draw_chance(d, 0.85)) {
    entries = draw_first(d, &covers);
    if (draw_chance(d, 0.9))
      draw_second(d, entries, covers);
  }
  d->random = kept;
}
