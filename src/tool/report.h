/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A record as tables for people.
 */
#ifndef GC_TOOL_REPORT_H
#define GC_TOOL_REPORT_H

#include "record/record.h"

/* Prints the record; gpu is the name to print. GC_EXIT_DONE, or GC_EXIT_FAILED without memory
 * (printed). */
int gc_report(const struct gc_record *record, const char *gpu);

#endif
