/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Overfull sets: an array that just fits a cache, and one further line. That line goes to a set
 * that is full, so the lines of this set miss again and again, and no others do. So the lines that
 * miss are the lines of one set, whatever the hash of addresses and the replacement policy are.
 * doc/methods.md, "Sets and replacement".
 */
#ifndef GC_MEASURE_STRUCTURE_OVERFULL_H
#define GC_MEASURE_STRUCTURE_OVERFULL_H

#include "measure/core/measurement.h"
#include "measure/walk/layout.h"
#include "measure/walk/path.h"

#define GC_OVERFULL_MAX 40  /* arrays that are tried */
#define GC_CONFLICT_MAX 193 /* lines of an overfull set; more are not counted */
#define GC_VARIANTS_MAX 4   /* orders in which an array is walked: each has slots of its own */

/* The lines of one overfull set, numbered from the start of the address space. */
struct gc_conflict {
  uint32_t extra; /* the line that was added */
  uint32_t count; /* lines, with that one; 0: the array does not miss; 1: other data disturb it */
  bool unclear;   /* some lines missed too rarely to be counted, and too often for noise */
  uint32_t line[GC_CONFLICT_MAX]; /* ascending */
};

struct gc_overfull {
  struct gc_bench *bench;
  const struct gc_path *path;
  double threshold; /* raw cycles, between hits and misses */
  double miss;      /* raw cycles of a miss */
  uint32_t line;    /* bytes */
  uint32_t lines;   /* of the array that just fits */
  uint32_t spare;   /* lines that the array has less than that */
  uint32_t variants;
  struct gc_layout layout;
  size_t n; /* of conflicts */
  struct gc_conflict conflict[GC_OVERFULL_MAX];
  double noise; /* share of loads that are slow although they hit */
  bool misses;  /* even without a further line, too many lines miss again and again */
};

/* Opens the layout. The caller sets bench, path, threshold, miss, line and lines; sector: bytes
 * that a miss fetches. 0 or -ENOMEM. */
int gc_overfull_open(struct gc_overfull *o, uint32_t sector);

/* Finds the conflicts of many lines with an array that is `spare` lines smaller than what fits. It
 * is walked in ascending order only, or in all orders. */
int gc_overfull_find(struct gc_overfull *o, uint32_t spare, bool ascending);

#endif
