/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Pictures of runs over arrays of many sizes: latency and share of slow loads over the size.
 */
#ifndef GC_TOOL_PLOT_BY_SIZE_H
#define GC_TOOL_PLOT_BY_SIZE_H

#include "tool/plot/chart.h"
#include "tool/plot/raw_data.h"

/* Draw one curve, or one for each carve-out. Only out, left and width of the chart are set; the
 * functions set the others to those of the last chart that they drew. found: the value as text. 0;
 * or a negative errno with a sentence, and then the output is to be dropped. */
int gc_draw_sizes(struct gc_chart *chart, const struct gc_plot *plot, const char *found,
                  struct gc_error *err);
int gc_draw_carveouts(struct gc_chart *chart, const struct gc_plot *plot, const char *found,
                      struct gc_error *err);

/* A number of bytes, "217 KiB", with two digits after the point if it is not a whole number of
 * units; "" if it is unknown. */
void gc_plot_bytes(double bytes, char *text, size_t size);

#endif
