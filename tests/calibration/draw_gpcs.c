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

/* Some TPCs of some GPUs take no large clusters: the last ones, or, of the kind DRAWN_HIERARCHY, any.
 * Returns the SMs of the largest cluster that some GPC takes. */
static unsigned draw_lone(struct drawing *d, unsigned gpcs, unsigned tpcs, const unsigned *of)
{
  const bool anywhere = d->kind == DRAWN_HIERARCHY;
  const bool some = draw_chance(d, anywhere ? 0.2 : 0.4) && tpcs > 2 * gpcs;
  const unsigned all = some ? draw_number(d, 1, gpcs) : 0;
  unsigned lone = all, sms[GPCS_MAX] = {0}, most = 0;

  d->lone = all;
  if (all)
    draw_text(d, "lone_tpcs =");
  for (unsigned t = 0; t < tpcs; t++) {
    const unsigned left = tpcs - t;

    if (lone && (lone == left || (anywhere && draw_chance(d, (double)lone / left)))) {
      if (anywhere)
        draw_text(d, " %u-%u", 2 * t, 2 * t + 1);
      lone--;
      continue;
    }
    sms[of[t]] += 2;
    most = sms[of[t]] > most ? sms[of[t]] : most;
  }
  if (all && !anywhere)
    draw_text(d, " %u-%u", 2 * (tpcs - all), 2 * tpcs - 1);
  if (all)
    draw_text(d, "\n");
  return most;
}

void draw_gpcs(struct drawing *d)
{
  const struct gc_random kept = d->random; /* whatever else is drawn does not change */
  const bool hierarchy = d->kind == DRAWN_HIERARCHY;
  const unsigned tpcs = d->sms / 2;
  unsigned of[256], gpcs = tpcs / (hierarchy ? 3 : 2), most, blocks = 2; /* gpcs: most of them */
  bool clusters;

  gc_random_seed(&d->random, ~gc_random_next(&d->random));
  if (d->sms % 2 == 0 && tpcs >= 2 && (draw_chance(d, CHANCE) || hierarchy)) {
    gpcs = draw_number(d, hierarchy ? 2 : 1, gpcs < GPCS_MAX ? gpcs : GPCS_MAX);
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
    while (2 * blocks <= most && blocks < 16 && draw_chance(d, hierarchy ? 0.97 : 0.8))
      blocks *= 2;
    d->gpcs = gpcs;
    clusters = draw_chance(d, hierarchy ? 0.92 : 0.85);
    d->cpc_sms = clusters ? d->cpc_sms : 0; /* GPUs without clusters have no groups between */
    if (clusters)
      draw_text(d, "cluster_blocks = %u\ncluster_remote = %u %u\n", blocks, draw_number(d, 60, 400),
                draw_number(d, 0, 30));
    d->gpc_constant = draw_chance(d, !hierarchy ? 0.6 : d->lone ? 0.95 : 0.85);
    d->gpc_whole = d->gpc_whole || (hierarchy && d->lone && draw_chance(d, 0.7));
    d->gpc_sides = draw_number(d, hierarchy, (1u << gpcs) - 1 - hierarchy);
    d->gpc_parts = draw_chance(d, hierarchy ? 0.8 : 0.6);
  }
  d->random = kept;
}
