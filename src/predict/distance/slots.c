/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What happens to slots only once in many accesses: a new word, a new array.
 */
#include "predict/distance/slots.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_CAPACITY (UINT32_C(1) << (GC_SLOT_WORD_BITS + GC_SLOT_FAN_BITS))

/* One piece of memory: the nodes of all levels, then the words, which need less alignment. */
static int allocate(struct gc_slots *slots)
{
  uint32_t children = slots->capacity >> GC_SLOT_WORD_BITS;
  size_t nodes = 0, first[GC_SLOT_LEVELS];
  gc_slot_node *memory;

  while (children > 1) {
    children = (children + GC_SLOT_FAN - 1) >> GC_SLOT_FAN_BITS;
    first[slots->levels++] = nodes;
    nodes += children;
  }
  memory = aligned_alloc(64, nodes * sizeof(*memory) + slots->capacity / 8);
  if (!memory)
    return -ENOMEM;
  for (unsigned level = 0; level < slots->levels; level++)
    slots->before[level] = memory + first[level];
  slots->words = (uint64_t *)(memory + nodes);
  return 0;
}

int gc_slots_new(struct gc_slots *slots, uint32_t live)
{
  uint32_t children;

  *slots = (struct gc_slots){.capacity = LEAST_CAPACITY, .end = live, .live = live};
  if (live > GC_SLOTS_MOST / GC_SLOT_ROOM)
    return -ENOMEM;
  while (slots->capacity / GC_SLOT_ROOM < live)
    slots->capacity *= 2;
  if (allocate(slots))
    return -ENOMEM;
  /* Also the word, and the children, that the last slot does not fill. */
  children = (live + 63) >> GC_SLOT_WORD_BITS;
  memset(slots->words, 0xff, children * sizeof(uint64_t));
  if (live % 64)
    slots->words[children - 1] = (UINT64_C(1) << live % 64) - 1;
  for (unsigned level = 0; level < slots->levels; level++) {
    const unsigned child_bits = GC_SLOT_WORD_BITS + level * GC_SLOT_FAN_BITS;

    for (uint32_t child = 0; child < children; child++)
      ((uint32_t *)slots->before[level])[child] = child % GC_SLOT_FAN << child_bits;
    children = (children + GC_SLOT_FAN - 1) >> GC_SLOT_FAN_BITS;
  }
  return 0;
}

void gc_slots_free(struct gc_slots *slots)
{
  free(slots->before[0]);
}

void gc_slots_clear(struct gc_slots *slots)
{
  slots->end = slots->live = 0;
}

/* The word before it is complete, and so are the nodes that end with that word. */
void gc_slots_open_word(struct gc_slots *slots, uint32_t word)
{
  uint32_t child = word, complete = word ? gc_count_bits(slots->words[word - 1]) : 0;

  slots->words[word] = 0;
  for (unsigned level = 0; level < slots->levels; level++) {
    uint32_t *before = (uint32_t *)slots->before[level];

    if (child)
      complete += before[child - 1];
    before[child] = child % GC_SLOT_FAN ? complete : 0;
    if (child % GC_SLOT_FAN)
      return;
    child >>= GC_SLOT_FAN_BITS;
  }
}
