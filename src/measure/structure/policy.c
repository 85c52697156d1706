/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Replacement policies, and what a policy's victims have in common.
 */
#include "measure/structure/policy.h"

#include <math.h>
#include <string.h>

#define NONE UINT32_MAX
#define CYCLE 4     /* repetitions of an order after which a policy is in the same state, at most */
#define REPEATS 0.9 /* of the misses in either of two repetitions: those in both */
#define SIGMAS 5    /* of chi-squared, by which counts may differ more than on average */

/* A set that follows a policy. */
struct set {
  enum gc_replaces policy;
  uint32_t ways, filled;
  uint32_t line[GC_POLICY_WAYS_MAX];
  uint32_t way[GC_POLICY_WAYS_MAX + 1]; /* of each line, counted from 1; 0: it is absent */
  uint64_t used[GC_POLICY_WAYS_MAX];    /* when it was used last; FIFO: when it came in */
  bool kept[GC_POLICY_WAYS_MAX];        /* SLRU: protected, because it was hit */
  bool right[2 * GC_POLICY_WAYS_MAX];   /* PLRU: for each node of the tree, which half is older */
  uint64_t now;
};

/* The way used least recently, of those that are kept or not. NONE: there is none. */
static uint32_t oldest(const struct set *set, bool kept)
{
  uint32_t old = NONE;

  for (uint32_t way = 0; way < set->filled; way++)
    if (set->kept[way] == kept && (old == NONE || set->used[way] < set->used[old]))
      old = way;
  return old;
}

static uint32_t victim(const struct set *set)
{
  uint32_t node = 1;

  if (set->policy != GC_REPLACES_PLRU)
    return oldest(set, false); /* no more than half of the ways are kept */
  while (node < set->ways)
    node = 2 * node + set->right[node];
  return node - set->ways;
}

static void touch(struct set *set, uint32_t way)
{
  uint32_t node = 1;

  set->used[way] = ++set->now;
  for (uint32_t half = set->policy == GC_REPLACES_PLRU ? set->ways / 2 : 0; half; half /= 2) {
    const bool in_right = way & half;

    set->right[node] = !in_right;
    node = 2 * node + in_right;
  }
}

/* SLRU: a line that was hit is kept. If these are more than half, the oldest of them becomes the
 * newest of the others. */
static void keep(struct set *set, uint32_t way)
{
  uint32_t kept = 0;

  set->kept[way] = true;
  for (uint32_t i = 0; i < set->filled; i++)
    kept += set->kept[i];
  if (kept > set->ways / 2) {
    const uint32_t old = oldest(set, true);

    set->kept[old] = false;
    set->used[old] = ++set->now;
  }
}

/* Returns whether the line was present. */
static bool load(struct set *set, uint32_t line)
{
  const bool hit = set->way[line];
  uint32_t way = hit ? set->way[line] - 1 : NONE;

  if (!hit && set->filled < set->ways) {
    way = set->filled++;
  } else if (!hit) {
    way = victim(set);
    set->way[set->line[way]] = 0;
  }
  if (!hit) {
    set->line[way] = line;
    set->way[line] = way + 1;
    set->kept[way] = false;
  }
  if (!hit || set->policy != GC_REPLACES_FIFO)
    touch(set, way);
  if (hit && set->policy == GC_REPLACES_SLRU)
    keep(set, way);
  return hit;
}

double gc_policy_agrees(enum gc_replaces policy, const struct gc_set_loads *loads)
{
  const size_t settled = 2 * (size_t)(loads->ways + 1);
  struct set set = {.policy = policy, .ways = loads->ways};
  uint64_t both = 0, any = 0;

  if (policy == GC_REPLACES_PLRU && loads->ways & (loads->ways - 1))
    return 0;
  for (size_t i = 0; i < loads->loads; i++) {
    const bool hit = load(&set, loads->order[i % loads->period]);

    if (i < settled || loads->seen[i] == GC_EITHER)
      continue;
    both += !hit && loads->seen[i] == GC_MISS;
    any += !hit || loads->seen[i] == GC_MISS;
  }
  return any ? (double)both / (double)any : 0;
}

bool gc_policy_repeats(const struct gc_set_loads *loads)
{
  for (size_t shift = loads->period; shift <= CYCLE * loads->period; shift += loads->period) {
    uint64_t both = 0, any = 0;

    for (size_t i = loads->loads / 2; i + shift < loads->loads; i++) {
      const bool now = loads->seen[i] == GC_MISS, later = loads->seen[i + shift] == GC_MISS;

      both += now && later;
      any += now || later;
    }
    if (any && (double)both >= REPEATS * (double)any)
      return true;
  }
  return false;
}

/* How many lines were used after this one. */
static uint32_t age_of(const uint64_t *used, uint32_t lines, uint32_t line, uint32_t absent)
{
  uint32_t age = 0;

  for (uint32_t i = 0; i < lines; i++)
    age += i != absent && used[i] > used[line];
  return age;
}

/* The line that came in last took the way of the line that is now absent. Which one that is shows
 * when it misses. */
void gc_victims_add(struct gc_victims *victims, const struct gc_set_loads *loads)
{
  const uint32_t lines = loads->ways + 1;
  uint32_t way[GC_POLICY_WAYS_MAX + 1] = {0}, last = NONE;
  uint64_t used[GC_POLICY_WAYS_MAX + 1] = {0}, then[GC_POLICY_WAYS_MAX + 1] = {0};

  for (size_t i = 0; i < loads->loads; i++) {
    const uint32_t line = loads->order[i % loads->period];

    if (i < loads->ways)
      way[line] = (uint32_t)i;
    if (loads->seen[i] == GC_EITHER || (i < lines && loads->seen[i] != GC_MISS))
      return;
    if (loads->seen[i] == GC_MISS && i >= loads->ways) {
      if (line == last)
        return; /* it had just come in */
      if (last != NONE) {
        way[last] = way[line];
        victims->by_way[way[line]]++;
        victims->by_age[age_of(then, lines, line, last)]++;
        victims->n++;
      }
      last = line;
      memcpy(then, used, sizeof(then)); /* before this load */
    }
    used[line] = i + 1;
  }
}

bool gc_counts_alike(const uint64_t *counts, uint32_t n)
{
  double sum = 0, chi = 0;

  for (uint32_t i = 0; i < n; i++)
    sum += (double)counts[i];
  for (uint32_t i = 0; i < n && sum > 0; i++)
    chi += pow((double)counts[i] - sum / n, 2) * n / sum;
  return chi <= n - 1 + SIGMAS * sqrt(2.0 * (n - 1)) + SIGMAS;
}
