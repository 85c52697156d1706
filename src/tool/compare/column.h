/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The values of one property in a group of GPUs.
 */
#ifndef GC_TOOL_COMPARE_COLUMN_H
#define GC_TOOL_COMPARE_COLUMN_H

#include "tool/compare/subjects.h"

struct gc_column {
  const struct gc_subjects *subjects;
  size_t property;
  size_t *with; /* subjects with a value, from the commonest source if there are several */
  size_t with_count;
  size_t *without; /* subjects without one, for which that counts as in pair.h */
  size_t without_count;
  double *numbers; /* of the subjects in with, if the property has numbers */
};

/* Makes an empty column with room for all subjects. 0, and the caller frees it; or -ENOMEM. */
int gc_column_init(struct gc_column *column, const struct gc_subjects *subjects);
void gc_column_free(struct gc_column *column);

/* Fills the column with the values of a property in a group. */
void gc_column_fill(struct gc_column *column, size_t property, const size_t *group, size_t count);

/* The text that more than half of the subjects in with have, if any has that. */
const char *gc_column_majority(const struct gc_column *column);

const struct gc_compared_property *gc_column_property(const struct gc_column *column);

#endif
