/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The forms of data as charts. Only out, left, width, top and height of the chart are set, the last
 * two for a picture of one chart without a legend; a function sets the others, and at its end the
 * chart is the last one that it drew. found: the value that was found, as text. 0; or a negative
 * errno with a sentence, and then the output is to be dropped.
 */
#ifndef GC_TOOL_PLOT_DRAW_H
#define GC_TOOL_PLOT_DRAW_H

#include "tool/plot/chart.h"
#include "tool/plot/raw_data.h"

/* by_size.c: latency and share of slow loads over the size of an array, in one curve or in one for
 * each carve-out. */
int gc_draw_sizes(struct gc_chart *chart, const struct gc_plot *plot, const char *found,
                  struct gc_error *err);
int gc_draw_carveouts(struct gc_chart *chart, const struct gc_plot *plot, const char *found,
                      struct gc_error *err);

/* latencies.c */
int gc_draw_trace(struct gc_chart *chart, const struct gc_plot *plot, const char *found,
                  struct gc_error *err);

/* by_column.c; repeats needs two columns, a table at least two. */
int gc_draw_repeats(struct gc_chart *chart, const struct gc_plot *plot, const char *found,
                    struct gc_error *err);
int gc_draw_table(struct gc_chart *chart, const struct gc_plot *plot, const char *found,
                  struct gc_error *err);

/* The same file: marks the capacities of L1 in the entries of CarveoutTable, at the place that `at`
 * makes of them. */
void gc_draw_capacities(const struct gc_chart *chart, const struct gc_plot *plot,
                        double (*at)(double bytes, const struct gc_plot *plot));

/* distances.c; needs three columns. */
int gc_draw_distances(struct gc_chart *chart, const struct gc_plot *plot, const char *found,
                      struct gc_error *err);

#endif
