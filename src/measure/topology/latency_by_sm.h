/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Does the latency of L2 depend on the SM? From the loads of the search for partitions.
 * doc/methods.md, "L2 partitions".
 */
#ifndef GC_MEASURE_TOPOLOGY_LATENCY_BY_SM_H
#define GC_MEASURE_TOPOLOGY_LATENCY_BY_SM_H

#include "measure/topology/partition_groups.h"

/* The median latency of the near loads of an SM, in cycles, once the groups are found. error: NULL,
 * or gets its standard error. The first s->r.sms numbers of s->scratch stay, the others do not. */
double gc_latency_of_sm(const struct gc_partition_groups *s, uint32_t sm, double *error);

/* Reports GC_LATENCY_BY_SM, once the groups are found: a value, or why there is none. Overwrites
 * s->scratch. Returns 0. */
int gc_put_latency_by_sm(const struct gc_partition_groups *s, struct gc_measured *element);

#endif
