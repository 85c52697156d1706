/*
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "predict/model/lines.h"

#include <errno.h>

int gc_lines_init(struct gc_lines *lines, const struct gc_cache_geometry *geometry,
                  bool fully_associative, uint64_t seed)
{
  const uint32_t count =
      geometry->limit ? geometry->limit : geometry->sets * geometry->ways; /* if there is one set */
  int status;

  memset(lines, 0, sizeof *lines);
  lines->geometry = geometry;
  lines->random = seed;
  lines->policy = fully_associative ? GC_POLICY_LRU : geometry->policy;
  lines->sets = fully_associative ? 1 : geometry->sets;
  lines->ways = fully_associative ? count : geometry->ways;
  lines->segmented = lines->policy == GC_POLICY_SLRU;
  lines->limit = fully_associative ? 0 : geometry->limit;
  if (lines->policy == GC_POLICY_SURVIVAL)
    status = gc_survival_init(lines);
  else if (lines->ways <= GC_LINES_SCAN)
    status = gc_few_ways_init(lines);
  else
    status = gc_many_ways_init(lines);
  if (status)
    gc_lines_fini(lines);
  else
    gc_lines_clear(lines);
  return status;
}

void gc_lines_fini(struct gc_lines *lines)
{
  free(lines->expires);
  free(lines->positions);
  free(lines->chains);
  free(lines->rings);
  gc_hash_index_fini(&lines->index);
  free(lines->heads);
  free(lines->lines);
  memset(lines, 0, sizeof *lines);
}

void gc_lines_clear(struct gc_lines *lines)
{
  if (lines->empty)
    return;
  lines->empty = true;
  lines->used = 0;
  if (lines->heads)
    gc_few_ways_clear(lines);
  else if (lines->rings)
    gc_many_ways_clear(lines);
  else
    gc_survival_clear(lines);
}
