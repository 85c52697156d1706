/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Results of compare, for people.
 */
#ifndef GC_TOOL_COMPARE_PRINT_H
#define GC_TOOL_COMPARE_PRINT_H

#include "tool/compare/fleet.h"
#include "tool/compare/pair.h"

/* What the functions print about. */
struct gc_report {
  const struct gc_subjects *subjects;
  double tolerance; /* as in limits.h */
};

/* Prints who is compared, notes, and what differs. 0 or -ENOMEM, like all functions here. */
int gc_print_pair(const struct gc_report *report, const struct gc_pair *pair);

/* Prints outliers, divided properties, groups, and a summary. */
int gc_print_fleet(const struct gc_report *report, const struct gc_fleet *fleet);

#endif
