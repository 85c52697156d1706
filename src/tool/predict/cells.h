/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Rates as cells of a table, and the loads that a table shows.
 */
#ifndef GC_TOOL_PREDICT_CELLS_H
#define GC_TOOL_PREDICT_CELLS_H

#include "predict/predict.h"
#include "tool/print/table.h"

/* "50.0 %", or "-" for NaN. */
void gc_cell_percent(double part, char cell[GC_CELL]);

/* "49.0 to 51.0 %"; unchanged for NaN. */
void gc_cell_range(const struct gc_estimate *estimate, char cell[GC_CELL]);

/* The loads with the most misses, at most `most`, in the order of the kernel; their number is in
 * *count. The caller frees the array. NULL: no memory. */
const struct gc_load_prediction **gc_worst_loads(const struct gc_kernel_prediction *kernel,
                                                 size_t most, size_t *count);

#endif
