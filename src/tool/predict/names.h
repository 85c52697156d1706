/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Names of kernels as cells of a table.
 */
#ifndef GC_TOOL_PREDICT_NAMES_H
#define GC_TOOL_PREDICT_NAMES_H

#include "tool/print/table.h"

/* Writes the names, which all differ, into the first cells of the rows after the titles: demangled,
 * without parameters where names differ without them, and shortened to so many columns. What is
 * left of a name differs from the others, unless it is less than a few characters. 0, or -1: out of
 * memory. */
int gc_names_write(const char *const *names, size_t count, size_t columns, struct gc_table *table);

#endif
