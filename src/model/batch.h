/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Lines that go to a cache of the chip together. One cache after the other sees all lines of a
 * batch. That takes much less time than one line after the other, and does the same to the caches,
 * because each sees its lines in order. Only random numbers might be drawn in another order; then
 * batches have one line.
 */
#ifndef GC_MODEL_BATCH_H
#define GC_MODEL_BATCH_H

#include "model/chip.h"

#define GC_BATCH_LINES 64

struct gc_batch {
  unsigned count;
  uint64_t address[GC_BATCH_LINES]; /* physical, in the line */
  uint8_t mask[GC_BATCH_LINES];     /* the sectors that are loaded, one bit each */
  uint64_t again[GC_BATCH_LINES];   /* how many more loads are of these sectors */
};

/* How many sectors were found in the near partition, in a far one, or in neither. */
struct gc_found {
  uint64_t near, far, nowhere;
};

/* How many lines a batch of loads that begin at this cache may have. */
unsigned gc_batch_most(const struct gc_model *model, const struct gc_cache_array *array);

/* The number of ones in a mask. */
extern const uint8_t gc_batch_ones[256];

/* Loads by an SM. Adds to *found what was found where. Leaves the lines of which sectors missed,
 * and these sectors, in the batch. */
void gc_batch_touch(struct gc_model *model, struct gc_cache_array *array, uint32_t sm,
                    struct gc_batch *batch, struct gc_found *found);

/* The same at the cache of the chip behind `array`, for what missed there. Returns how many sectors
 * hit. Empties the batch. */
uint64_t gc_batch_touch_behind(struct gc_model *model, const struct gc_cache_array *array,
                               struct gc_cache_array *behind, uint32_t sm, struct gc_batch *batch);

#endif
