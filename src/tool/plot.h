/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of "plot" share: the data of one file that measure --raw wrote (measure/raw.h), and
 * how it becomes a script for gnuplot.
 */
#ifndef GC_TOOL_PLOT_H
#define GC_TOOL_PLOT_H

#include "record/record.h"

#include <stdio.h>

#define GC_PLOT_COLUMNS 48

struct gc_plot {
  struct gc_infos head; /* the lines "# name: value" */
  char columns[GC_PLOT_COLUMNS][48];
  size_t width, rows;
  double *values;       /* rows of width; NAN for what is no number */
};

/* plot_read.c. 0; -ENOMSG, said nothing: not such a file, or a list, of which there is no picture; another
 * negative errno and a sentence. */
int gc_plot_read(int dir, const char *name, struct gc_plot *plot, struct gc_error *err);
void gc_plot_free(struct gc_plot *plot);
/* The number in this line of the head, or NAN. */
double gc_plot_number(const struct gc_plot *plot, const char *name);
/* Index of the column, or -1. */
int gc_plot_column(const struct gc_plot *plot, const char *name);

/* plot_script.c: what gnuplot has to know before it runs the template, whose name is returned
 * ("curve.gp"); NULL and a sentence when the data cannot be drawn. */
const char *gc_plot_script(const struct gc_plot *plot, FILE *script, struct gc_error *err);

#endif
