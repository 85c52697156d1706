/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of groups, and the list of those that are noted.
 */
#include "model/again.h"

#include <stdlib.h>
#include <string.h>

struct gc_again *gc_again_new(void)
{
  struct gc_again *again = calloc(1, sizeof(*again));

  if (again) {
    again->oldest = again->youngest = GC_AGAIN_NONE;
    again->epoch = 1; /* free entries have 0 */
  }
  return again;
}

void gc_again_drop(struct gc_again *again)
{
  uint32_t younger;

  for (uint32_t i = again->oldest; i != GC_AGAIN_NONE; i = younger) {
    younger = again->group[i].younger;
    again->group[i].older = again->group[i].younger = GC_AGAIN_NONE;
  }
  again->oldest = again->youngest = GC_AGAIN_NONE;
}

void gc_again_clear(struct gc_again *again)
{
  memset(again->group, 0, sizeof(again->group));
  again->oldest = again->youngest = GC_AGAIN_NONE;
  again->used = 0;
}

bool gc_again_full(const struct gc_again *again)
{
  return again->used >= GC_AGAIN_ENTRIES / 2;
}

uint32_t gc_again_find(const struct gc_again *again, const struct gc_again_group *group)
{
  uint32_t i = (uint32_t)(group->address * 0x9e3779b97f4a7c15 >> 40) % GC_AGAIN_ENTRIES;

  while (again->group[i].count &&
         (again->group[i].address != group->address || again->group[i].apart != group->apart ||
          again->group[i].count != group->count))
    i = (i + 1) % GC_AGAIN_ENTRIES;
  return i;
}

/* Takes an entry out of the list, if it is in it. */
static void take_out(struct gc_again *again, const struct gc_again_group *group, uint32_t entry)
{
  if (group->older != GC_AGAIN_NONE)
    again->group[group->older].younger = group->younger;
  else if (again->oldest == entry)
    again->oldest = group->younger;
  if (group->younger != GC_AGAIN_NONE)
    again->group[group->younger].older = group->older;
  else if (again->youngest == entry)
    again->youngest = group->older;
}

void gc_again_note(struct gc_again *again, uint32_t entry)
{
  struct gc_again_group *group = &again->group[entry];

  take_out(again, group, entry);
  group->older = again->youngest;
  group->younger = GC_AGAIN_NONE;
  if (again->youngest != GC_AGAIN_NONE)
    again->group[again->youngest].younger = entry;
  else
    again->oldest = entry;
  again->youngest = entry;
}
