/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which steps of the plan are wanted (--only), and which elements this GPU has.
 */
#ifndef GC_MEASURE_PLAN_SELECT_H
#define GC_MEASURE_PLAN_SELECT_H

#include "measure/measure.h"
#include "measure/plan/plan.h"

/* Is this element to be measured? That is, is its subtype in the comma list options->only? Without
 * a list: all but TLBs, for which the search takes too long. */
bool gc_select_wanted(const struct gc_measure_options *options, enum gc_kind kind);

/* Warns about elements in the list that this GPU does not have. -ENOENT and a sentence if it has
 * none of them. */
int gc_select_check(const struct gc_bench *bench, const struct gc_measure_options *options);

#endif
