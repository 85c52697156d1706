/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the steps of this folder need of earlier results.
 */
#ifndef GC_MEASURE_STRUCTURE_CACHE_LINES_H
#define GC_MEASURE_STRUCTURE_CACHE_LINES_H

#include "measure/core/measurement.h"
#include "measure/walk/path.h"

struct gc_cache_lines {
  uint32_t line, lines;   /* bytes; lines that fit */
  uint32_t sector;        /* bytes that a miss fetches */
  double threshold, miss; /* raw cycles: between hits and misses; of a miss */
};

/* Returns NULL, or the reason for absent properties. */
const char *gc_cache_lines_find(const struct gc_measured *element, struct gc_cache_lines *lines);

/* The same for what counts misses by single loads, and so needs element->late. */
const char *gc_cache_lines_late(const struct gc_measured *element);

/* Prefers no shared memory, as the capacity search does: L1 has what the carve-out leaves. */
int gc_cache_lines_prepare(struct gc_bench *bench, const struct gc_path *path);

#endif
