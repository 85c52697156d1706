/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Form "trace": how many loads took how long.
 */
#include "tool/plot/draw.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define BARS 120      /* most bars */
#define LARGEST 1e300 /* the range of such numbers can be computed */

/* The loads after the warm-up. Repetition 0 is the warm-up; it is used only when there is no
 * other. */
static size_t timed_loads(const struct gc_plot *plot, double *cycles, int column)
{
  const int repeat = gc_plot_column(plot, "repeat");
  double last = 0;
  size_t n = 0;

  for (size_t i = 0; repeat >= 0 && i < plot->rows; i++)
    last = fmax(last, gc_plot_at(plot, i, repeat));
  for (size_t i = 0; i < plot->rows; i++)
    if (isfinite(gc_plot_at(plot, i, column)) &&
        (repeat < 0 || !(last > 0) || gc_plot_at(plot, i, repeat) > 0))
      cycles[n++] =
          fmin(fmax(gc_plot_at(plot, i, column) - gc_plot_timing(plot), -LARGEST), LARGEST);
  return n;
}

/* The bars of a histogram. */
struct bars {
  double x[BARS + 1], percent[BARS + 1], width;
  size_t n, loads;
};

/* cycles: sorted. Half a percent of the loads on both sides is left out. */
static void count_bars(const double *cycles, size_t n, struct bars *bars)
{
  const double low = cycles[n / 200], high = cycles[n - 1 - n / 200];
  size_t i = n / 200;

  bars->loads = n;
  while (i && cycles[i - 1] == low)
    i--;
  bars->width = fmax(1, ceil((high - low + 1) / BARS));
  for (bars->n = 0; bars->n <= BARS && low + (double)bars->n * bars->width <= high; bars->n++) {
    const double edge = low + (double)bars->n * bars->width;
    size_t in = 0;

    for (; i < n && cycles[i] < edge + bars->width; i++)
      in++;
    bars->x[bars->n] = edge + bars->width / 2;
    bars->percent[bars->n] = 100.0 * (double)in / (double)n;
  }
}

static void draw_bars(struct gc_chart *c, const struct gc_plot *plot, const struct bars *bars,
                      double middle)
{
  const struct gc_series series = {bars->x, bars->percent, 1, bars->n};
  const bool partitions = gc_plot_is(plot, "property", "partitions");
  double most = 0;
  char text[64], x_label[64];

  for (size_t i = 0; i < bars->n; i++)
    most = fmax(most, bars->percent[i]);
  c->x.low = bars->x[0] - bars->width;
  c->x.high = bars->x[bars->n - 1] + bars->width;
  gc_axis_fit(&c->x, 0.02);
  gc_axis_from_zero(&c->y, 1.2 * most); /* with space for the texts of the marks */
  snprintf(text, sizeof text, "Loads (%% in %.6g cycle%s)", bars->width,
           bars->width > 1 ? "s" : "");
  snprintf(x_label, sizeof x_label, "Latency (cycles) of %zu load%s", bars->loads,
           bars->loads > 1 ? "s" : "");
  gc_chart_axes(c, x_label, text);
  gc_chart_bars(c, &series, bars->width);
  if (partitions) {
    snprintf(text, sizeof text, "near %.0f", gc_plot_number(plot, "NearLatencyCycles"));
    gc_chart_mark_x(c, gc_plot_number(plot, "NearLatencyCycles"), text);
    snprintf(text, sizeof text, "far %.0f", gc_plot_number(plot, "FarLatencyCycles"));
    gc_chart_mark_x(c, gc_plot_number(plot, "FarLatencyCycles"), text);
  } else if (gc_plot_is(plot, "property", "latency")) {
    snprintf(text, sizeof text, "median %.4g", middle);
    gc_chart_mark_x(c, middle, text);
  }
}

int gc_draw_trace(struct gc_chart *c, const struct gc_plot *plot, const char *found,
                  struct gc_error *err)
{
  const int column = gc_plot_column(plot, "cycles");
  double *cycles = calloc(plot->rows, sizeof *cycles), middle;
  struct bars bars;
  size_t n;

  (void)found; /* the heading has it */
  if (!cycles)
    return gc_fail(err, -ENOMEM, "out of memory");
  if (column < 0 || !(n = timed_loads(plot, cycles, column))) {
    free(cycles);
    return gc_fail(err, -EBADMSG, "a trace needs a column 'cycles' with numbers");
  }
  middle = gc_plot_median(cycles, n); /* sorts them */
  count_bars(cycles, n, &bars);
  free(cycles);
  draw_bars(c, plot, &bars, middle);
  return 0;
}
