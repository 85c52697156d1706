/*
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "predict/model/loads.h"

#include "predict/model/random.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint32_t *slot_of(const struct gc_loads *loads, uint32_t pc)
{
  uint32_t i = (uint32_t)gc_mix(pc) & (loads->slot_count - 1);

  while (loads->slots[i] && loads->loads[loads->slots[i] - 1].pc != pc)
    i = (i + 1) & (loads->slot_count - 1);
  return &loads->slots[i];
}

/* A table twice as large, and slots for four times as many. The first one is small, because the
 * tables of all kernels stay. */
static int grow(struct gc_loads *loads)
{
  uint32_t room = loads->room ? 2 * loads->room : 1;
  struct gc_load_counts *larger = realloc(loads->loads, room * sizeof *larger);
  uint32_t *slots;

  if (!larger)
    return -ENOMEM;
  loads->loads = larger;
  slots = calloc(4 * (size_t)room, sizeof *slots);
  if (!slots)
    return -ENOMEM;
  free(loads->slots);
  loads->slots = slots;
  loads->slot_count = 4 * room;
  loads->room = room;
  for (uint32_t i = 0; i < loads->count; i++)
    *slot_of(loads, loads->loads[i].pc) = i + 1;
  return 0;
}

int gc_loads_index(struct gc_loads *loads, uint32_t pc, uint32_t *index)
{
  uint32_t *slot;

  for (uint32_t i = loads->last; i < loads->count && i <= loads->last + 1; i++) {
    if (loads->loads[i].pc == pc) {
      *index = loads->last = i;
      return 0;
    }
  }
  if (loads->count == loads->room && loads->count < GC_LOADS_MAX && grow(loads))
    return -ENOMEM;
  slot = slot_of(loads, pc);
  if (!*slot) {
    if (loads->count == GC_LOADS_MAX) {
      *index = GC_LOADS_MAX - 1;
      return 0;
    }
    loads->loads[loads->count] = (struct gc_load_counts){.pc = pc};
    *slot = ++loads->count;
  }
  *index = loads->last = *slot - 1;
  return 0;
}

static int by_pc(const void *a, const void *b)
{
  uint32_t x = ((const struct gc_load_counts *)a)->pc, y = ((const struct gc_load_counts *)b)->pc;

  return x < y ? -1 : x > y;
}

void gc_loads_take(struct gc_loads *loads, struct gc_load_counts **sorted, size_t *count)
{
  *sorted = loads->loads;
  *count = 0;
  for (uint32_t i = 0; i < loads->count; i++) /* not those that only blocks of other SMs have */
    if (loads->loads[i].instructions)
      (*sorted)[(*count)++] = loads->loads[i];
  if (*count)
    qsort(*sorted, *count, sizeof **sorted, by_pc);
  loads->loads = NULL;
  loads->count = 0;
  gc_loads_fini(loads);
}

void gc_loads_fini(struct gc_loads *loads)
{
  free(loads->slots);
  free(loads->loads);
  memset(loads, 0, sizeof *loads);
}

const struct gc_cache_counts *gc_loads_counts(const struct gc_kernel_run *run, uint32_t pc)
{
  static const struct gc_cache_counts none;
  size_t low = 0, high = run->load_count;

  while (low < high) {
    size_t middle = low + (high - low) / 2;

    if (run->loads[middle].pc < pc)
      low = middle + 1;
    else
      high = middle;
  }
  return low < run->load_count && run->loads[low].pc == pc ? &run->loads[low].l1 : &none;
}
