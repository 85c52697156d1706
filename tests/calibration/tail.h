/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Quantiles of the noise that the model adds to latencies.
 */
#ifndef GC_TESTS_TAIL_H
#define GC_TESTS_TAIL_H

#include "model/noise.h"

/* How the latencies of loads differ from that of the level. */
struct tail {
  double jitter;         /* standard deviation on an SM */
  double slow, more;     /* the share of loads that take `more` cycles longer than the others */
  uint32_t sms;          /* 0: all SMs are alike */
  const double *offsets; /* [sms] cycles by which each differs */
};

/* The quantile q of these differences. */
double tail_of(const struct gc_disturbance *disturbance, const struct tail *tail, double q);

#endif
