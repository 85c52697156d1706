/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A chart in SVG: axes with ticks, and series over them. Points outside of the axes are drawn at
 * their edge; points that are not finite are left out.
 */
#ifndef GC_TOOL_REPORT_CHART_H
#define GC_TOOL_REPORT_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct gc_point {
  double x, y;
};

struct gc_chart {
  FILE *out;
  double left, top, width, height; /* in the SVG, in pixels */
  double x0, x1, y0, y1;           /* the values at its edges */
  bool bytes;                      /* x is a number of bytes */
  bool octaves;                    /* the x axis is logarithmic; x0 > 0 */
};

/* Makes a range that is not empty. share: of the range, to add on both sides. */
void gc_chart_fit(double *low, double *high, double share);

/* Axes, grid and ticks. The ticks of x have numbers if there is a label; NULL: none. */
void gc_chart_axes(const struct gc_chart *chart, const char *x_label, const char *y_label);

/* Series number `series` (from 0) has a colour and a dash of its own. */
void gc_chart_line(const struct gc_chart *chart, unsigned series, const struct gc_point *points,
                   size_t n);
/* Points without a line: round for series 0, 2 …, square for the others. */
void gc_chart_dots(const struct gc_chart *chart, unsigned series, const struct gc_point *points,
                   size_t n);
/* The area between two curves over the same x. */
void gc_chart_band(const struct gc_chart *chart, const struct gc_point *low,
                   const struct gc_point *high, size_t n);
/* Bars of this width (in units of x) around each x. */
void gc_chart_bars(const struct gc_chart *chart, const struct gc_point *points, size_t n,
                   double width);

/* A value that was found: a dashed line at x or at y, and a text (may be "") beside it. */
void gc_chart_mark_x(const struct gc_chart *chart, double x, const char *text);
void gc_chart_mark_y(const struct gc_chart *chart, double y, const char *text);

/* A thin line at y, with a text in the right margin. */
void gc_chart_level(const struct gc_chart *chart, double y, const char *text);

/* The names of n series, in lines from y on; `dots`: without lines. Returns the y below them. */
double gc_chart_legend(const struct gc_chart *chart, double y, bool dots, const char *const *names,
                       size_t n);

#endif
