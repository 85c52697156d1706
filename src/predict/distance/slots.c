/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What happens to a row of slots only once in many accesses: a new word, a new row.
 */
#include "predict/distance/slots.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Lane by lane: what lies behind the last slot may be anything, also uninitialised. */
static void set_before(struct gc_slots *slots, unsigned level, uint32_t child, uint32_t count)
{
  struct gc_slot_node *node = &slots->nodes[level][child / GC_SLOT_FAN];

  node->before[child % GC_SLOT_FAN / 4][child % 4] = (int32_t)count;
}

/* One piece of memory: the nodes of all levels, then the words, which need less alignment. */
static int allocate(struct gc_slots *slots)
{
  size_t count = 0, first[GC_SLOT_LEVELS];
  uint32_t children = slots->capacity / 64;
  struct gc_slot_node *nodes;

  while (children > 1) {
    children = (children + GC_SLOT_FAN - 1) / GC_SLOT_FAN;
    first[slots->levels++] = count;
    count += children;
  }
  nodes = aligned_alloc(sizeof(*nodes), count * sizeof(*nodes) + slots->capacity / 8);
  if (!nodes)
    return -ENOMEM;
  for (unsigned level = 0; level < slots->levels; level++)
    slots->nodes[level] = nodes + first[level];
  slots->words = (uint64_t *)(nodes + count);
  return 0;
}

int gc_slots_new(struct gc_slots *slots, uint32_t live, uint32_t least)
{
  uint32_t children = (live + 63) / 64, slots_of_child = 64;

  *slots = (struct gc_slots){.capacity = GC_SLOT_LEAST, .end = live, .live = live};
  if (live > GC_SLOT_MOST / GC_SLOT_ROOM || least > GC_SLOT_MOST)
    return -ENOMEM;
  while (slots->capacity < least || slots->capacity / GC_SLOT_ROOM < live)
    slots->capacity *= 2;
  if (allocate(slots))
    return -ENOMEM;
  memset(slots->words, 0xff, children * sizeof(*slots->words));
  for (unsigned level = 0; level < slots->levels; level++) {
    for (uint32_t child = 0; child < children; child++)
      set_before(slots, level, child, child % GC_SLOT_FAN * slots_of_child);
    children = (children + GC_SLOT_FAN - 1) / GC_SLOT_FAN;
    slots_of_child *= GC_SLOT_FAN;
  }
  return 0;
}

void gc_slots_free(struct gc_slots *slots)
{
  free(slots->nodes[0]);
}

void gc_slots_clear(struct gc_slots *slots)
{
  slots->end = slots->live = 0;
}

/* The word before it is complete, and so are the nodes that end with that word. */
void gc_slots_open_word(struct gc_slots *slots, uint32_t word)
{
  uint32_t child = word, complete = word ? (uint32_t)gc_ones(slots->words[word - 1]) : 0;

  slots->words[word] = UINT64_MAX;
  for (unsigned level = 0; level < slots->levels; level++) {
    if (child) {
      const uint32_t last = child - 1;

      complete += gc_slot_before(&slots->nodes[level][last / GC_SLOT_FAN], last % GC_SLOT_FAN);
    }
    if (child % GC_SLOT_FAN) {
      set_before(slots, level, child, complete);
      return;
    }
    set_before(slots, level, child, 0);
    child /= GC_SLOT_FAN;
  }
}
