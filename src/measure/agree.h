/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Two ways to one value must agree. Where they contradict each other the value is withheld: its
 * source says why, and so does a message (gc_measure_options.complain).
 */
#ifndef GC_MEASURE_AGREE_H
#define GC_MEASURE_AGREE_H

#include "measure/bench.h"

/* What a census says of a capacity. */
struct gc_census {
  double bytes, error; /* error: one standard error */
  double read;         /* bytes that were read: there may be more than that */
  double slack;        /* share of the capacity that a cache keeps more or less of what it has no room for */
  unsigned rounds;     /* whose differences tell the error; 0: it is known without */
  bool all;            /* all that was looked up was there: it is `bytes` or more */
  char absent[160];    /* why there is none; else empty */
};

/* The capacity of an element, 0: not known. */
uint64_t gc_capacity_known(const struct gc_element *element);

/* Writes the census into the element, and withholds the capacity that it contradicts. */
int gc_settle_census(struct gc_bench *bench, struct gc_element *element, const struct gc_census *census);

/* One more sentence for gc_measure_options.complain, when all is done. */
void gc_complain(struct gc_bench *bench, const char *format, ...)
  __attribute__((format(printf, 2, 3)));

/* Takes a value back: `key` and the source and confidence of its property. */
int gc_withhold(struct gc_bench *bench, struct gc_element *element, const char *key,
                const char *property, const char *why);

/* When all is measured: what elements say of each other, and what the interface says of them. */
int gc_agree(struct gc_bench *bench);

/* crosscheck.c: the same with what the kernel driver's tables state. Nothing is withheld: the record keeps
 * both, see HWLOC_GPUCACHE_DIFFERS_SUFFIX. */
int gc_crosscheck(struct gc_bench *bench);

#endif
