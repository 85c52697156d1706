/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Groups of SMs that share something: how witnesses become groups, and launches in which block
 * after block is such a witness. SMs are indices (core/placement.h). doc/methods.md,
 * "Groups of SMs".
 */
#ifndef GC_MEASURE_WALK_GROUPS_H
#define GC_MEASURE_WALK_GROUPS_H

#include "measure/core/measurement.h"

/* The result of a search for groups. */
struct gc_found_groups {
  struct gc_groups groups; /* numbered by their first SMs */
  double confidence;
  const char *absent; /* why there is no result; NULL: there is one */
};

/* Begins with a group for each SM. */
void gc_groups_start(struct gc_groups *groups, uint32_t sms);

/* SMs a and b share something: joins their groups. Returns whether they were in different ones. The
 * numbers of the groups have gaps until gc_groups_number. */
bool gc_groups_join(struct gc_groups *groups, uint32_t sms, uint32_t a, uint32_t b);

/* Numbers the groups by their first SMs, without gaps. Numbers must be less than GC_SMS_MAX. */
void gc_groups_number(struct gc_groups *groups, uint32_t sms);

/* Whether every group of `fine` lies in one group of `coarse`. */
bool gc_groups_divide(const struct gc_groups *fine, const struct gc_groups *coarse, uint32_t sms);

/* Whether both are the same groups. Each is numbered by its first SMs. */
bool gc_groups_same(const struct gc_groups *a, const struct gc_groups *b, uint32_t sms);

/* Of n >= 1 results, the first one of those that agree most often. *agree: how many do, itself
 * included. */
const struct gc_groups *gc_groups_most_common(const struct gc_groups *results, uint32_t n,
                                              uint32_t sms, uint32_t *agree);

/* Reports the SMs that share a cache or a TLB, as this property, and the number of instances. If
 * each SM has one of its own, GC_PER_SM is 1. Otherwise it is absent for the reason `shared`; NULL
 * leaves it as it is. Returns 0. */
int gc_groups_put(struct gc_measured *element, const struct gc_groups *groups, uint32_t sms,
                  enum gc_property property, double confidence, const char *shared);

/* A launch with one block for each SM. Block after block does its work, in the order of tickets. */
struct gc_in_order {
  enum gc_kernel kernel;
  uint32_t threads; /* of a block */
  const void *args;
  uint64_t ticket, at; /* on the device: the ticket, and the results */
  void *results;       /* by block; a result begins with the members sm and in_order (args.h) */
  size_t bytes;        /* of one result */
};

/* Launches it once. *why: what is wrong with the results, NULL: nothing. Then each block waited for
 * its ticket, and ran on an SM of its own. */
int gc_launch_in_order(struct gc_measurement *m, const struct gc_in_order *launch,
                       const char **why);

#endif
