/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The page of one GPU: a header, then sections.
 */
#ifndef GC_TOOL_REPORT_PAGE_H
#define GC_TOOL_REPORT_PAGE_H

#include "tool/report/subject.h"

/* Writes the whole page. 0; 1 if some files of measure --raw could not be used, after a message for
 * each; or a negative errno with a sentence, and the caller discards the output. */
int gc_report_page(FILE *out, const struct gc_report *report, struct gc_error *err);

#endif
