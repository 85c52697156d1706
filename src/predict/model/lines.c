/*
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "predict/model/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int gc_lines_init(struct gc_lines *lines, const struct gc_cache_geometry *geometry,
                  bool fully_associative, uint64_t seed)
{
  size_t count = (size_t)geometry->sets * geometry->ways, buckets = 1;

  memset(lines, 0, sizeof *lines);
  lines->geometry = geometry;
  lines->random = seed;
  lines->policy = fully_associative ? GC_POLICY_LRU : geometry->policy;
  lines->sets = fully_associative ? 1 : geometry->sets;
  lines->ways = fully_associative ? (uint32_t)count : geometry->ways;
  if (lines->policy == GC_POLICY_SURVIVAL)
    return gc_survival_init(lines);
  lines->tags = malloc(count * sizeof *lines->tags);
  lines->lines = malloc(count * sizeof *lines->lines);
  lines->lists = malloc(lines->sets * sizeof *lines->lists);
  if (lines->ways > GC_LINES_SCAN) {
    while (buckets < count)
      buckets *= 2;
    lines->bucket_mask = (uint32_t)(buckets - 1);
    lines->buckets = malloc(buckets * sizeof *lines->buckets);
    lines->chain = malloc(count * sizeof *lines->chain);
  }
  if (!lines->tags || !lines->lines || !lines->lists ||
      (lines->ways > GC_LINES_SCAN && (!lines->buckets || !lines->chain))) {
    gc_lines_fini(lines);
    return -ENOMEM;
  }
  gc_lines_clear(lines);
  return 0;
}

void gc_lines_fini(struct gc_lines *lines)
{
  free(lines->chain);
  free(lines->buckets);
  free(lines->lists);
  free(lines->lines);
  free(lines->tags);
  memset(lines, 0, sizeof *lines);
}

void gc_lines_clear(struct gc_lines *lines)
{
  if (lines->empty)
    return;
  lines->empty = true;
  if (lines->policy == GC_POLICY_SURVIVAL) {
    gc_survival_clear(lines);
    return;
  }
  memset(lines->tags, 0, (size_t)lines->sets * lines->ways * sizeof *lines->tags);
  for (uint32_t set = 0; set < lines->sets; set++)
    lines->lists[set] = (struct gc_line_list){GC_NO_LINE, GC_NO_LINE, 0};
  if (lines->buckets)
    memset(lines->buckets, 0xff, ((size_t)lines->bucket_mask + 1) * sizeof *lines->buckets);
}

struct gc_line *gc_lines_find(struct gc_lines *lines, uint32_t set, uint64_t line)
{
  uint64_t tag = line + 1;

  if (lines->policy == GC_POLICY_SURVIVAL)
    return gc_survival_find(lines, line);
  if (lines->buckets) {
    uint32_t i = lines->buckets[gc_mix(line) & lines->bucket_mask];

    while (i != GC_NO_LINE && lines->tags[i] != tag)
      i = lines->chain[i];
    return i == GC_NO_LINE ? NULL : &lines->lines[i];
  }
  size_t first = (size_t)set * lines->ways;
  for (size_t i = first; i < first + lines->ways; i++)
    if (lines->tags[i] == tag)
      return &lines->lines[i];
  return NULL;
}

static void unlink_line(struct gc_lines *lines, struct gc_line_list *list, uint32_t i)
{
  const struct gc_line *line = &lines->lines[i];

  if (line->newer == GC_NO_LINE)
    list->newest = line->older;
  else
    lines->lines[line->newer].older = line->older;
  if (line->older == GC_NO_LINE)
    list->oldest = line->newer;
  else
    lines->lines[line->older].newer = line->newer;
}

static void link_newest(struct gc_lines *lines, struct gc_line_list *list, uint32_t i)
{
  lines->lines[i].newer = GC_NO_LINE;
  lines->lines[i].older = list->newest;
  if (list->newest == GC_NO_LINE)
    list->oldest = i;
  else
    lines->lines[list->newest].newer = i;
  list->newest = i;
}

void gc_lines_use(struct gc_lines *lines, uint32_t set, struct gc_line *line)
{
  if (lines->policy == GC_POLICY_SURVIVAL) {
    gc_survival_use(lines, line);
  } else if (lines->policy == GC_POLICY_LRU && line->newer != GC_NO_LINE) {
    uint32_t i = (uint32_t)(line - lines->lines);

    unlink_line(lines, &lines->lists[set], i);
    link_newest(lines, &lines->lists[set], i);
  }
}

static void unhash(struct gc_lines *lines, uint32_t i)
{
  uint32_t *link = &lines->buckets[gc_mix(lines->tags[i] - 1) & lines->bucket_mask];

  while (*link != i)
    link = &lines->chain[*link];
  *link = lines->chain[i];
}

struct gc_line *gc_lines_add(struct gc_lines *lines, uint32_t set, uint64_t line)
{
  struct gc_line_list *list;
  uint32_t i;

  lines->empty = false;
  if (lines->policy == GC_POLICY_SURVIVAL)
    return gc_survival_add(lines, line);
  list = &lines->lists[set];
  if (list->used < lines->ways) {
    i = set * lines->ways + list->used++;
  } else {
    i = lines->policy == GC_POLICY_RANDOM
            ? set * lines->ways + gc_draw_below(&lines->random, lines->ways)
            : list->oldest;
    unlink_line(lines, list, i);
    if (lines->buckets)
      unhash(lines, i);
  }
  lines->tags[i] = line + 1;
  link_newest(lines, list, i);
  if (lines->buckets) {
    uint32_t *bucket = &lines->buckets[gc_mix(line) & lines->bucket_mask];

    lines->chain[i] = *bucket;
    *bucket = i;
  }
  lines->lines[i].sectors = lines->lines[i].pending = 0;
  lines->lines[i].arrival = 0;
  return &lines->lines[i];
}
