/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Measures drawn GPUs in several processes.
 */
#ifndef GC_TESTS_WORKERS_H
#define GC_TESTS_WORKERS_H

#include "judge.h"

struct assignment {
  struct draw_seeds seeds;
  /* How many of each group. Those of the other groups are the first GPUs once more; of
   * DRAWN_OTHER_PAGES, the first ones that have pages. */
  unsigned long gpus[DRAWN_GROUPS];
  unsigned long first; /* of DRAWN_ONCE, so many GPUs are left out */
  unsigned workers; /* processes */
  bool unlimited;   /* see gc_measure_options */
  const char *only; /* see gc_measure_options */
  const struct gc_earned *earned; /* see gc_measure_options */
  const char *with; /* only GPUs whose profile has this key are measured; NULL: all */
  /* Called for each verdict, in no particular order. */
  void (*verdict)(void *data, const struct verdict *verdict);
  void *data;
};

/* GPUs of all groups. */
unsigned long assignment_gpus(const struct assignment *assignment);

/* Returns whether every GPU could be measured. */
bool workers_run(const struct assignment *assignment);

#endif
