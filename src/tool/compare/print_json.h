/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Results of compare, for programs. The manual page describes the members.
 */
#ifndef GC_TOOL_COMPARE_PRINT_JSON_H
#define GC_TOOL_COMPARE_PRINT_JSON_H

#include "tool/compare/print.h"

#include <jansson.h>

/* These return new references; NULL: out of memory. */
json_t *gc_json_pair(const struct gc_report *report, const struct gc_pair *pair);
json_t *gc_json_subject(const struct gc_subject *subject);
json_t *gc_json_fleet(const struct gc_report *report, const struct gc_fleet *fleet);

/* Prints an object (a reference that it releases; NULL: out of memory) to stdout. 0 or -ENOMEM. */
int gc_json_print(json_t *object);

#endif
