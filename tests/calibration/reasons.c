/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Is the reason for an absent capacity true? A reason that speaks of hits and misses says something
 * about the GPU, and the model knows it.
 */
#include "court.h"

#include <math.h>
#include <string.h>

#define SPREAD 1.25   /* levels that differ by less count as the same (capacity/search_state.h) */
#define L2_SHARE 0.75 /* the same for loads that may come from L2 (capacity/search.c) */
#define SMALLEST_L15 8192 /* smallest array of the search for a constant L1.5 */
#define SLOTS_APART 64u   /* bytes between its slots: loads hit a constant L1 with longer sectors */
/* Share of slow loads, and jitter as a share of the latency, from which on slow loads are to be
 * expected where nothing misses: the method tolerates outliers of one in a hundred loads. */
#define MANY_OUTLIERS 0.003
#define MUCH_JITTER 0.05

static double cycles(const struct court *court, const struct court_case *c, unsigned level)
{
  return gc_model_true_latency(court->model, c->space, level);
}

static bool alike_or_all_fit(const struct court *court, const struct court_case *c)
{
  const double truth = (double)gc_model_true_level(court->model, c->space, c->level);

  return cycles(court, c, c->level + 1) <= SPREAD * cycles(court, c, c->level) + 8 ||
         truth >= 1024 * 1024;
}

/* May loads of small arrays be slow? Caches that do not replace the least recently used line lose
 * lines before they are full. */
static bool slow_loads_exist(const struct court *court, const struct court_case *c)
{
  const struct gc_profile_path *path = &court->profile.paths[c->space];
  bool slow = court->profile.disturbance.outlier_rate > MANY_OUTLIERS || court->gpu->drift > 0;

  for (unsigned level = 0; level < path->count; level++) {
    const struct gc_profile_level *l = &path->levels[level];

    slow |= l->jitter > MUCH_JITTER * l->cycles;
    /* loads wait for translations, or lines are lost before the cache is full */
    slow |= l->cache != GC_PROFILE_MEMORY &&
            court->profile.caches[l->cache].scope >= GC_SCOPE_XCD &&
            (court->profile.tlb_count ||
             court->profile.caches[l->cache].shape.insertion != GC_INSERT_YOUNGEST);
    slow |= l->cache != GC_PROFILE_MEMORY &&
            (court->profile.caches[l->cache].shape.replacement != GC_REPLACE_LRU ||
             court->profile.caches[l->cache].partitions > 1);
  }
  return slow;
}

static bool hit_the_cache_before(const struct court *court, const struct court_case *c)
{
  const struct gc_profile_cache *before;

  if (!c->level)
    return false;
  before = &court->profile.caches[court->profile.paths[c->space].levels[c->level - 1].cache];
  return gc_model_true_level(court->model, c->space, c->level - 1) >= SMALLEST_L15 ||
         before->shape.sector > SLOTS_APART;
}

/* Loads that miss come from L2, too, if the cache loses lines before it is full. */
static bool as_slow_as_l2(const struct court *court, const struct court_case *c)
{
  return !c->cache || c->cache->scope >= GC_SCOPE_XCD || slow_loads_exist(court, c) ||
         cycles(court, c, c->level) >
             L2_SHARE * gc_model_true_latency(court->model, GC_SPACE_CG, 0);
}

static bool other_sets_than_l1(const struct court *court, const struct court_case *c)
{
  return !court_sets_of_l1(court, c);
}

static const struct reason {
  const char *part; /* of the sentence */
  bool (*holds)(const struct court *court, const struct court_case *c);
} reasons[] = {
    {"take equally long", alike_or_all_fit},
    {"is as slow as misses", slow_loads_exist},
    {"vary as much as if some of them missed", slow_loads_exist},
    {"vary too much to tell whether there are misses", slow_loads_exist},
    {"slow already at the smallest size", slow_loads_exist},
    {"slow loads come and go", slow_loads_exist},
    {"still hit the cache before this one", hit_the_cache_before},
    {"as long as in L2 at all sizes", as_slow_as_l2},
    {"and the same sets", court_sets_of_l1},
    {"the sets are not those of L1Cache", other_sets_than_l1},
};

bool reason_is_false(const struct court *court, const struct court_case *c, const char *why)
{
  if (court->gpu->class == DRAWN_NOISE) /* latencies there have nothing to do with hits */
    return false;
  for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
    if (strstr(why, reasons[i].part))
      return !reasons[i].holds(court, c);
  return false;
}
