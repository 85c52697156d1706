/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The data of one file that measure --raw wrote (its format is in measure/raw).
 */
#ifndef GC_TOOL_PLOT_RAW_DATA_H
#define GC_TOOL_PLOT_RAW_DATA_H

#include "record/infos.h"
#include "util/error.h"

#include <dirent.h>
#include <stdbool.h>

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

/* The same for the text of a file, which ends with a NUL that length does not count. Changes it. */
int gc_plot_parse(char *text, size_t length, struct gc_plot *plot, struct gc_error *err);

/* The text in this line of the head, or ""; whether it is this one; the number in it, or NAN. */
const char *gc_plot_text(const struct gc_plot *plot, const char *name);
bool gc_plot_is(const struct gc_plot *plot, const char *name, const char *value);
double gc_plot_number(const struct gc_plot *plot, const char *name);

/* The cycles that the timing itself adds to a load, or 0; pictures show loads without them. */
double gc_plot_timing(const struct gc_plot *plot);

/* The index of the column, or -1; the number in this row and column. */
int gc_plot_column(const struct gc_plot *plot, const char *name);
double gc_plot_at(const struct gc_plot *plot, size_t row, int column);

/* The order of two doubles, for qsort; and the median of n > 0 values, which are sorted. */
int gc_plot_ascending(const void *a, const void *b);
double gc_plot_median(double *values, size_t n);

/* A number of bytes, "217 KiB", with two digits after the point if it is not a whole number of
 * units; "" if it is unknown. */
void gc_plot_bytes(double bytes, char *text, size_t size);

#endif
