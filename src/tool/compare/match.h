/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which GPU of one side is compared with which GPU of the other.
 */
#ifndef GC_TOOL_COMPARE_MATCH_H
#define GC_TOOL_COMPARE_MATCH_H

#include "tool/compare/subjects.h"

/* The GPUs of one argument: subjects [first, first + count). */
struct gc_matched_side {
  size_t first, count;
  bool is_directory;
};

/* Subjects a and b belong together; GC_NOBODY: the other one is in one side only. */
#define GC_NOBODY SIZE_MAX
struct gc_match {
  size_t a, b;
};

/* Finds the pairs, and those that have no partner: *matches, which the caller frees, in the order
 * of side a, then of side b. 0 or -ENOMEM.
 *
 * One GPU on both sides: these two, whatever they are. Otherwise GPUs belong together if they have
 * the same id. If several GPUs of a side have that id (simulated GPUs of several nodes), the names
 * must be the same, too. If files (and no directories) have equally many GPUs and no id is on both
 * sides, the first belongs to the first and so on. */
int gc_match_sides(const struct gc_subjects *subjects, const struct gc_matched_side *a,
                   const struct gc_matched_side *b, struct gc_match **matches, size_t *count);

#endif
