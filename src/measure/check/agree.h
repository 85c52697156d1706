/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Two methods for one value must agree. doc/methods.md, "Agreement".
 */
#ifndef GC_MEASURE_CHECK_AGREE_H
#define GC_MEASURE_CHECK_AGREE_H

#include "measure/core/measurement.h"

/* To be called when the plan is done. Withholds capacities that contradict each other or the
 * vendor's interface, and warns. (A census is compared with its capacity at once:
 * census/verdict.h.) */
void gc_check_agreement(struct gc_measurement *m);

#endif
