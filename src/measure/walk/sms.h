/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The numbers of the SMs. Kernels report the SM on which they ran as a number. On NVIDIA GPUs these
 * numbers are 0, 1, 2 …. On AMD GPUs a number is the position of the CU in the chip, and most
 * numbers do not exist. An SM's index is the position of its number among all existing numbers,
 * ascending.
 */
#ifndef GC_MEASURE_WALK_SMS_H
#define GC_MEASURE_WALK_SMS_H

#include "measure/core/measurement.h"

/* Finds the numbers of the SMs, unless they are known: results->sm_number and sm_count. The count
 * is less than the number of SMs if some SMs never ran a block. */
int gc_number_sms(struct gc_measurement *m);

/* The index of the SM with this number; UINT32_MAX: there is none. */
uint32_t gc_sm_index(const struct gc_results *results, uint32_t sm);

#endif
