/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The 95th percentile of the noise that the model adds to a latency.
 */
#ifndef GC_TESTS_TAIL_H
#define GC_TESTS_TAIL_H

#include "model/noise.h"

/* What the slowest twentieth of loads takes longer than, above the latency of the level. jitter: its
 * standard deviation. slow: the share of loads that take `more` cycles longer than the others. */
double tail_of(const struct gc_disturbance *disturbance, double jitter, double slow, double more);

#endif
