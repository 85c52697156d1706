/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Measuring memory outside of the GPU: that of NUMA nodes or of other GPUs, one place after the
 * other.
 */
#ifndef GC_MEASURE_HOST_OUTSIDE_H
#define GC_MEASURE_HOST_OUTSIDE_H

#include "measure/core/measurement.h"

enum gc_outside_what {
  GC_OUTSIDE_READ,
  GC_OUTSIDE_WRITE,
  GC_OUTSIDE_COPY_TO, /* this GPU */
  GC_OUTSIDE_COPY_FROM,
  GC_OUTSIDE_COPY_BOTH,
  GC_OUTSIDE_LATENCY,
  GC_OUTSIDE_ATOMIC, /* latency of atomic operations */
  GC_OUTSIDE_WHATS
};

/* Where a value belongs. */
struct gc_outside_value {
  enum gc_property property; /* GC_PROPERTY_COUNT: it is not measured */
  size_t at;                 /* of its struct gc_by_node in struct gc_measured */
};

/* The caller sets the first members. */
struct gc_outside {
  const struct gc_outside_value *values; /* [GC_OUTSIDE_WHATS] */
  const char *columns;                   /* of raw data */
  char name[48];                         /* of the present place, for sentences */
  uint64_t
      address; /* of the memory there, GC_OUTSIDE_LEAST bytes and all that is moved at a time */
  uint64_t bytes;                        /* that are read or stored at a time */
  uint64_t copy_bytes;                   /* that are copied at a time */
  uint32_t copy_share;                   /* a shorter copy has copy_bytes / copy_share bytes */
  const char *no_atomics;                /* why there are no atomic operations; NULL: there are */
  struct gc_measurement *m;
  uint64_t device; /* copy_bytes on the GPU */
  uint32_t chains;
  uint64_t *starts;
  uint32_t *trace;
  double *cycles;
  double confidence[GC_OUTSIDE_WHATS]; /* of the least sure place so far */
  char why[GC_OUTSIDE_WHATS][160];     /* why the last place without a value has none */
};

#define GC_OUTSIDE_LEAST (8u << 20)

/* Allocates, on the GPU, too. 0 or a negative errno; then gc_outside_end need not be called. */
int gc_outside_begin(struct gc_outside *o, struct gc_measurement *m);

/* Measures the place with this number. by_kernels: kernels can use its memory; else copies only. */
int gc_outside_measure(struct gc_outside *o, struct gc_measured *element, uint32_t number,
                       bool by_kernels);

/* The present place has no values, for this reason. */
void gc_outside_none(struct gc_outside *o, const char *why);

/* Releases, and marks the properties: measured if at least one place has a value, else absent.
 * status: if it is not 0, nothing is marked. */
void gc_outside_end(struct gc_outside *o, struct gc_measured *element, int status);

#endif
