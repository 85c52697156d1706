/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The section with the pictures of what measure --raw wrote.
 */
#ifndef GC_TOOL_REPORT_CURVES_H
#define GC_TOOL_REPORT_CURVES_H

#include "tool/report/subject.h"

/* Draws the files of report->raw that belong to this GPU: those with its id, or if there is none,
 * those of the first GPU of the same model; the page then says so. Without report->raw, says how to
 * get curves. 0; 1 if some files could not be used, after a message for each; or a negative errno
 * with a sentence if there is nothing to draw. */
int gc_report_curves(FILE *out, const struct gc_report *report, struct gc_error *err);

#endif
