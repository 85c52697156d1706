/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The notes below the tables of a record, as lines of text.
 */
#ifndef GC_TOOL_SHOW_NOTES_H
#define GC_TOOL_SHOW_NOTES_H

#include "record/record.h"

#include <stdbool.h>
#include <stdio.h>

/* A set of kinds of elements: bit i stands for kind i; 0: all of them. */
static inline bool gc_show_has(unsigned only, enum gc_kind kind)
{
  return !only || only >> kind & 1;
}

/* Writes facts of the GPU (if all elements are shown) and conditions of values; then the values
 * that are absent, with their reasons. Lines have any length. */
void gc_show_notes(const struct gc_record *record, unsigned only, FILE *out);
void gc_show_absent(const struct gc_record *record, unsigned only, FILE *out);

#endif
