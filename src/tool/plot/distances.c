/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Form "distances": how many loads have which reuse distance. The bars are beside each other, each
 * twice as wide in lines as the one before; loads without a distance are apart, at the right.
 */
#include "tool/plot/draw.h"

#include "predict/distance/distance.h"
#include "predict/parameters/carveouts.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define FIRST "first"

/* On the x axis, bar i is from i - 1/2 to i + 1/2. */
struct bars {
  double x[GC_REUSE_BINS + 1], percent[GC_REUSE_BINS + 1];
  size_t bins; /* those of distances; the next one is of first loads */
};

/* The bar of loads with this distance. NAN: they have none. */
static size_t bar_of(double distance)
{
  const double bin = distance >= 1 ? floor(log2(distance)) + 1 : 0;

  return isnan(distance) ? GC_REUSE_BINS : (size_t)fmin(bin, GC_REUSE_BINS - 1);
}

/* least: bins to show, also if they are empty. */
static void count_bars(const struct gc_plot *plot, size_t least, struct bars *bars)
{
  double loads[GC_REUSE_BINS + 1] = {0}, sum = 0;

  bars->bins = least;
  for (size_t i = 0; i < plot->rows; i++) {
    const double n = gc_plot_at(plot, i, 2);
    const size_t bar = bar_of(gc_plot_at(plot, i, 0));

    if (!(n > 0))
      continue;
    loads[bar] += n;
    sum += n;
    if (bar < GC_REUSE_BINS && bar >= bars->bins)
      bars->bins = bar + 1;
  }
  loads[bars->bins] = loads[GC_REUSE_BINS];
  for (size_t i = 0; i <= bars->bins; i++) {
    bars->x[i] = (double)(i < bars->bins ? i : i + 1);
    bars->percent[i] = 100 * (loads[i] / sum);
  }
}

/* The shortest distance of each bar, where there is room. */
static void name_bars(const struct bars *bars, double width, char texts[][32],
                      const char *names[GC_REUSE_BINS + 2])
{
  const double bar = width / (double)(bars->bins + 2);
  size_t every, length;

  memset(names, 0, (GC_REUSE_BINS + 2) * sizeof *names);
  for (size_t i = 0; i < bars->bins; i++)
    snprintf(texts[i], sizeof texts[i], "%" PRIu64, gc_reuse_bin_low((unsigned)i));
  length = bars->bins ? strlen(texts[bars->bins - 1]) : 0;
  every = (size_t)ceil(GC_CHART_CHARACTER * (double)(length + 1) / bar);
  for (size_t i = 0; i < bars->bins; i += every)
    if ((double)(bars->bins + 1 - i) * bar >
        GC_CHART_CHARACTER * (double)(length + 1 + strlen(FIRST)) / 2)
      names[i] = texts[i];
  names[bars->bins + 1] = FIRST;
}

/* Where an L1 with these bytes ends: a fully associative one that replaces the least recently used
 * line has the lines left of it. */
static double place_of(double bytes, const struct gc_plot *plot)
{
  return log2(bytes / gc_plot_number(plot, "line")) + 0.5;
}

/* Bins for the marks. */
static size_t marked_bins(const struct gc_plot *plot)
{
  struct gc_carveout_table table;
  double most;

  gc_carveouts_read(&table, gc_plot_text(plot, "CarveoutTable"), 0);
  most = table.count ? place_of((double)table.array[0].l1_bytes, plot) : 0;
  return most > 0 ? (size_t)fmin(ceil(most + 0.5), GC_REUSE_BINS) : 0;
}

int gc_draw_distances(struct gc_chart *c, const struct gc_plot *plot, const char *found,
                      struct gc_error *err)
{
  struct bars bars;
  struct gc_series series = {bars.x, bars.percent, 1, 0};
  const char *names[GC_REUSE_BINS + 2];
  char texts[GC_REUSE_BINS][32];
  double most = 0;

  (void)err;
  (void)found; /* nothing is */
  count_bars(plot, marked_bins(plot), &bars);
  for (size_t i = 0; i <= bars.bins; i++)
    most = fmax(most, bars.percent[i]);
  series.n = bars.bins + 1;
  name_bars(&bars, c->width, texts, names);
  if (*gc_plot_text(plot, "CarveoutTable"))
    c->top += 30; /* for the names of the capacities */
  c->x = (struct gc_axis){.low = -0.6, .high = (double)bars.bins + 1.6, .names = names};
  gc_axis_from_zero(&c->y, 1.05 * most);
  gc_chart_axes(c, "Reuse distance (lines, in powers of two)", "Loads of a line (%)");
  gc_chart_bars(c, &series, 0.9);
  gc_draw_capacities(c, plot, place_of);
  c->x.names = NULL;
  return 0;
}
