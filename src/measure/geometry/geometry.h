/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Steps that find fetch granularities and lines. gc_step says what a step is.
 */
#ifndef GC_MEASURE_GEOMETRY_GEOMETRY_H
#define GC_MEASURE_GEOMETRY_GEOMETRY_H

#include "measure/core/measurement.h"

gc_step gc_step_fetch;           /* fetch.c */
gc_step gc_step_line;            /* line.c: caches inside the SM */
gc_step gc_step_l2_line;         /* l2_line.c */
gc_step gc_step_constant15_line; /* constant15_line.c */

gc_step_needs gc_needs_l2_line;

#endif
