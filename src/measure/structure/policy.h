/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which line does a new line replace? From the hits and misses of loads of the lines of one set, of
 * which there is one more than ways. So exactly one of them is absent at any time, and the next
 * line that misses is the one that was replaced last. Pure functions.
 */
#ifndef GC_MEASURE_STRUCTURE_POLICY_H
#define GC_MEASURE_STRUCTURE_POLICY_H

#include "measure/results/results.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GC_POLICY_WAYS_MAX 192

enum gc_load_outcome { GC_HIT, GC_MISS, GC_EITHER };

/* Loads of the ways + 1 lines of a set that was empty: load i is of line order[i % period]. The
 * first ways + 1 loads are of different lines. */
struct gc_set_loads {
  uint32_t ways;
  const uint8_t *order;
  size_t period;
  const uint8_t *seen; /* [loads]: enum gc_load_outcome */
  size_t loads;
};

/* Of the misses that a policy predicts or that were seen, the share of those that are both. The
 * first loads do not count. GC_REPLACES_LRU, _FIFO, _SLRU or _PLRU; 0 if it needs another number of
 * ways. */
double gc_policy_agrees(enum gc_replaces policy, const struct gc_set_loads *loads);

/* Whether the same loads miss in each of the later repetitions of the order, or in every few of
 * them: then the order of loads decides which line is replaced, and not chance. */
bool gc_policy_repeats(const struct gc_set_loads *loads);

/* Counts of replaced lines: by their way, numbered in the order in which ways were filled; and by
 * their age, from the line used last. */
struct gc_victims {
  uint64_t by_way[GC_POLICY_WAYS_MAX], by_age[GC_POLICY_WAYS_MAX];
  uint64_t n;
};

/* Adds the replacements that the loads show, up to the first load whose outcome is not clear or
 * contradicts them. */
void gc_victims_add(struct gc_victims *victims, const struct gc_set_loads *loads);

/* Whether the counts differ by no more than chance explains (chi-squared test). */
bool gc_counts_alike(const uint64_t *counts, uint32_t n);

#endif
