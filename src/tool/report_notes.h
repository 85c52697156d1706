/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The notes below the tables of a record.
 */
#ifndef GC_TOOL_REPORT_NOTES_H
#define GC_TOOL_REPORT_NOTES_H

#include "record/record.h"

void gc_report_notes(const struct gc_record *record);

#endif
