/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * NUMA nodes of the host: draws up to three, and checks what was measured of them.
 */
#include "court.h"
#include "drawing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define HOSTS_MOST 3
#define RATE_SHARE 0.03 /* that a value may be wrong by */

/* A GPU that uses the page table of the host, which may have small pages. */
static void draw_host_tlb(struct drawing *d)
{
  struct drawing own = *d;

  gc_random_seed(&own.random, gc_random_next(&own.random) ^ 0x7061676573);
  if (!d->unusual || !draw_chance(&own, 0.5))
    return;
  draw_text(d, "[host_tlb]\nentries = %u\ncovers = %u KiB\npenalty = %u\n",
            draw_power(&own, 8, 128), draw_power(&own, 4, 2048),
            (unsigned)draw_scaled(&own, 50, 3000));
  if (draw_chance(&own, 0.5))
    draw_text(d, "scope = chip\n");
}

/* These come from random numbers of their own, so that everything else that is drawn stays. */
void draw_hosts(struct drawing *d)
{
  const struct gc_random others = d->random;
  struct drawing own = *d; /* for atomic operations */
  unsigned nodes;
  bool atomics;

  gc_random_seed(&own.random, gc_random_next(&own.random) ^ 0x61746f6d);
  atomics = draw_chance(&own, 0.5);
  gc_random_seed(&d->random, gc_random_next(&d->random) ^ 0x686f737473);
  draw_host_tlb(d);
  nodes = draw_number(d, d->integrated, HOSTS_MOST);
  for (unsigned i = 0; i < nodes; i++) {
    const double to = draw_scaled(d, 3, 400), from = to * draw_between(d, 0.7, 1.2);
    const double faster = to > from ? to : from;

    draw_text(d, "[host %u]\ndistance = %u\nlatency_ns = %u\n", i, draw_number(d, 10, 40),
              (unsigned)draw_scaled(d, 400, 3000));
    if (atomics)
      draw_text(d, "atomic_ns = %u\n", (unsigned)draw_scaled(&own, 400, 4000));
    draw_text(d, "read_gbps = %.3f\nwrite_gbps = %.3f\n", to * draw_between(d, 0.6, 1),
              from * draw_between(d, 0.6, 1));
    draw_text(d, "copy_to_gbps = %.3f\ncopy_from_gbps = %.3f\ncopy_both_gbps = %.3f\n", to, from,
              faster * draw_between(d, 1, 1.9));
    if (draw_chance(d, 0.1))
      draw_text(d, "full = yes\n");
  }
  d->random = others;
}

/* Every reported node must be right. Nodes may be missing. */
static bool judge(const struct court *court, struct court_case *c,
                  double (*truth_of)(const struct gc_model_host *host))
{
  const struct gc_model_facts *facts = &court->profile.facts;
  bool right = *c->reported;
  unsigned node;
  double value;
  int used;

  for (unsigned i = 0; i < facts->host_count; i++)
    if (!facts->hosts[i].full)
      snprintf(c->truth + strlen(c->truth), sizeof(c->truth) - strlen(c->truth), "%u:%.4g ",
               facts->hosts[i].node, truth_of(&facts->hosts[i]));
  for (const char *text = c->reported; sscanf(text, "%u:%lf%n", &node, &value, &used) == 2;
       text += used + (text[used] == ',')) {
    unsigned i = 0;

    while (i < facts->host_count && (facts->hosts[i].node != node || facts->hosts[i].full))
      i++;
    right &= i < facts->host_count &&
             fabs(value - truth_of(&facts->hosts[i])) <= RATE_SHARE * truth_of(&facts->hosts[i]);
  }
  return right;
}

#define JUDGE(name, member)                                                                        \
  static double name##_of(const struct gc_model_host *host)                                        \
  {                                                                                                \
    return host->member;                                                                           \
  }                                                                                                \
  bool judge_host_##name(const struct court *court, struct court_case *c)                          \
  {                                                                                                \
    return judge(court, c, name##_of);                                                             \
  }
JUDGE(read, read_gbps)
JUDGE(write, write_gbps)
JUDGE(copy_to, copy_to_gbps)
JUDGE(copy_from, copy_from_gbps)
JUDGE(copy_both, copy_both_gbps)
JUDGE(latency, latency_ns)
JUDGE(atomic, atomic_ns)
