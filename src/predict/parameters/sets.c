/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The model itself shows which curve sets have: random lines fill it, as in the measurement
 * (doc/methods.md, "Sets and replacement").
 */
#include "predict/parameters/sets.h"

#include "predict/model/lines.h"

#include <math.h>

#define POINTS_LEAST 4 /* of a curve: two values are looked for */
#define LINES_MOST 65536
#define SAMPLES 4096 /* for each point; a standard error of 0.008 */
#define WAYS_LEAST                                                                                 \
  2              /* random lines in sets of one way survive like those in a cache with random      \
                    replacement */
#define LIMITS 4 /* steps between the lines of the capacity and those of all tags */
#define ADDRESS_BITS ((UINT64_C(1) << 48) - 1)
#define ERROR_MOST 0.05 /* root mean square; the standard error of a measured point */

/* Random lines are all different; the model sees each of them once. */
static uint64_t random_line(uint64_t i)
{
  return gc_mix(i + 1) >> 8;
}

static uint32_t set_of_random(const struct gc_cache_geometry *geometry, uint64_t i)
{
  return (uint32_t)gc_mix(~i) % geometry->sets;
}

/* The root mean square difference between the curve and that of these sets; INFINITY: no memory. */
static double difference(const struct gc_cache_geometry *geometry)
{
  const uint64_t most = (uint64_t)geometry->fills[geometry->survival_count - 1];
  const uint64_t warm = 4 * (uint64_t)geometry->sets * geometry->ways + most;
  uint64_t alive[GC_SURVIVAL_POINTS] = {0};
  struct gc_lines lines;
  double squares = 0;

  if (gc_lines_init(&lines, geometry, false, 1))
    return INFINITY;
  for (uint64_t i = 0; i < warm + SAMPLES; i++) {
    gc_lines_add(&lines, set_of_random(geometry, i), random_line(i)); /* LRU: never NULL */
    for (uint32_t k = 0; i >= warm && k < geometry->survival_count; k++) {
      const uint64_t before = i - (uint64_t)geometry->fills[k];

      alive[k] +=
          gc_lines_find(&lines, set_of_random(geometry, before), random_line(before)) != NULL;
    }
  }
  gc_lines_fini(&lines);
  for (uint32_t k = 0; k < geometry->survival_count; k++)
    squares += pow((double)alive[k] / SAMPLES - geometry->survives[k], 2);
  return sqrt(squares / geometry->survival_count);
}

/* Each bit of the set is a bit of the line number, and any of the bits above. */
static void assume_masks(struct gc_cache_geometry *geometry)
{
  geometry->mask_count = (uint32_t)__builtin_ctz(geometry->sets);
  for (uint32_t i = 0; i < geometry->mask_count; i++) {
    const uint64_t above = gc_mix(i + 1) << geometry->mask_count;

    geometry->masks[i] = (above | UINT64_C(1) << i) * geometry->line_bytes & ADDRESS_BITS;
  }
}

/* Does the cache have the curve with any number of lines that have data? The curve may have been
 * measured at another carve-out: sets do not depend on it. */
static bool fits(struct gc_cache_geometry *geometry, uint64_t lines)
{
  const uint64_t tags = (uint64_t)geometry->sets * geometry->ways;
  bool found = false;

  for (uint64_t k = 0; k <= LIMITS && !found; k++) {
    geometry->limit = (uint32_t)(lines + (tags - lines) * k / LIMITS);
    found = difference(geometry) < ERROR_MOST;
  }
  geometry->limit = (uint32_t)lines;
  return found;
}

/* Sets that the tags of this many lines make, with no more ways than needed; 0: there are none. */
static uint32_t sets_of(uint64_t lines, uint32_t ways)
{
  uint32_t sets = 1;

  while ((uint64_t)sets * ways < lines)
    sets *= 2;
  return (uint64_t)sets * (ways - 1) < lines ? sets : 0;
}

/* Chooses the geometry with the fewest tags among those that fit. */
bool gc_sets_from_curve(struct gc_cache_geometry *geometry, uint64_t lines)
{
  struct gc_cache_geometry best = *geometry;
  uint64_t fewest = UINT64_MAX;

  if (geometry->survival_count < POINTS_LEAST || lines < GC_LINES_SCAN || lines > LINES_MOST ||
      geometry->fills[geometry->survival_count - 1] > (double)(16 * lines))
    return false;
  for (uint32_t ways = WAYS_LEAST; ways <= GC_LINES_SCAN; ways++) {
    struct gc_cache_geometry tried = *geometry;

    tried.policy = GC_POLICY_LRU;
    tried.ways = ways;
    tried.sets = sets_of(lines, ways);
    if (!tried.sets || (uint64_t)tried.sets * ways >= fewest || !fits(&tried, lines))
      continue;
    fewest = (uint64_t)tried.sets * ways;
    best = tried;
  }
  if (fewest == UINT64_MAX)
    return false;
  assume_masks(&best);
  *geometry = best;
  return true;
}
