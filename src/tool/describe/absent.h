/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The values of a record that are absent, and why.
 */
#ifndef GC_TOOL_DESCRIBE_ABSENT_H
#define GC_TOOL_DESCRIBE_ABSENT_H

#include "record/record.h"

#include <stdio.h>

/* The reason, if info i is the source of an absent value; then *length is the length of the
 * property in the name of the info. NULL: it is another info, or the value has no meaning (PerSM of
 * a cache that several SMs share). */
const char *gc_absent_reason(const struct gc_infos *infos, size_t i, size_t *length);

/* Appends a property to a list: "PerSM, Instances", or "PerCU, ..." of an AMD GPU. The property, so
 * many bytes, need not end with a NUL. */
#define GC_ABSENT_LIST 512
void gc_absent_append(const struct gc_record *record, const char *property, size_t length,
                      char text[GC_ABSENT_LIST]);

/* Writes one line of any length for each reason. only: a set of kinds, as gc_show_has. */
void gc_show_absent(const struct gc_record *record, unsigned only, FILE *out);

/* The number of absent values. */
unsigned gc_show_count_absent(const struct gc_record *record, unsigned only);

#endif
