/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Results of compare, for people and for programs.
 */
#ifndef GC_TOOL_COMPARE_PRINT_H
#define GC_TOOL_COMPARE_PRINT_H

#include "tool/compare/fleet.h"
#include "tool/compare/pair.h"
#include "tool/print/json.h"

/* What the functions print about. */
struct gc_comparison {
  const struct gc_subjects *subjects;
  double tolerance; /* as in limits.h */
};

/* Prints who is compared, notes, and what differs. 0 or -ENOMEM, like all functions here. */
int gc_print_pair(const struct gc_comparison *report, const struct gc_pair *pair);

/* Prints outliers, divided properties, groups, and a summary. */
int gc_print_fleet(const struct gc_comparison *report, const struct gc_fleet *fleet);

/* print_json.c: the same for programs; the manual page describes the members. NULL: out of memory. */
json_t *gc_json_pair(const struct gc_comparison *report, const struct gc_pair *pair);
json_t *gc_json_subject(const struct gc_subject *subject);
json_t *gc_json_fleet(const struct gc_comparison *report, const struct gc_fleet *fleet);

#endif
