/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The page of one GPU: a header, then sections.
 */
#ifndef GC_TOOL_REPORT_PAGE_H
#define GC_TOOL_REPORT_PAGE_H

#include "tool/report/subject.h"

/* Writes the whole page. 0; 1: without some files of measure --raw, which cannot be used, as the page
 * and messages say; or a negative errno with a sentence: none of these files can be used, or -ENOMEM.
 * The caller then discards the output. */
int gc_report_page(FILE *out, const struct gc_report *report, struct gc_error *err);

#endif
