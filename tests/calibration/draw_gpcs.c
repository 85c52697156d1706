/* SPDX-License-Identifier: BSD-3-Clause */
#include "drawing.h"

#define CHANCE 0.9 /* of NVIDIA GPUs with an even number of SMs */
#define GPCS_MAX 9

/* Which GPC each TPC is in: they take turns, as on real GPUs, or each has adjacent ones. Some GPCs
 * have fewer TPCs than others. */
static void draw_tpcs(struct drawing *d, unsigned gpcs, unsigned tpcs, unsigned *of)
{
  const bool turns = draw_chance(d, 0.7);
  unsigned most[GPCS_MAX], left = tpcs;

  for (unsigned g = 0; g < gpcs; g++) {
    const unsigned even = left / (gpcs - g), less = even > 3 ? draw_number(d, 0, 2) : 0;

    most[g] = g + 1 < gpcs ? even - less : left;
    left -= most[g];
  }
  for (unsigned t = 0, g = 0; t < tpcs; t++) {
    while (!most[g])
      g = (g + 1) % gpcs;
    most[g]--;
    of[t] = g;
    if (turns)
      g = (g + 1) % gpcs;
  }
}

/* The last TPCs of some GPUs take no large clusters. Returns the SMs of the largest cluster that some
 * GPC takes. */
static unsigned draw_lone(struct drawing *d, unsigned gpcs, unsigned tpcs, const unsigned *of)
{
  const double chance = d->kind == DRAWN_HIERARCHY ? 0.2 : 0.4;
  const unsigned lone = draw_chance(d, chance) && tpcs > 2 * gpcs ? draw_number(d, 1, gpcs) : 0;
  unsigned sms[GPCS_MAX] = {0}, most = 0;

  for (unsigned t = 0; t < tpcs - lone; t++) {
    sms[of[t]] += 2;
    most = sms[of[t]] > most ? sms[of[t]] : most;
  }
  if (lone)
    draw_text(d, "lone_tpcs = %u-%u\n", 2 * (tpcs - lone), 2 * tpcs - 1);
  return most;
}

void draw_gpcs(struct drawing *d)
{
  const struct gc_random kept = d->random; /* whatever else is drawn does not change */
  const bool hierarchy = d->kind == DRAWN_HIERARCHY;
  const unsigned tpcs = d->sms / 2;
  unsigned of[256], gpcs, most, blocks = 2;
  bool clusters;

  gc_random_seed(&d->random, ~gc_random_next(&d->random));
  if (d->sms % 2 == 0 && tpcs >= 2 && (draw_chance(d, CHANCE) || hierarchy)) {
    gpcs = draw_number(d, hierarchy ? 2 : 1, tpcs / 2 < GPCS_MAX ? tpcs / 2 : GPCS_MAX);
    draw_tpcs(d, gpcs, tpcs, of);
    draw_text(d, "gpcs = ");
    for (unsigned g = 0; g < gpcs; g++) {
      draw_text(d, g ? "," : "");
      for (unsigned t = 0; t < tpcs; t++)
        if (of[t] == g)
          draw_text(d, " %u-%u", 2 * t, 2 * t + 1);
    }
    draw_text(d, "\n");
    most = draw_lone(d, gpcs, tpcs, of);
    while (2 * blocks <= most && blocks < 16 && draw_chance(d, hierarchy ? 0.95 : 0.8))
      blocks *= 2;
    d->gpcs = gpcs;
    clusters = draw_chance(d, 0.85);
    d->cpc_sms = clusters ? d->cpc_sms : 0; /* GPUs without clusters have no groups between */
    if (clusters)
      draw_text(d, "cluster_blocks = %u\ncluster_remote = %u %u\n", blocks, draw_number(d, 60, 400),
                draw_number(d, 0, 30));
    d->gpc_constant = draw_chance(d, hierarchy ? 0.85 : 0.6);
    d->gpc_sides = draw_number(d, hierarchy, (1u << gpcs) - 1 - hierarchy);
    d->gpc_parts = draw_chance(d, hierarchy ? 0.8 : 0.6);
  }
  d->random = kept;
}
