/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Results that no GPU can have. doc/methods.md, "Agreement".
 */
#ifndef GC_MEASURE_CHECK_PLAUSIBLE_H
#define GC_MEASURE_CHECK_PLAUSIBLE_H

#include "measure/results/results.h"

/* Withholds values that are impossible, alone or together, and warns. If two values contradict each
 * other, both are withheld, because nothing shows which of them is wrong. sms: SMs or CUs of the
 * GPU. To be called when the plan is done. */
void gc_check_plausible(struct gc_results *results, uint32_t sms);

#endif
