/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The launches of each kernel added up.
 */
#ifndef GC_PREDICT_SUMS_H
#define GC_PREDICT_SUMS_H

#include "predict/prediction.h"

/* Fills prediction->sums from its kernels. 0 or -ENOMEM. */
int gc_prediction_sum_up(struct gc_prediction *prediction);

#endif
