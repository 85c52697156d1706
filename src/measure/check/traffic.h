/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Latencies of memories whose clock rises with traffic.
 */
#ifndef GC_MEASURE_CHECK_TRAFFIC_H
#define GC_MEASURE_CHECK_TRAFFIC_H

#include "measure/results/results.h"

/* Where loads take clearly less time beside others, the latency becomes that, and the one of lone
 * loads the idle latency. After all that compares latencies of lone loads. */
void gc_check_traffic(struct gc_results *results);

#endif
