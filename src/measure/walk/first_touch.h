/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The first-touch test: counts the instances of a cache by slow first loads. doc/methods.md,
 * "First-touch test".
 */
#ifndef GC_MEASURE_WALK_FIRST_TOUCH_H
#define GC_MEASURE_WALK_FIRST_TOUCH_H

#include "measure/core/measurement.h"
#include "measure/walk/path.h"

#define GC_SUBPARTITIONS 4 /* warp w of a block runs on SM sub-partition w mod 4 */

struct gc_first_touch {
  size_t sms, rounds; /* rounds: more than one if the answers of one round are too
                         few, or differ */
  uint32_t warps;
  uint32_t *sm;     /* [rounds * sms] number of the SM */
  uint8_t *firsts;  /* [rounds * sms] how many warps of this SM came first at a cache */
  double *took;     /* [rounds * sms][warps][2] medians of raw cycles: first walk, last walk */
  size_t unclear;   /* SMs with a load that is neither a clear hit nor a clear miss */
  double hit, miss; /* medians of raw cycles, of an SM that came first; 0: no SM came first */
  char failed[160]; /* why there is no result; else empty */
};

/* warps: in each block, 1 to GC_SUBPARTITIONS. Sets the number of rounds; if the caller has set it
 * in *touch. Otherwise the test ends after two or more rounds when all SMs so far have the same
 * number of caches, and the rule of stats/sequential.h decides that most SMs have it. The rest of
 * *touch is output. */
int gc_first_touch_run(struct gc_measurement *m, const struct gc_path *path, uint32_t warps,
                       struct gc_first_touch *touch);
void gc_first_touch_free(struct gc_first_touch *touch);

#endif
