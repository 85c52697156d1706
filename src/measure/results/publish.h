/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes typed results as the text of a record. Nothing else in src/measure writes values as text.
 */
#ifndef GC_MEASURE_RESULTS_PUBLISH_H
#define GC_MEASURE_RESULTS_PUBLISH_H

#include "measure/results/results.h"

/* Adds every element that a step has tried, with values, sources and confidences. 0 or -ENOMEM. */
int gc_publish(const struct gc_results *results, struct gc_record *record);

/* The sizes of groups for SharedByCUs, largest first: "24x3,24x2" means 24 groups of 3 and 24 of
 * 2. */
void gc_group_sizes_text(const struct gc_groups *groups, uint32_t sms, char *text, size_t size);

#endif
