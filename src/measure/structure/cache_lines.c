/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The lines of a cache, from earlier results.
 */
#include "measure/structure/cache_lines.h"

#include "measure/walk/marks.h"

#include <errno.h>
#include <math.h>

#define CLEAR 1.25 /* misses take at least this many times as long as hits */
#define SECTOR 32u /* if it is not known: no cache has smaller ones */

bool gc_cache_lines_of_l1(const struct gc_measured *element)
{
  return element->kind != GC_L1 && element->shared_with & 1u << GC_L1;
}

const char *gc_cache_lines_find(const struct gc_measured *element, struct gc_cache_lines *lines)
{
  return gc_cache_lines_of_l1(element) ? GC_LINES_OF_L1 : gc_cache_lines_of_path(element, lines);
}

const char *gc_cache_lines_of_path(const struct gc_measured *element, struct gc_cache_lines *lines)
{
  const struct gc_level *level = &element->level;

  if (!gc_capacity(element))
    return "this needs the capacity, which is absent";
  if (!gc_found(element, GC_LINE))
    return "this needs the cache line, which is absent";
  if (gc_capacity(element) % element->line_bytes)
    return "the capacity is no whole number of lines";
  if (level->hit <= 0 || level->miss < CLEAR * level->hit)
    return "loads that miss take hardly longer than loads that hit";
  lines->line = (uint32_t)element->line_bytes;
  lines->lines = (uint32_t)(gc_capacity(element) / element->line_bytes);
  lines->sector = gc_found(element, GC_FETCH) ? (uint32_t)element->fetch_bytes : SECTOR;
  if (lines->sector > lines->line)
    lines->sector = lines->line;
  lines->miss = level->miss;
  lines->threshold = sqrt(level->hit * level->miss);
  return NULL;
}

const char *gc_cache_lines_late(const struct gc_measured *element)
{
  return !element->timed_alone  ? "how many loads that hit take as long as misses is not known"
         : element->late >= 0.5 ? "most loads that hit take as long as misses"
                                : NULL;
}

int gc_cache_lines_prepare(struct gc_bench *bench, const struct gc_path *path)
{
  int status = 0;

  if (path->space != GC_ADDRESS_CONSTANT &&
      !(status = bench->ops->carveout(bench->device, path->chase, 0, bench->err)))
    status = bench->ops->carveout(bench->device, path->marks, 0, bench->err);
  return status == -ENOTSUP ? 0 : status;
}
