/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The notes below the tables of a record, as lines of text of any length.
 */
#ifndef GC_TOOL_DESCRIBE_NOTES_H
#define GC_TOOL_DESCRIBE_NOTES_H

#include "record/record.h"

#include <stdbool.h>
#include <stdio.h>

/* A set of kinds of elements: bit i stands for kind i; 0: all of them. */
static inline bool gc_show_has(unsigned only, enum gc_kind kind)
{
  return !only || only >> kind & 1;
}

/* Writes all: the facts of the GPU (if all elements are shown), then the notes about each element.
 */
void gc_show_notes(const struct gc_record *record, unsigned only, FILE *out);

/* Write one of these notes: the partitions of an L2; the carve-out for which the capacities of this
 * element and of later ones hold, unless an earlier element has the same. */
void gc_show_partitions(const struct gc_element *element, FILE *out);
void gc_show_carveout(const struct gc_record *record, size_t first, unsigned only, FILE *out);

#endif
