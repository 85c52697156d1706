/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Checks what is reported about sets and replacement, by running the caches of the profile.
 */
#include "court.h"

#include "model/cache.h"
#include "model/walk.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHARE_ERROR 0.03 /* of the replacements of a way */
#define CURVE_ERROR 0.15 /* three standard errors of 100 loads */
#define MISSES_SHARE 0.1
#define MISSES_ERROR 0.1
#define WARM_PASSES 32
#define PASSES 400
#define SAMPLES 2000
#define SAMPLES_L2 500
#define SPAN 32      /* capacities of addresses of random lines */
#define CHECKED 8192 /* lines whose sets are compared */

/* A cache may have sets for more lines than it holds. */
static uint32_t sets_of(const struct court *court, const struct court_case *c)
{
  const struct gc_cache_shape *shape = &c->cache->shape;
  const uint64_t bytes =
      c->cache->tags ? c->cache->tags : gc_model_true_level(court->model, c->space, c->level);

  return (uint32_t)(bytes / (shape->line * shape->ways));
}

static uint32_t lines_of(const struct court *court, const struct court_case *c)
{
  return (uint32_t)(gc_model_true_level(court->model, c->space, c->level) / c->cache->shape.line);
}

/* A cache of its own as the model has it. */
static void init_cache(const struct court *court, const struct court_case *c, struct gc_cache *cache)
{
  if (gc_cache_init(cache, &c->cache->shape, sets_of(court, c)))
    abort();
  if (c->cache->tags > gc_model_true_level(court->model, c->space, c->level))
    gc_cache_limit(cache, lines_of(court, c));
}

static bool exists(const struct court *court, const struct court_case *c)
{
  return c->cache && court->gpu->class != DRAWN_NOISE;
}

bool judge_sets(const struct court *court, struct court_case *c)
{
  if (exists(court, c))
    snprintf(c->truth, sizeof(c->truth), "%u", sets_of(court, c));
  return !strcmp(c->reported, c->truth);
}

bool judge_ways(const struct court *court, struct court_case *c)
{
  if (exists(court, c))
    snprintf(c->truth, sizeof(c->truth), "%u", c->cache->shape.ways);
  return !strcmp(c->reported, c->truth);
}

/* The number of the set that masks ("0x80,0x100") give an address. */
static uint64_t masked(const char *masks, uint64_t address)
{
  uint64_t set = 0;

  for (unsigned bit = 0; *masks; bit++) {
    char *end;

    set |= (uint64_t)__builtin_parityll(strtoull(masks, &end, 16) & address) << bit;
    masks = *end ? end + 1 : end;
  }
  return set;
}

/* The set of an address that is loaded through this path. */
static uint32_t set_of(const struct court *court, const struct court_case *c,
                       const struct gc_cache *cache, uint64_t address)
{
  return gc_cache_set(cache, gc_walk_first(&court->profile.paths[c->space], address));
}

/* Lines are in the same set of the model exactly if the masks say so. */
static bool same_sets(const struct court *court, const struct court_case *c,
                      const struct gc_cache *cache, uint64_t stride, uint64_t tested)
{
  uint32_t *set = malloc(cache->sets * sizeof(*set));
  bool same = true;

  memset(set, 0xff, cache->sets * sizeof(*set));
  for (uint64_t i = 0; i < CHECKED && same; i++) {
    const uint64_t address = i * stride & (tested - 1), number = masked(c->reported, address);

    same = number < cache->sets;
    if (same && set[number] == UINT32_MAX)
      set[number] = set_of(court, c, cache, address);
    same = same && set[number] == set_of(court, c, cache, address);
  }
  free(set);
  return same;
}

/* The addresses that masks are right for. Higher bits of L1's are tested (address_bits.c), others
 * are not. */
static uint64_t tested_by(const struct court_case *c)
{
  uint64_t all = 1;

  for (const char *masks = c->reported; *masks;) {
    char *end;

    all |= strtoull(masks, &end, 16);
    masks = *end ? end + 1 : end;
  }
  return c->element->kind == GC_L1 ? 1ull << 40 : 2ull << (63 - __builtin_clzll(all));
}

bool judge_masks(const struct court *court, struct court_case *c)
{
  const uint64_t tested = tested_by(c);
  struct gc_cache cache;
  bool same;

  if (!exists(court, c))
    return false;
  snprintf(c->truth, sizeof(c->truth), "the sets of the model");
  init_cache(court, c, &cache);
  same = same_sets(court, c, &cache, c->cache->shape.line, tested) &&
         (c->space == GC_SPACE_CONSTANT ||
          (same_sets(court, c, &cache, (1u << 20) / 64 + c->cache->shape.line, tested) &&
           same_sets(court, c, &cache, (1ull << 36) / CHECKED + c->cache->shape.line, tested)));
  gc_cache_fini(&cache);
  return same;
}

bool court_sets_of_l1(const struct court *court, const struct court_case *c)
{
  uint32_t *other;
  struct gc_cache cache;
  bool same = true;

  if (!c->cache || !gc_model_true_shared(court->model, GC_SPACE_CA, c->space))
    return false;
  init_cache(court, c, &cache);
  other = malloc(cache.sets * sizeof(*other));
  memset(other, 0xff, cache.sets * sizeof(*other));
  for (uint64_t i = 0; i < CHECKED && same; i++) {
    const uint64_t address = i * c->cache->shape.line;
    const uint32_t set = gc_cache_set(&cache, address), number = set_of(court, c, &cache, address);

    other[set] = other[set] == UINT32_MAX ? number : other[set];
    same = other[set] == number;
  }
  free(other);
  gc_cache_fini(&cache);
  return same;
}

bool judge_address(const struct court *court, struct court_case *c)
{
  if (exists(court, c))
    snprintf(c->truth, sizeof(c->truth), "virtual");
  return !strcmp(c->reported, c->truth);
}

static bool equal_weights(const struct gc_cache_shape *shape)
{
  for (uint32_t way = 1; way < shape->ways; way++)
    if (shape->weights[way] != shape->weights[0])
      return false;
  return true;
}

static const char *name_of(const struct gc_cache_shape *shape)
{
  switch (shape->replacement) {
  case GC_REPLACE_LRU:
    return "lru";
  case GC_REPLACE_SLRU:
    return "slru";
  case GC_REPLACE_PLRU:
    return shape->ways == 2 ? "lru" : "plru";
  case GC_REPLACE_RANDOM:
    return "random";
  case GC_REPLACE_WEIGHTED:
    return equal_weights(shape) && shape->redraw_every == 1 ? "random" : "other";
  }
  return "";
}

bool judge_replacement(const struct court *court, struct court_case *c)
{
  if (exists(court, c) && c->cache->shape.ways > 1)
    snprintf(c->truth, sizeof(c->truth), "%s", name_of(&c->cache->shape));
  return !strcmp(c->reported, c->truth);
}

bool judge_warp_order(const struct court *court, struct court_case *c)
{
  static const char *const names[] = {[GC_ORDER_OLDEST] = "oldest",
                                      [GC_ORDER_YOUNGEST] = "other",
                                      [GC_ORDER_IN_TURN] = "round-robin",
                                      [GC_ORDER_READY] = "ready"};
  const struct gc_profile_path *path = &court->profile.paths[GC_SPACE_CA];

  if (path->order)
    snprintf(c->truth, sizeof(c->truth), "%s", names[path->order]);
  return path->order && !strcmp(c->reported, c->truth);
}

bool judge_shares(const struct court *court, struct court_case *c)
{
  const char *text = c->reported;
  double sum = 0;
  bool right = *text;

  if (!exists(court, c) || c->cache->shape.replacement < GC_REPLACE_RANDOM || c->cache->shape.ways == 1)
    return false;
  for (uint32_t way = 0; way < c->cache->shape.ways; way++)
    sum += c->cache->shape.weights[way];
  for (uint32_t way = 0; way < c->cache->shape.ways; way++) {
    const double share = sum > 0 ? c->cache->shape.weights[way] / sum : 1.0 / c->cache->shape.ways;
    char *end;

    right = right && fabs(strtod(text, &end) - share) <= SHARE_ERROR;
    text = right && *end ? end + 1 : "";
    snprintf(c->truth + strlen(c->truth), sizeof(c->truth) - strlen(c->truth), "%s%.3f", way ? "," : "", share);
  }
  return right && !*text;
}

/* The next of some lines in random order; none comes twice. order: [n], a permutation. */
static uint64_t draw_other(uint32_t *order, uint32_t drawn, uint32_t n, struct gc_random *random)
{
  const uint32_t k = drawn + gc_random_below(random, n - drawn), line = order[k];

  order[k] = order[drawn];
  order[drawn] = line;
  return line;
}

/* The share of lines that survive `fills` later fills with random lines, none of which comes twice.
 */
static double survives(struct gc_cache *cache, uint64_t lines, uint64_t fills, struct gc_random *random)
{
  const struct gc_cache_shape *shape = cache->shape;
  const uint32_t all = (uint32_t)(SPAN * lines);
  const unsigned own = (unsigned)(lines / 16 ? lines / 16 : 1);
  uint64_t *mine = malloc(own * sizeof(*mine));
  uint32_t *order = malloc(all * sizeof(*order));
  unsigned alive = 0, n = 0;

  for (uint32_t i = 0; i < all; i++)
    order[i] = i;
  while (n < SAMPLES) {
    for (uint64_t i = 0; i < 3 * lines; i++)
      gc_cache_access(cache, (all + (uint64_t)gc_random_below(random, all)) * shape->line, random);
    for (unsigned i = 0; i < own; i++) {
      mine[i] = (uint64_t)gc_random_below(random, all) * shape->line;
      gc_cache_access(cache, mine[i], random);
    }
    for (uint64_t i = 0; i < fills; i++)
      gc_cache_access(
          cache, (2ull * all + draw_other(order, (uint32_t)i, all, random)) * shape->line, random);
    for (unsigned i = 0; i < own && n < SAMPLES; i++, n++)
      alive += gc_cache_access(cache, mine[i], random);
  }
  free(order);
  free(mine);
  return (double)alive / n;
}

/* The same for L2, with other lines in order. `faster`: a hit is faster than a miss by that. */
static double survives_in_l2(const struct court *court, uint32_t line, uint64_t lines, uint64_t fills,
                             double faster)
{
  const uint64_t apart = 13 * line, first = SAMPLES_L2 * apart, others = first + 2 * lines * line;
  uint32_t cold[SAMPLES_L2];
  unsigned alive = 0;

  for (int pass = 0; pass < 2; pass++)
    gc_model_touch_run(court->model, 0, GC_SPACE_CG, others, line, 4 * lines);
  for (unsigned i = 0; i < SAMPLES_L2; i++)
    cold[i] = gc_model_touch(court->model, 0, GC_SPACE_CG, i * apart);
  gc_model_touch_run(court->model, 0, GC_SPACE_CG, first, line, fills);
  for (unsigned i = 0; i < SAMPLES_L2; i++)
    alive += gc_model_touch(court->model, 0, GC_SPACE_CG, i * apart) + faster / 2 < cold[i];
  return (double)alive / SAMPLES_L2;
}

static bool judge_l2_curve(const struct court *court, struct court_case *c)
{
  const struct gc_profile_path *path = &court->profile.paths[GC_SPACE_CG];
  const uint32_t line = c->cache->shape.line;
  const uint64_t lines = gc_model_true_level(court->model, c->space, c->level) / line;
  const double faster = path->levels[c->level + 1].cycles - (double)path->levels[c->level].cycles;
  bool right = *c->reported;
  uint64_t fills;
  double share;
  int used;

  for (const char *text = c->reported; sscanf(text, "%lu:%lf%n", &fills, &share, &used) == 2;
       text += used + (text[used] == ',')) {
    const double truth = survives_in_l2(court, line, lines, fills, faster);

    right &= fabs(share - truth) <= CURVE_ERROR;
    snprintf(c->truth + strlen(c->truth), sizeof(c->truth) - strlen(c->truth), "%lu:%.2f ", fills, truth);
  }
  if (!*c->truth)
    snprintf(c->truth, sizeof(c->truth), "a curve");
  return right;
}

bool judge_curve(const struct court *court, struct court_case *c)
{
  struct gc_random random;
  struct gc_cache cache;
  bool right = *c->reported;
  uint64_t fills;
  double share;
  int used;

  if (!exists(court, c))
    return false;
  if (c->space == GC_SPACE_CG)
    return judge_l2_curve(court, c);
  gc_random_seed(&random, 1);
  init_cache(court, c, &cache);
  for (const char *text = c->reported; sscanf(text, "%lu:%lf%n", &fills, &share, &used) == 2;
       text += used + (text[used] == ',')) {
    const double truth = survives(&cache, lines_of(court, c), fills, &random);

    right &= fabs(share - truth) <= CURVE_ERROR;
    snprintf(c->truth + strlen(c->truth), sizeof(c->truth) - strlen(c->truth), "%lu:%.2f ", fills, truth);
  }
  if (!*c->truth)
    snprintf(c->truth, sizeof(c->truth), "a curve");
  gc_cache_fini(&cache);
  return right;
}

bool judge_excess(const struct court *court, struct court_case *c)
{
  const double reported = strtod(c->reported, NULL);
  struct gc_random random;
  struct gc_cache cache;
  uint64_t misses = 0, lines;
  double truth;

  if (!exists(court, c))
    return false;
  gc_random_seed(&random, 1);
  init_cache(court, c, &cache);
  lines = lines_of(court, c) + 1;
  for (unsigned pass = 0; pass < WARM_PASSES + PASSES; pass++)
    for (uint64_t i = 0; i < lines; i++)
      misses += !gc_cache_access(&cache, i * c->cache->shape.line, &random) && pass >= WARM_PASSES;
  gc_cache_fini(&cache);
  truth = (double)misses / PASSES;
  snprintf(c->truth, sizeof(c->truth), "%.1f", truth);
  return fabs(reported - truth) <= MISSES_ERROR + MISSES_SHARE * truth;
}
