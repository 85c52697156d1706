/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One picture: the data of a file of measure --raw, with the value that was found.
 */
#ifndef GC_TOOL_PLOT_PICTURE_H
#define GC_TOOL_PLOT_PICTURE_H

#include "tool/plot/raw_data.h"
#include "util/error.h"

#include <stdio.h>

/* Writes a figure of a page, which has gc_chart_style; number: of the figure in the page. 0, or a
 * negative errno with a sentence; then nothing was written. */
int gc_picture_figure(FILE *out, const struct gc_plot *plot, unsigned number, struct gc_error *err);

/* Writes the same picture as an SVG file with a title. */
int gc_picture_file(FILE *out, const struct gc_plot *plot, struct gc_error *err);

#endif
