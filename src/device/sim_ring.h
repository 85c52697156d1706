/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Rings in simulated memory that nobody has read yet. Most rings that the kernel `fill` writes are
 * in the order of addresses, and the simulator needs little of them: a walk along such a ring is a
 * run of loads at equal distances. So a ring is only noted; its slots are written when something
 * else reads or writes memory there.
 */
#ifndef GC_DEVICE_SIM_RING_H
#define GC_DEVICE_SIM_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Slots of 8 bytes, `stride` bytes apart. Slot i contains first + (i + 1) * step, the last one
 * `first`. */
struct gc_sim_ring {
  uint64_t base, stride, count, first, step;
  unsigned char *host; /* the memory behind base */
};

#define GC_SIM_RINGS_MAX 8
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

/* A ring that overlaps these bytes; NULL: none. */
static inline const struct gc_sim_ring *gc_sim_rings_at(const struct gc_sim_rings *rings,
                                                        uint64_t address, uint64_t bytes)
{
  for (size_t i = 0; i < rings->count; i++)
    if (address < rings->ring[i].base + gc_sim_ring_bytes(&rings->ring[i]) &&
        rings->ring[i].base < address + bytes)
      return &rings->ring[i];
  return NULL;
}

/* The slot at an address. False: there is none. */
static inline bool gc_sim_ring_slot(const struct gc_sim_ring *ring, uint64_t address,
                                    uint64_t *slot)
{
  *slot = (address - ring->base) / ring->stride;
  return address >= ring->base && (address - ring->base) % ring->stride == 0 &&
         *slot < ring->count;
}

static inline uint64_t gc_sim_ring_value(const struct gc_sim_ring *ring, uint64_t slot)
{
  return ring->first + (slot + 1 < ring->count ? (slot + 1) * ring->step : 0);
}

#endif
