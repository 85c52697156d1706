/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Confidences that are earned: a method computes how sure it is, and the calibration has shown how
 * often such values are right. No value is published with more than that. doc/methods.md,
 * "Confidence".
 */
#ifndef GC_MEASURE_RESULTS_EARNED_H
#define GC_MEASURE_RESULTS_EARNED_H

#include "measure/results/results.h"

#include <stddef.h>

#define GC_EARNED_BINS 7

/* The lower ends of the bins of confidence, ascending. The first is GC_CONFIDENCE_LEAST. */
extern const double gc_earned_bins[GC_EARNED_BINS];

/* Values of one property in one bin, when the calibration measured drawn GPUs. */
struct gc_earned {
  uint32_t values, wrong;
  double most; /* the confidence that these counts support; 0: none */
};

/* earned_table.c, which `calibrate --earn` writes. A property without a row has not been
 * calibrated, and is not published. */
extern const struct gc_earned gc_earned_table[GC_PROPERTY_COUNT][GC_EARNED_BINS];
/* The seeds of these GPUs. A test of the table must draw others. */
extern const uint64_t gc_earned_seed, gc_earned_noise;

/* The bin of a confidence of GC_CONFIDENCE_LEAST or more. */
size_t gc_earned_bin(double confidence);

/* The property whose row counts. Other GPUs are measured by the code that measures the host
 * (host/outside.c), so their rows are those of the host. */
enum gc_property gc_earned_as(enum gc_property property);

/* Limits the confidence of every measured value to what the table supports, in four decimals. If
 * less than GC_CONFIDENCE_LEAST is left, the property becomes absent. To be called once, when all
 * results are final. table: NULL, or another one of [GC_PROPERTY_COUNT][GC_EARNED_BINS]. */
void gc_earn(struct gc_results *results, const struct gc_earned *table);

#endif
