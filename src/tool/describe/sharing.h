/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Who shares what: elements that are one storage, and SMs that share an instance. Each function
 * writes one line of any length, or nothing. only: a set of kinds, as gc_show_has.
 */
#ifndef GC_TOOL_DESCRIBE_SHARING_H
#define GC_TOOL_DESCRIBE_SHARING_H

#include "record/record.h"

#include <stdio.h>

/* The elements that are in one storage. */
void gc_show_storage(const struct gc_record *record, unsigned only, FILE *out);

/* The elements that share their storage with none of those that they were compared with. */
void gc_show_own_storage(const struct gc_record *record, unsigned only, FILE *out);

/* The number of SMs for each instance of an element of which there are several, but fewer than
 * SMs. */
void gc_show_instances(const struct gc_record *record, unsigned only, FILE *out);

#endif
