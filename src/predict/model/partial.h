/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Lines of L2 of which stores have written parts of sectors. Before such a sector goes to memory,
 * its other bytes are read from there: memory is read and written in units of 32 bytes. L2 does not
 * wait until the line is evicted: on an H100 (2026-11-28, ncu), 16.8 million stores of 4 bytes each
 * to another sector read 16.6 million, also 0.35 of 0.52 million in 16 MiB, which fit into L2; in
 * both cases some 45,000 to 60,000 lines were left, 1/8 of those of L2. So the oldest line gets the
 * rest of its sectors when more than 1/8 of all lines have such sectors.
 */
#ifndef GC_PREDICT_MODEL_PARTIAL_H
#define GC_PREDICT_MODEL_PARTIAL_H

#include "predict/model/lines.h"

struct gc_partial_line {
  uint64_t line;
  uint32_t set, units; /* units: those that had parts when the line came in */
  uint32_t partition;
};

struct gc_partial {
  struct gc_partial_line *ring;
  uint32_t room, first, count;
};

/* The units of a line of which some parts, but not all, are valid: a bit for each. */
uint32_t gc_partial_units(const struct gc_cache_geometry *l2, const struct gc_line *line);
uint32_t gc_partial_unit_bytes(const struct gc_cache_geometry *l2);

/* One more line. Completes the oldest one if there are too many; all lines of L2 are in partitions.
 * 0 or -ENOMEM; *filled is the number of units that are read from memory. */
int gc_partial_add(struct gc_partial *partial, const struct gc_cache_geometry *l2,
                   struct gc_lines *partitions, uint64_t lines, struct gc_partial_line added,
                   unsigned *filled);
void gc_partial_fini(struct gc_partial *partial);

#endif
