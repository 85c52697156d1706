/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Does L2 keep its contents from one launch to the next? Most steps that need data in L2 read it in
 * one launch and time it in the next. If a driver empties L2 in between, they must do both in one
 * launch, or have no value.
 */
#ifndef GC_MEASURE_WALK_L2_SURVIVES_H
#define GC_MEASURE_WALK_L2_SURVIVES_H

#include "measure/core/measurement.h"

/* Sets m->results->l2_lost. If AMD does not tell how many L2 there are, it stays false. */
int gc_test_l2_survival(struct gc_measurement *m);

/* The reason for an absent property that cannot be measured in one launch. */
extern const char gc_l2_lost_why[];

#endif
