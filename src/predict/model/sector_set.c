/*
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "predict/model/sector_set.h"

#include "predict/model/random.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define SPARSE 64
#define MOST_HALVED 31 /* more needs lines that were chosen against the hash */

void gc_sector_set_clear(struct gc_sector_set *set)
{
  if (SPARSE * set->used < set->count) /* a table of an earlier, larger kernel */
    gc_sector_set_fini(set);
  else if (set->used)
    memset(set->slots, 0, set->count * sizeof *set->slots);
  set->used = 0;
  set->halved = 0;
}

void gc_sector_set_fini(struct gc_sector_set *set)
{
  free(set->slots);
  memset(set, 0, sizeof *set);
}

static struct gc_seen_line *slot_of(const struct gc_sector_set *set, uint64_t line)
{
  size_t i = gc_mix(line) & (set->count - 1);

  while (set->slots[i].tag && set->slots[i].tag != line + 1)
    i = (i + 1) & (set->count - 1);
  return &set->slots[i];
}

static bool is_kept(const struct gc_sector_set *set, uint64_t line)
{
  return !(gc_mix(line) >> 32 & ((UINT64_C(1) << set->halved) - 1));
}

/* A table twice as large, or with half of the lines. 0 or -ENOMEM. */
static int make_room(struct gc_sector_set *set)
{
  const bool halve = set->used >= GC_SEEN_LINES && set->halved < MOST_HALVED;
  struct gc_sector_set larger = {.count = !set->count ? 256
                                          : halve     ? set->count
                                                      : 2 * set->count,
                                 .halved = set->halved + halve};

  larger.slots = calloc(larger.count, sizeof *larger.slots);
  if (!larger.slots)
    return -ENOMEM;
  for (size_t i = 0; i < set->count; i++)
    if (set->slots[i].tag && is_kept(&larger, set->slots[i].tag - 1)) {
      *slot_of(&larger, set->slots[i].tag - 1) = set->slots[i];
      larger.used++;
    }
  free(set->slots);
  *set = larger;
  return 0;
}

int gc_sector_set_add(struct gc_sector_set *set, uint64_t line, uint32_t sectors, uint64_t *added)
{
  struct gc_seen_line *slot;

  *added = 0;
  if (!is_kept(set, line))
    return 0;
  if (2 * (set->used + 1) > set->count && make_room(set))
    return -ENOMEM;
  if (!is_kept(set, line))
    return 0;
  slot = slot_of(set, line);
  if (!slot->tag) {
    slot->tag = line + 1;
    set->used++;
  }
  *added = (uint64_t)__builtin_popcount(sectors & ~slot->sectors) << set->halved;
  slot->sectors |= sectors;
  return 0;
}
