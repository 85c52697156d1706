/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Loads of adjacent lines that go to a cache of the chip together. One cache after the other sees
 * all lines of a window. That takes much less time than one line after the other, and does the same
 * to the caches, because each sees its lines in order. Only random numbers might be drawn in
 * another order; then windows have one line.
 */
#ifndef GC_MODEL_WINDOW_H
#define GC_MODEL_WINDOW_H

#include "model/chip.h"

#define GC_WINDOW_LINES 256

struct gc_window {
  uint64_t address; /* of the first line */
  unsigned count;   /* lines; the memory behind them is contiguous */
  uint8_t mask[GC_WINDOW_LINES];  /* the sectors that are loaded, one bit each */
  uint8_t loads[GC_WINDOW_LINES]; /* how many loads these are: at least one of each sector */
  uint64_t sum;                   /* of `loads` */
};

/* How many sectors were found in the near partition, in a far one, or in neither. */
struct gc_window_found {
  uint64_t near, far, nowhere;
};

/* How many lines a window of loads that begin at this cache may have. */
unsigned gc_window_most(const struct gc_model *model, const struct gc_cache_array *array);

/* Loads by an SM. Adds to *found what was found where. Leaves the sectors that missed. Their number
 * is the new sum. */
void gc_window_touch(struct gc_model *model, struct gc_cache_array *array, uint32_t sm,
                     struct gc_window *window, struct gc_window_found *found);

/* The same at the cache of the chip behind `array`, for what missed there. Returns how many sectors
 * hit. */
uint64_t gc_window_touch_behind(struct gc_model *model, const struct gc_cache_array *array,
                                struct gc_cache_array *behind, uint32_t sm,
                                struct gc_window *window);

/* Whether the lines of both caches are one sector, and equally long. Then gc_window_touch_behind
 * leaves in the window what missed in both. */
bool gc_window_alike(const struct gc_cache_array *array, const struct gc_cache_array *behind);

/* Whether no line of a window that has a mask is in an instance where a load by this SM looks. */
bool gc_window_absent(const struct gc_cache_array *array, uint32_t sm, struct gc_window *window);

/* Stores of whole lines, which come into the cache. It must have windows of several lines. */
void gc_window_store(struct gc_model *model, struct gc_cache_array *array, uint32_t sm,
                     const struct gc_window *window);

#endif
