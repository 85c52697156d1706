/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Rings that are noted.
 */
#include "device/sim_ring.h"

#include <string.h>

static void remove_ring(struct gc_sim_rings *rings, size_t i)
{
  rings->count--;
  memmove(rings->ring + i, rings->ring + i + 1, (rings->count - i) * sizeof(*rings->ring));
}

static bool overlap(const struct gc_sim_ring *a, const struct gc_sim_ring *b)
{
  return a->base < b->base + gc_sim_ring_bytes(b) && b->base < a->base + gc_sim_ring_bytes(a);
}

/* Writes a ring, and before it the earlier ones that it overlaps. */
static void write_ring(struct gc_sim_rings *rings, size_t i)
{
  const struct gc_sim_ring *ring;

  for (size_t k = 0; k < i; k++)
    if (overlap(&rings->ring[k], &rings->ring[i])) {
      const size_t before = rings->count;

      write_ring(rings, k);
      i -= before - rings->count;
      k = (size_t)-1; /* from the first one again */
    }
  ring = &rings->ring[i];
  for (uint64_t slot = 0; slot < ring->count; slot++) {
    const uint64_t value = gc_sim_ring_value(ring, slot);

    memcpy(ring->host + slot * ring->stride, &value, sizeof(value));
  }
  remove_ring(rings, i);
}

void gc_sim_rings_write(struct gc_sim_rings *rings, uint64_t address, uint64_t bytes)
{
  const struct gc_sim_ring *ring;

  while ((ring = gc_sim_rings_at(rings, address, bytes)))
    write_ring(rings, (size_t)(ring - rings->ring));
}

void gc_sim_rings_drop(struct gc_sim_rings *rings, uint64_t address, uint64_t bytes)
{
  const struct gc_sim_ring *ring;

  while ((ring = gc_sim_rings_at(rings, address, bytes)))
    remove_ring(rings, (size_t)(ring - rings->ring));
}

/* Whether each slot of the old ring is a slot of the new one, too. */
static bool overwrites(const struct gc_sim_ring *ring, const struct gc_sim_ring *old)
{
  uint64_t slot;

  return old->stride % ring->stride == 0 && gc_sim_ring_slot(ring, old->base, &slot) &&
         slot + (old->count - 1) * (old->stride / ring->stride) < ring->count;
}

void gc_sim_rings_add(struct gc_sim_rings *rings, const struct gc_sim_ring *ring)
{
  for (size_t i = rings->count; i--;)
    if (overwrites(ring, &rings->ring[i]))
      remove_ring(rings, i);
  if (rings->count == GC_SIM_RINGS_MAX)
    write_ring(rings, 0);
  rings->ring[rings->count++] = *ring;
}
