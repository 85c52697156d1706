/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A chain of lines that no cache holds, for latencies of device memory. Loads that are far apart
 * may wait for the translation of their address. So GC_OF_PAGE lines of each page follow each
 * other; the first load of a page brings in its translation and should not count.
 */
#ifndef GC_MEASURE_WALK_COLD_PAGES_H
#define GC_MEASURE_WALK_COLD_PAGES_H

#include "measure/core/bench.h"

#define GC_PAGE 4096u /* bytes: no GPU has smaller pages */
#define GC_OF_PAGE 4u /* loads of each page, each in a line of its own */

/* Lays the chain through so many pages at the start of the arena, in scattered order, and empties
 * the caches. The page behind them is used, too. */
int gc_cold_pages_lay(struct gc_bench *bench, uint64_t pages);

/* The address of the first line of page n of such a chain, in its order. */
uint64_t gc_cold_pages_at(const struct gc_bench *bench, uint64_t pages, uint64_t n);

#endif
