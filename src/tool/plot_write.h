/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes variables of a gnuplot script, and computes with the numbers of a file of measure --raw.
 */
#ifndef GC_TOOL_PLOT_WRITE_H
#define GC_TOOL_PLOT_WRITE_H

#include "tool/plot_read.h"

#include <stdio.h>

/* Set a variable: a text (NULL: empty) without special characters; a number, NaN if it is
 * unknown; bytes as a text for people, "217 KiB", with two digits after the point if it is not a
 * whole number of units. */
void gc_plot_text(FILE *script, const char *name, const char *text);
void gc_plot_say(FILE *script, const char *name, double value);
void gc_plot_bytes(FILE *script, const char *name, double bytes);

/* The cycles that the timing itself adds to a load, or 0; pictures show loads without them. */
double gc_plot_timing(const struct gc_plot *plot);

/* The number in this row and column. */
double gc_plot_at(const struct gc_plot *plot, size_t row, int column);

/* The order of two doubles, for qsort. */
int gc_plot_ascending(const void *a, const void *b);

/* The median of n > 0 values, which are sorted. */
double gc_plot_median(double *values, size_t n);

#endif
