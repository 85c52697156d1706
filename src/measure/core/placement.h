/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Where the blocks of a launch run. The hardware decides that. On a free GPU, a launch with one
 * block for each SM reaches every SM. Two blocks may meet on one SM only while SMs change their
 * carve-out. If blocks keep meeting, another program occupies SMs, or a mask hides some of them.
 */
#ifndef GC_MEASURE_CORE_PLACEMENT_H
#define GC_MEASURE_CORE_PLACEMENT_H

#include "measure/core/bench.h"

#define GC_PLACEMENT_LAUNCHES 8 /* attempts to get an SM of its own for each block */

/* Whether two of n blocks ran on the same SM. first: the SM of the first block; the next ones are
 * `bytes` apart. */
bool gc_sms_met(const uint32_t *first, size_t bytes, size_t n);

/* The same for the n blocks whose results are in bench->results. */
bool gc_blocks_met(const struct gc_bench *bench, size_t n);

/* Launches a block on each SM without any loads: bench->results[i].sm is the number of its SM.
 * Repeats that until no two blocks run on the same SM. *met: in all attempts, two blocks met. */
int gc_placement_launch(struct gc_bench *bench, bool *met);

#endif
