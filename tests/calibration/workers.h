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
  unsigned long gpus;  /* in all */
  unsigned long again; /* of these, the last ones are the first ones with other noise */
  unsigned workers;    /* processes */
  bool unlimited;      /* see gc_measure_options */
  /* Called for each verdict, in no particular order. */
  void (*verdict)(void *data, const struct verdict *verdict);
  void *data;
};

/* Returns whether every GPU could be measured. */
bool workers_run(const struct assignment *assignment);

#endif
