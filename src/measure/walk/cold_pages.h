/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A chain of lines that no cache holds, for latencies of memory. Loads that are far apart may wait
 * for the translation of their address. So GC_OF_PAGE lines of each page follow each other; the
 * first load of a page brings in its translation and should not count.
 */
#ifndef GC_MEASURE_WALK_COLD_PAGES_H
#define GC_MEASURE_WALK_COLD_PAGES_H

#include "measure/core/bench.h"

#define GC_PAGE 4096u /* bytes: no GPU has smaller pages, and no host */
#define GC_OF_PAGE 4u /* loads of each page, each in a line of its own */

/* Lays the chain through so many pages from this address on, in scattered order. The page behind
 * them is used, too. gc_cold_pages_lay: from the start of the arena on; it empties the caches. */
int gc_page_chain_lay(struct gc_bench *bench, uint64_t address, uint64_t pages);
int gc_cold_pages_lay(struct gc_bench *bench, uint64_t pages);

/* The address of the first line of page n of such a chain, in its order. */
uint64_t gc_page_chain_at(uint64_t address, uint64_t pages, uint64_t n);
uint64_t gc_cold_pages_at(const struct gc_bench *bench, uint64_t pages, uint64_t n);

#endif
