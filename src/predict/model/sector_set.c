/*
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "predict/model/sector_set.h"

#include "predict/model/random.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SPARSE 64

void gc_sector_set_clear(struct gc_sector_set *set)
{
  if (SPARSE * set->used < set->count) /* a table of an earlier, larger kernel */
    gc_sector_set_fini(set);
  else if (set->used)
    memset(set->slots, 0, set->count * sizeof *set->slots);
  set->used = 0;
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

static int grow(struct gc_sector_set *set)
{
  struct gc_sector_set larger = {.count = set->count ? 2 * set->count : 256, .used = set->used};

  larger.slots = calloc(larger.count, sizeof *larger.slots);
  if (!larger.slots)
    return -ENOMEM;
  for (size_t i = 0; i < set->count; i++)
    if (set->slots[i].tag)
      *slot_of(&larger, set->slots[i].tag - 1) = set->slots[i];
  free(set->slots);
  *set = larger;
  return 0;
}

int gc_sector_set_add(struct gc_sector_set *set, uint64_t line, uint32_t sectors, uint32_t *added)
{
  struct gc_seen_line *slot;

  if (2 * (set->used + 1) > set->count && grow(set))
    return -ENOMEM;
  slot = slot_of(set, line);
  if (!slot->tag) {
    slot->tag = line + 1;
    set->used++;
  }
  *added = sectors & ~slot->sectors;
  slot->sectors |= sectors;
  return 0;
}
