/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The notes about how an element is organized, as lines of text.
 */
#ifndef GC_TOOL_DESCRIBE_STRUCTURE_H
#define GC_TOOL_DESCRIBE_STRUCTURE_H

#include "record/record.h"

#include <stdio.h>

/* Writes what is known about sets, replacement, stores, outstanding loads, slices, banks, atomic
 * operations and translation. Lines have any length. unit: gc_record_unit of the record. */
void gc_show_structure(const struct gc_element *element, const char *unit, FILE *out);

#endif
