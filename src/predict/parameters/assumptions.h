/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Values that a record lacks, and what the model assumes instead.
 */
#ifndef GC_PREDICT_PARAMETERS_ASSUMPTIONS_H
#define GC_PREDICT_PARAMETERS_ASSUMPTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct gc_assumption {
  bool of_record; /* a value that the record could have; else a simplification of the model */
  char what[64];  /* "L1Cache Sets": subtype and key as in hwloc/gpucache.h, or a fact of the GPU */
  char assumed[200]; /* "1 set: the cache is fully associative" */
};

#define GC_ASSUMPTIONS 48

struct gc_assumptions {
  struct gc_assumption array[GC_ASSUMPTIONS];
  size_t count;
};

/* Adds one; element may be NULL. One that is there already, or one too many, is left out. */
void gc_assume(struct gc_assumptions *assumptions, const char *element, const char *key,
               const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
