/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One picture: the data of a file of measure --raw, with the value that was found.
 */
#ifndef GC_TOOL_REPORT_PICTURE_H
#define GC_TOOL_REPORT_PICTURE_H

#include "tool/plot_read.h"
#include "util/error.h"

#include <stdio.h>

/* Writes a figure; number: of the figure in the page. 0, or a negative errno with a sentence; then
 * nothing was written. */
int gc_report_picture(FILE *out, const struct gc_plot *plot, unsigned number, struct gc_error *err);

#endif
