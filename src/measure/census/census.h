/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Steps that count what a cache holds. They run after the step that finds the capacity, and confirm
 * or withhold it. gc_step (core/measurement.h) says what a step is.
 */
#ifndef GC_MEASURE_CENSUS_CENSUS_H
#define GC_MEASURE_CENSUS_CENSUS_H

#include "measure/core/measurement.h"

gc_step gc_step_census;            /* sm_census.c: caches inside the SM */
gc_step gc_step_l2_census;         /* l2_census.c */
gc_step gc_step_l2_total;          /* l2_total.c: what L2 holds in all */
gc_step gc_step_l3_census;         /* l3_census.c */
gc_step gc_step_constant15_census; /* constant15_census.c */

gc_step_needs gc_needs_l2_census, gc_needs_l2_total, gc_needs_l3_census;

/* The threshold in raw cycles between loads of lines that one SM keeps near and all others. 0: it
 * is not known, because of GC_NEAR_UNKNOWN. */
uint32_t gc_l2_census_threshold(const struct gc_measurement *m);
#define GC_NEAR_UNKNOWN "loads that hit near lines cannot be told from others"

#endif
