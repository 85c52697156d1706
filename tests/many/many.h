/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What one of many loads got, and the summary of all.
 */
#ifndef GC_TESTS_MANY_H
#define GC_TESTS_MANY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of one load, in milliseconds. */
struct times {
  double took;
  double waited; /* neither running nor ready to run */
};

/* Small enough to be written to a pipe at once. */
struct seen {
  struct times with;    /* of the load */
  struct times without; /* of a load with HWLOC_GPUCACHE=off just before, if there was one */
  uint64_t tree;        /* hash of the XML export */
  char status[600];     /* GPUCacheStatus of the first GPU, or of the root */
};

/* Prints the summary that many.c describes. paired: `without` is set. */
void report(struct seen *seen, size_t count, bool paired, unsigned written);

#endif
