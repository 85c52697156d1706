/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How values are printed for people.
 */
#ifndef GC_TOOL_PRINT_FORMAT_H
#define GC_TOOL_PRINT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 222208 -> "217 KiB"; a value that is not a whole number of units gets two digits after the
 * point. */
void gc_format_bytes(uint64_t bytes, char *text, size_t size);

/* Whether a <Property>Source says that there is no value: "absent:reason". */
bool gc_is_absent(const char *source);

#endif
