/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Rings that the kernel `fill` lays in simulated memory. The content of a slot follows from its
 * number, so only the place of a ring is kept at first. Its slots are written when something else
 * reads or writes memory there. A walk along a ring in the order of addresses is a run of loads at
 * equal distances.
 */
#ifndef GC_DEVICE_SIM_RING_H
#define GC_DEVICE_SIM_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Slots of 8 bytes, `stride` bytes apart. Slot i contains first + (i + hop) % count * step; hop is
 * below count. */
struct gc_sim_ring {
  uint64_t base, stride, count, first, step, hop;
  unsigned char *host; /* the memory behind base */
};

/* In the order of their fills: where rings overlap, the later one counts. Searches for the best
 * size write smaller and smaller rings into the same memory, so there are some of them. */
#define GC_SIM_RINGS_MAX 32
struct gc_sim_rings {
  size_t count;
  struct gc_sim_ring ring[GC_SIM_RINGS_MAX];
};

/* Notes a ring, which overwrites what is there. */
void gc_sim_rings_add(struct gc_sim_rings *rings, const struct gc_sim_ring *ring);

/* Writes the rings that overlap these bytes. They are no longer noted. */
void gc_sim_rings_write(struct gc_sim_rings *rings, uint64_t address, uint64_t bytes);

/* Forgets the rings in memory that is released. */
void gc_sim_rings_drop(struct gc_sim_rings *rings, uint64_t address, uint64_t bytes);

static inline uint64_t gc_sim_ring_bytes(const struct gc_sim_ring *ring)
{
  return (ring->count - 1) * ring->stride + sizeof(uint64_t);
}

/* The last ring that overlaps these bytes; NULL: none. */
static inline const struct gc_sim_ring *gc_sim_rings_at(const struct gc_sim_rings *rings,
                                                        uint64_t address, uint64_t bytes)
{
  for (size_t i = rings->count; i--;)
    if (address < rings->ring[i].base + gc_sim_ring_bytes(&rings->ring[i]) &&
        rings->ring[i].base < address + bytes)
      return &rings->ring[i];
  return NULL;
}

/* The slot at an address. False: there is none. */
static inline bool gc_sim_ring_slot(const struct gc_sim_ring *ring, uint64_t address,
                                    uint64_t *slot)
{
  const uint64_t offset = address - ring->base;

  /* most strides are powers of two, and dividing takes longer */
  *slot = ring->stride & (ring->stride - 1) ? offset / ring->stride
                                            : offset >> __builtin_ctzll(ring->stride);
  return address >= ring->base && *slot < ring->count && *slot * ring->stride == offset;
}

/* Whether no later ring overlaps this one. */
static inline bool gc_sim_ring_on_top(const struct gc_sim_rings *rings,
                                      const struct gc_sim_ring *ring)
{
  return gc_sim_rings_at(rings, ring->base, gc_sim_ring_bytes(ring)) == ring;
}

/* The ring whose slot is at this address; NULL: memory contains what counts. */
static inline const struct gc_sim_ring *gc_sim_rings_slot(const struct gc_sim_rings *rings,
                                                          uint64_t address, uint64_t *slot)
{
  for (size_t i = rings->count; i--;)
    if (gc_sim_ring_slot(&rings->ring[i], address, slot))
      return &rings->ring[i];
  return NULL;
}

static inline uint64_t gc_sim_ring_value(const struct gc_sim_ring *ring, uint64_t slot)
{
  const uint64_t next = slot + ring->hop;

  return ring->first + (next < ring->count ? next : next - ring->count) * ring->step;
}

#endif
