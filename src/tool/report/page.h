/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The page of one GPU: a header, then sections.
 */
#ifndef GC_TOOL_REPORT_PAGE_H
#define GC_TOOL_REPORT_PAGE_H

#include "tool/report/subject.h"

/* Writes the whole page. 0; or a negative errno with a sentence: the files of measure --raw cannot
 * be used, or -ENOMEM. The caller then discards the output. */
int gc_report_page(FILE *out, const struct gc_report *report, struct gc_error *err);

#endif
