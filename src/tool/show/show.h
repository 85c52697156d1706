/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The subcommand show: prints records.
 */
#ifndef GC_TOOL_SHOW_SHOW_H
#define GC_TOOL_SHOW_SHOW_H

#include "util/error.h"

/* Reads the list after --element, "L1Cache,L2Cache", into a set of kinds. NULL: none. 0; -EINVAL with a
 * sentence if a word names no element. */
int gc_show_elements(const char *list, unsigned *elements, struct gc_error *err);

#endif
