/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The search for L2 partitions: which SMs find the same lines near. doc/methods.md,
 * "L2 partitions".
 */
#ifndef GC_MEASURE_TOPOLOGY_PARTITION_GROUPS_H
#define GC_MEASURE_TOPOLOGY_PARTITION_GROUPS_H

#include "measure/topology/readers.h"

struct gc_partition_groups {
  struct gc_readers r;
  int groups;
  /* [sms] group of the SM with this index, a number below groups; valid if groups > 1. */
  int *group;
  /* [sms] a fast load of this SM, because latencies depend on the position of the SM. */
  double *base;
  /* Cycles above the base: a load is slow from `threshold` on; an outlier, which says nothing, from
   * `beyond` on. */
  double threshold, beyond;
  double *scratch;  /* [readers * sms * loads + 2 * sms] */
  double confidence;
  const char *absent; /* why there is no result; NULL: there is one */
};

/* Readers for which there must be space. */
size_t gc_partition_groups_readers(const struct gc_measurement *m);

/* 0, or a negative errno: -ENOTSUP if this GPU is not suited for the method, with the reason in
 * s->absent. Call gc_partition_groups_free in any case. */
int gc_partition_groups_find(struct gc_measurement *m, struct gc_partition_groups *s);
void gc_partition_groups_free(struct gc_partition_groups *s);

/* Whether a load of this SM that took so many cycles is slow, and no outlier. */
bool gc_partition_groups_slow(const struct gc_partition_groups *s, uint32_t sm, double cycles);

/* The mean latency of an SM after a reader, without outliers, in cycles. */
double gc_partition_groups_mean(const struct gc_partition_groups *s, size_t reader, uint32_t sm);

#endif
