/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/sample.h"

#include <stdlib.h>
#include <string.h>

#define BUCKETS 1024

static struct gc_launch_kind *kinds[BUCKETS];
static struct gc_launch_kind *last; /* of the last launch of a kernel */

static size_t bucket_of(const char *name, const uint32_t sizes[GC_LAUNCH_SIZES])
{
  size_t sum = 0;

  while (*name)
    sum = 31 * sum + (unsigned char)*name++;
  for (int i = 0; i < GC_LAUNCH_SIZES; i++)
    sum = 31 * sum + sizes[i];
  return sum % BUCKETS;
}

struct gc_launch_kind *gc_launch_kinds_find(const char *name, const uint32_t sizes[GC_LAUNCH_SIZES],
                                            const struct gc_wanted_names *names)
{
  struct gc_launch_kind **bucket = &kinds[bucket_of(name, sizes)], *kind = *bucket;

  while (kind && (memcmp(kind->sizes, sizes, sizeof kind->sizes) || strcmp(kind->name, name)))
    kind = kind->next;
  if (kind || !(kind = calloc(1, sizeof *kind)))
    return kind;
  kind->name = strdup(name);
  if (!kind->name) {
    free(kind);
    return NULL;
  }
  memcpy(kind->sizes, sizes, sizeof kind->sizes);
  kind->wanted = names && gc_wanted_has(names, name, 1);
  kind->due = 1;
  kind->next = *bucket;
  return *bucket = kind;
}

/* Whether its next launch is expected just before a launch that is recorded for its own sake, and
 * is the first one that is. So a follower that is never recorded costs one launch. */
static bool leads(const struct gc_launch_kind *kind)
{
  const struct gc_launch_kind *after = kind->follower;

  return after && after->wanted && kind->led != after->due &&
         after->seen + 1 + (after == kind) >= after->due;
}

bool gc_launch_kind_is_due(const struct gc_launch_kind *kind)
{
  return kind->wanted && (kind->seen + 1 >= kind->due || leads(kind));
}

/* Counts a launch. Launches of graphs precede nothing and follow nothing; the kernels in them do.
 */
static void count(struct gc_launch_kind *kind)
{
  kind->seen++;
  if (!*kind->name)
    return;
  if (last)
    last->follower = kind;
  last = kind;
}

static void stand_for_more(struct gc_launch_kind *kind, const struct gc_part *part)
{
  kind->stands += kind->alone;
  kind->alone = 0;
  gc_part_renew(part, kind->place, kind->stands);
}

void gc_launch_kind_pass(struct gc_launch_kind *kind, const struct gc_part *part)
{
  count(kind);
  kind->alone++;
  if (kind->place)
    stand_for_more(kind, part);
}

uint64_t gc_launch_kind_take(struct gc_launch_kind *kind)
{
  const uint64_t stands = 1 + kind->alone;

  if (leads(kind))
    kind->led = kind->follower->due;
  count(kind);
  if (kind->seen >= kind->due)
    kind->due = 2 * kind->seen;
  kind->alone = 0;
  return stands;
}

void gc_launch_kind_give_back(struct gc_launch_kind *kind, uint64_t stands)
{
  kind->alone += stands - 1;
}

void gc_launch_kind_recorded(struct gc_launch_kind *kind, uint64_t stands, long place,
                             const struct gc_part *part)
{
  kind->place = place;
  kind->stands = stands;
  if (kind->alone)
    stand_for_more(kind, part);
}

uint64_t gc_launch_kinds_alone(void)
{
  uint64_t sum = 0;

  for (size_t i = 0; i < BUCKETS; i++)
    for (const struct gc_launch_kind *kind = kinds[i]; kind; kind = kind->next)
      sum += kind->wanted ? kind->alone : 0;
  return sum;
}

struct gc_launch_kind *gc_launch_kinds_find_graph(const void *graph)
{
  uint32_t sizes[GC_LAUNCH_SIZES] = {0};

  memcpy(sizes, &graph, sizeof graph);
  return gc_launch_kinds_find("", sizes, NULL);
}
