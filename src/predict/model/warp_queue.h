/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Warps that wait for their turn, first in, first out. A ring, so that hints for the caches of the
 * host can look ahead without reading the warps before.
 */
#ifndef GC_PREDICT_MODEL_WARP_QUEUE_H
#define GC_PREDICT_MODEL_WARP_QUEUE_H

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

struct gc_warp;

/* A queue of zero bytes is empty, with room for no warps. */
struct gc_warp_queue {
  struct gc_warp **ring;
  uint32_t room, first, count; /* room is a power of two, or 0 */
};

/* The warp behind so many others, or NULL. */
static inline struct gc_warp *gc_warp_queue_peek(const struct gc_warp_queue *queue, uint32_t others)
{
  return others < queue->count ? queue->ring[(queue->first + others) & (queue->room - 1)] : NULL;
}

/* Makes room for so many warps in all. 0 or -ENOMEM. */
static inline int gc_warp_queue_reserve(struct gc_warp_queue *queue, uint64_t warps)
{
  uint64_t room = queue->room ? queue->room : 64;
  struct gc_warp **ring;

  while (room < warps)
    room *= 2;
  if (room == queue->room)
    return 0;
  ring = malloc(room * sizeof(*ring));
  if (!ring)
    return -ENOMEM;
  for (uint32_t i = 0; i < queue->count; i++)
    ring[i] = gc_warp_queue_peek(queue, i);
  free(queue->ring);
  *queue = (struct gc_warp_queue){ring, (uint32_t)room, 0, queue->count};
  return 0;
}

static inline void gc_warp_queue_push(struct gc_warp_queue *queue, struct gc_warp *warp)
{
  queue->ring[(queue->first + queue->count++) & (queue->room - 1)] = warp;
}

static inline void gc_warp_queue_push_front(struct gc_warp_queue *queue, struct gc_warp *warp)
{
  queue->first--;
  queue->count++;
  queue->ring[queue->first & (queue->room - 1)] = warp;
}

static inline struct gc_warp *gc_warp_queue_pop(struct gc_warp_queue *queue)
{
  if (!queue->count)
    return NULL;
  queue->count--;
  return queue->ring[queue->first++ & (queue->room - 1)];
}

#endif
