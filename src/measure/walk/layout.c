/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Lays chains slot by slot.
 */
#include "measure/walk/layout.h"
#include "measure/core/step_memory.h"
#include "measure/walk/ring.h"

#include <errno.h>
#include <string.h>

#define TRIES 64 /* random slots of a block to try until one is free */

int gc_layout_open(struct gc_layout *layout, struct gc_bench *bench, enum gc_address_space space,
                   uint64_t bytes)
{
  const uint64_t limit = gc_ring_limit(bench, space);

  memset(layout, 0, sizeof(*layout));
  layout->bench = bench;
  layout->space = space;
  layout->bytes = bytes < limit ? bytes : limit;
  layout->image = gc_step_alloc(bench, 1, layout->bytes);
  layout->taken = gc_step_alloc(bench, layout->bytes / GC_SLOT, sizeof(*layout->taken));
  return layout->image && layout->taken ? 0 : -ENOMEM;
}

void gc_layout_clear(struct gc_layout *layout)
{
  memset(layout->taken, 0, layout->bytes / GC_SLOT * sizeof(*layout->taken));
}

/* splitmix64 */
uint32_t gc_layout_random(struct gc_layout *layout, uint32_t n)
{
  uint64_t z = layout->random += 0x9e3779b97f4a7c15;

  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return (uint32_t)(((z ^ z >> 31) >> 32) * n >> 32);
}

void gc_layout_shuffle(struct gc_layout *layout, uint32_t *order, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t k = gc_layout_random(layout, i + 1);

    order[i] = order[k];
    order[k] = i;
  }
}

uint64_t gc_layout_take(struct gc_layout *layout, uint64_t start, uint32_t bytes, uint32_t flip)
{
  const uint32_t slots = bytes / GC_SLOT, first = gc_layout_random(layout, slots);

  /* first random slots; if all of these are taken, the slots in order */
  for (uint32_t i = 0; i < TRIES + slots; i++) {
    const uint32_t which = i < TRIES ? gc_layout_random(layout, slots) : (first + i) % slots;
    const uint64_t slot = start + (uint64_t)which * GC_SLOT;

    if (layout->taken[slot / GC_SLOT] || layout->taken[(slot ^ flip) / GC_SLOT])
      continue;
    layout->taken[slot / GC_SLOT] = layout->taken[(slot ^ flip) / GC_SLOT] = true;
    return slot;
  }
  return UINT64_MAX;
}

void gc_layout_link(struct gc_layout *layout, uint64_t from, uint64_t to)
{
  const uint64_t next = gc_ring_address(layout->bench, layout->space, to);
  const uint32_t texel = (uint32_t)next;

  if (layout->space == GC_ADDRESS_TEXTURE)
    memcpy(layout->image + from, &texel, sizeof(texel));
  else
    memcpy(layout->image + from, &next, sizeof(next));
}

int gc_layout_upload(struct gc_layout *layout)
{
  struct gc_bench *bench = layout->bench;

  return layout->space == GC_ADDRESS_CONSTANT
             ? bench->ops->upload_constant(bench->device, 0, layout->image, layout->bytes,
                                           bench->err)
             : bench->ops->upload(bench->device, bench->arena, layout->image, layout->bytes,
                                  bench->err);
}
