/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Does walk b evict what walk a loaded? kernels/pair.c tests this in the caches inside an SM.
 * doc/methods.md, "Sharing".
 */
#ifndef GC_MEASURE_TOPOLOGY_EVICTION_H
#define GC_MEASURE_TOPOLOGY_EVICTION_H

#include "measure/core/measurement.h"
#include "measure/walk/path.h"
#include "measure/walk/vote.h"

/* A walk of one warp of a block through a path. */
struct gc_warp_walk {
  const struct gc_path *path; /* NULL: no walk */
  uint64_t bytes;
  uint32_t warp;
};

/* A question: does b evict a's lines? Without b: do a's lines not stay even if nothing else is
 * loaded? */
struct gc_eviction {
  struct gc_warp_walk a, b;
  /* In: raw cycles of a hit; 0: not known. Out, if it was 0: those of a repeated load. */
  uint32_t hit;
  struct gc_vote vote;
};

/* How the kernel is launched. */
struct gc_eviction_launch {
  int carveout;          /* percent */
  uint32_t shared_bytes; /* dynamic shared memory of each block */
};

/* The runs as rows for --raw. A question concerns two elements, and each element has a file. */
struct gc_eviction_log {
  struct gc_eviction_row {
    enum gc_kind a, b;
    char text[256];
  } * rows;
  size_t count;
};

/* Sets the sizes of the walks through a cache of `capacity` bytes: a leaves some of it free, and
 * both together do not fit, if b's path can reach so many bytes. */
void gc_eviction_fill(const struct gc_measurement *m, uint64_t capacity,
                      struct gc_eviction *eviction);

/* Answers n questions, each by several runs, in as few launches as possible. log: gets rows if
 * bench.raw is set. */
int gc_find_evictions(struct gc_measurement *m, struct gc_eviction *evictions, size_t n,
                      const struct gc_eviction_launch *launch, struct gc_eviction_log *log);

/* Writes the rows that concern this element into the file of the current step. */
void gc_eviction_log_raw(const struct gc_eviction_log *log, struct gc_raw *raw, enum gc_kind kind);
void gc_eviction_log_free(struct gc_eviction_log *log); /* a zeroed one is fine */

#endif
