/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The tables of one kernel, and rates as their cells.
 */
#ifndef GC_TOOL_PREDICT_CELLS_H
#define GC_TOOL_PREDICT_CELLS_H

#include "predict/predict.h"
#include "tool/print/table.h"

/* "50.0 %", or "-" for NaN. */
void gc_cell_percent(double part, char cell[GC_CELL]);

/* "49.0 to 51.0 %"; unchanged for NaN, and with --seeds 0. */
void gc_cell_range(const struct gc_estimate *estimate, char cell[GC_CELL]);

/* Each makes a table: 0, or -1: out of memory. The caller prints or frees its rows in both cases.
 */

/* L1 and L2. */
int gc_caches_table(const struct gc_kernel_prediction *kernel, struct gc_table *table);

/* The load instructions with the most misses, in the order of their addresses; *shown is their
 * number. */
int gc_loads_table(const struct gc_kernel_prediction *kernel, struct gc_table *table,
                   size_t *shown);

/* How often each reuse distance occurs, up to the longest, and what an LRU cache of so many lines
 * would hit; line_bytes of L1. */
int gc_distances_table(const struct gc_reuse_bins *bins, uint32_t line_bytes,
                       struct gc_table *table);

#endif
