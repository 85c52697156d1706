/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The data of one file that measure --raw wrote (its format is in measure/raw).
 */
#ifndef GC_TOOL_PLOT_READ_H
#define GC_TOOL_PLOT_READ_H

#include "record/infos.h"
#include "util/error.h"

#include <dirent.h>
#include <stdio.h>

#define GC_PLOT_COLUMNS 48
#define GC_PLOT_SUFFIX ".tsv" /* of the names of the files */

struct gc_plot {
  struct gc_infos head; /* the lines "# name: value" */
  char columns[GC_PLOT_COLUMNS][48];
  size_t width, rows;
  double *values; /* rows of width; NAN for what is not a number */
};

/* For scandir: whether this can be a file that measure --raw wrote, by its name. */
int gc_plot_is_data(const struct dirent *entry);

/* Reads a file of the directory dir. 0, and the caller calls gc_plot_free; -ENOMSG without a
 * sentence when it is another file, or a list, which is not drawn; or another negative errno
 * with a sentence. */
int gc_plot_read(int dir, const char *name, struct gc_plot *plot, struct gc_error *err);
void gc_plot_free(struct gc_plot *plot);

/* The same for an open file, which the caller closes. */
int gc_plot_parse(FILE *file, struct gc_plot *plot, struct gc_error *err);

/* The number in this line of the head, or NAN. */
double gc_plot_number(const struct gc_plot *plot, const char *name);

/* The index of the column, or -1. */
int gc_plot_column(const struct gc_plot *plot, const char *name);

#endif
