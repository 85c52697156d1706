/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What would make a kernel miss less in L1, as the model says if one thing is different.
 */
#ifndef GC_PREDICT_REMEDY_H
#define GC_PREDICT_REMEDY_H

#include "predict/parameters/parameters.h"

#include <stdbool.h>
#include <stdint.h>

#define GC_REMEDY_LEAST 0.01 /* of the hit rate, a point: what a remedy must add to be named */

enum gc_remedy {
  GC_REMEDY_CARVEOUT, /* the smallest carve-out for shared memory in which a block fits */
  GC_REMEDY_LINE,     /* each sector is a line of its own, as if lines were used completely */
  GC_REMEDY_BLOCKS,   /* half as many blocks on an SM at the same time */
  GC_REMEDY_COUNT
};

struct gc_remedy_effect {
  bool tried;
  uint64_t misses; /* of loads in L1, with the values of the record */
};

/* Changes what the remedy changes. False: it does not apply to the GPU of the record. */
bool gc_remedy_apply(enum gc_remedy remedy, const struct gc_parameters *parameters,
                     struct gc_changes *changes);

#endif
