/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A chart in SVG: axes with ticks, and series over them. Points outside of the axes are drawn at
 * their edge; points that are not finite are left out.
 */
#ifndef GC_TOOL_PLOT_CHART_H
#define GC_TOOL_PLOT_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct gc_axis {
  double low, high;
  unsigned base; /* 2 or 10: logarithmic, and low > 0; 0: linear */
  bool bytes;    /* numbers of bytes */
  /* Linear, from above -1: the text below each whole number, NULL for those without. Then there are
   * no other ticks. */
  const char *const *names;
};

struct gc_chart {
  FILE *out;
  double left, top, width, height; /* in the SVG, in pixels */
  struct gc_axis x, y;
};

/* n > 0 points; stride: from one to the next, in numbers. */
struct gc_series {
  const double *x, *y;
  ptrdiff_t stride;
  size_t n;
};

enum gc_shape { GC_LINE, GC_DOTS, GC_SMALL_DOTS, GC_BAND };

/* An entry of the legend. */
struct gc_chart_key {
  enum gc_shape shape;
  unsigned series;
  const char *name;
};

/* Pixels of a character, on average, with a wide font. */
#define GC_CHART_CHARACTER 7.2

/* The colours and lines of all charts: those of paper. */
extern const char gc_chart_style[];

/* Makes a range that is not empty and not too large. share: of the range, to add on both sides. */
void gc_axis_fit(struct gc_axis *axis, double share);

/* A linear range from 0 on. */
void gc_axis_from_zero(struct gc_axis *axis, double high);

/* A range like that of gc_axis_fit, of numbers that can span several powers: logarithmic to this
 * base if they are above zero and the highest is more than `most` times the lowest. */
void gc_axis_fit_powers(struct gc_axis *axis, unsigned base, double most);

/* Axes, grid and ticks. The ticks of x have numbers if there is a label; NULL: none. */
void gc_chart_axes(const struct gc_chart *chart, const char *x_label, const char *y_label);

/* Number `series` (from 0) has a colour and a dash of its own. GC_LINE: with dots if there are few
 * points. GC_DOTS: points without a line, round for series 0, 2 …, square for the others. */
void gc_chart_draw(const struct gc_chart *chart, enum gc_shape shape, unsigned series,
                   const struct gc_series *points);
/* The area between two curves over the same x; high: the y of the other one. */
void gc_chart_band(const struct gc_chart *chart, const struct gc_series *low, const double *high);
/* Bars of this width (in units of x) around each x. */
void gc_chart_bars(const struct gc_chart *chart, const struct gc_series *points, double width);

/* A value that was found: a dashed line at x, with a text (may be "") beside it, or at y. */
void gc_chart_mark_x(const struct gc_chart *chart, double x, const char *text);
void gc_chart_mark_y(const struct gc_chart *chart, double y);

/* A thin line at y, with a text in the right margin. */
void gc_chart_level_y(const struct gc_chart *chart, double y, const char *text);

/* A thin line at x in the colour of a series, with a text (may be "") above it. The text is
 * left out if it would overlap the one that ends at x = taken (pixels; NAN: there is none). Returns
 * `taken` for the next. */
double gc_chart_level_x(const struct gc_chart *chart, double x, unsigned series, const char *text,
                        double taken);

/* The legend, in lines from y on. Returns the y below them. */
double gc_chart_legend(const struct gc_chart *chart, double y, const struct gc_chart_key *keys,
                       size_t n);

#endif
