/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Where the blocks of a launch run. The hardware decides that. On a free GPU, a launch with one
 * block for each SM reaches every SM. Two blocks may meet on one SM only while SMs change their
 * carve-out. If blocks keep meeting, another program occupies SMs, or a mask hides some of them.
 *
 * Kernels report the SM on which they ran as a number. On NVIDIA GPUs these numbers are 0, 1, 2 ….
 * On AMD GPUs a number is the position of the CU in the chip, and most numbers do not exist. An
 * SM's index is the position of its number among all existing numbers, ascending.
 */
#ifndef GC_MEASURE_CORE_PLACEMENT_H
#define GC_MEASURE_CORE_PLACEMENT_H

#include "measure/core/measurement.h"

#define GC_PLACEMENT_LAUNCHES 8 /* attempts to get an SM of its own for each block */

/* Whether two of n blocks ran on the same SM. first: the SM of the first block; the next ones are
 * `bytes` apart. */
bool gc_sms_met(const uint32_t *first, size_t bytes, size_t n);

/* The same for the n blocks whose results are in bench->results. */
bool gc_blocks_met(const struct gc_bench *bench, size_t n);

/* Notes the sign that another program occupies SMs. Returns -EIO with a sentence. */
int gc_fail_blocks_met(struct gc_bench *bench);

/* Launches a block on each SM without any loads: bench->results[i].sm is the number of its SM.
 * Repeats that until no two blocks run on the same SM. *met: in all attempts, two blocks met. */
int gc_placement_launch(struct gc_bench *bench, bool *met);

/* Finds the numbers of the SMs, unless they are known: results->sm_number and sm_count. The count
 * is less than the number of SMs if some SMs never ran a block. */
int gc_number_sms(struct gc_measurement *m);

/* Whether all SMs have numbers, 0, 1, 2 … without gaps. Kernels that take jobs by SM need that. */
bool gc_sms_without_gaps(const struct gc_measurement *m);

/* The index of the SM with this number; UINT32_MAX: there is none. */
uint32_t gc_sm_index(const struct gc_results *results, uint32_t sm);

#endif
