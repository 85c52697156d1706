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

/* Whether the lines are those of L1: another path ends in the same storage. */
bool gc_cache_lines_of_l1(const struct gc_measured *element);
#define GC_LINES_OF_L1 "same storage as L1Cache"

/* Returns NULL, or the reason for absent properties: they are reported for L1 only, or something is
 * not known. _of_path: also for another path into the storage of L1. */
const char *gc_cache_lines_find(const struct gc_measured *element, struct gc_cache_lines *lines);
const char *gc_cache_lines_of_path(const struct gc_measured *element, struct gc_cache_lines *lines);

/* The same for what counts misses by single loads, and so needs element->late. */
const char *gc_cache_lines_late(const struct gc_measured *element);

/* Prefers no shared memory, as the capacity search does: L1 has what the carve-out leaves. */
int gc_cache_lines_prepare(struct gc_bench *bench, const struct gc_path *path);

#endif
