/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Form "curve": runs over arrays of many sizes.
 */
#include "tool/plot/draw.h"

#include "predict/parameters/carveouts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES, LOADS, SLOW, MIN, P01, MEDIAN, P99, MAX, MEAN, CARVEOUT, MEANINGS };

struct run {
  double values[MEANINGS]; /* runs are sorted by the first, bytes */
};

/* All runs of one size; cycles without the timing, slow loads in percent. */
struct size {
  double bytes, least, p01, median, p99, most, mean, slow;
};

#define STRIDE (ptrdiff_t)(sizeof(struct size) / sizeof(double))

/* The runs of a file, and space for as many. */
struct runs {
  struct run *all, *own;
  struct size *sizes;
  double *scratch;
};

static double median_of(const struct run *runs, size_t n, int meaning, double *scratch)
{
  for (size_t i = 0; i < n; i++)
    scratch[i] = runs[i].values[meaning];
  return gc_plot_median(scratch, n);
}

/* A load takes time: zeros are steps that count slow loads only. */
static struct size size_of(const struct run *runs, size_t n, double timing, double *scratch)
{
  double least = INFINITY, most = 0, loads = 0, slow = 0, mean = 0;

  for (size_t i = 0; i < n; i++) {
    least = fmin(least, runs[i].values[MIN]);
    most = fmax(most, runs[i].values[MAX]);
    loads += runs[i].values[LOADS];
    slow += runs[i].values[SLOW];
    mean += runs[i].values[MEAN] * runs[i].values[LOADS];
  }
  if (!(most > 0))
    timing = NAN;
  return (struct size){.bytes = runs->values[BYTES],
                       .least = least - timing,
                       .p01 = median_of(runs, n, P01, scratch) - timing,
                       .median = median_of(runs, n, MEDIAN, scratch) - timing,
                       .p99 = median_of(runs, n, P99, scratch) - timing,
                       .most = most - timing,
                       .mean = mean / loads - timing,
                       .slow = 100 * (slow / loads)};
}

/* Puts n runs together by their sizes. Returns the number of sizes. */
static size_t group(const struct runs *r, const struct run *runs, size_t n, double timing)
{
  size_t count = 0;

  for (size_t i = 0, same; i < n; i += same) {
    for (same = 1; i + same < n && runs[i + same].values[BYTES] == runs[i].values[BYTES];)
      same++;
    r->sizes[count++] = size_of(runs + i, same, timing, r->scratch);
  }
  return count;
}

/* Far from the capacity a search loads only a part of the array, which changes the misses:
 * removes such runs. Returns the number of runs that remain. The last one always does: bytes and
 * loads are at least 1, and quotients of such numbers cannot overflow. */
static size_t only_whole(struct run *runs, size_t n)
{
  const double *last = runs[n - 1].values;
  size_t kept = 0;

  for (size_t i = 0; i < n; i++)
    if (runs[i].values[LOADS] / runs[i].values[BYTES] > 0.5 * (last[LOADS] / last[BYTES]))
      runs[kept++] = runs[i];
  return kept;
}

static void release(struct runs *r)
{
  free(r->all);
  free(r->own);
  free(r->sizes);
  free(r->scratch);
}

/* The caller releases the runs, also after a failure. */
static int read_runs(const struct gc_plot *plot, int meanings, struct runs *r, struct gc_error *err)
{
  static const char *const names[MEANINGS] = {"bytes",  "loads", "slow", "min",  "p01",
                                              "median", "p99",   "max",  "mean", "carve-out"};
  int columns[MEANINGS];

  r->all = calloc(plot->rows, sizeof *r->all);
  r->own = calloc(plot->rows, sizeof *r->own);
  r->sizes = calloc(plot->rows, sizeof *r->sizes);
  r->scratch = calloc(plot->rows, sizeof *r->scratch);
  if (!r->all || !r->own || !r->sizes || !r->scratch)
    return gc_fail(err, -ENOMEM, "out of memory");
  for (int m = 0; m < meanings; m++)
    if ((columns[m] = gc_plot_column(plot, names[m])) < 0)
      return gc_fail(err, -EBADMSG, "a curve needs a column '%s'", names[m]);
  for (size_t i = 0; i < plot->rows; i++)
    for (int m = 0; m < meanings; m++) {
      r->all[i].values[m] = gc_plot_at(plot, i, columns[m]);
      if (!(r->all[i].values[m] >= (m == CARVEOUT ? -1 : m == BYTES || m == LOADS)))
        return gc_fail(err, -EBADMSG, "row %zu has no number under '%s'", i + 1, names[m]);
    }
  qsort(r->all, plot->rows, sizeof *r->all, gc_plot_ascending);
  return 0;
}

static struct gc_series over_bytes(const struct size *sizes, size_t n, const double *y)
{
  return (struct gc_series){&sizes->bytes, y, STRIDE, n};
}

/* The chart below, of the share of slow loads. */
static void begin_slow(struct gc_chart *c)
{
  c->top += c->height + 20;
  c->height = 95;
  gc_axis_from_zero(&c->y, 105);
  gc_chart_axes(c, "Array size", "Slow loads (%)");
}

/* --- one curve -------------------------------------------------------------------------------- */

/* Medians on both sides of the capacity; most: the largest 99th percentile. */
struct levels {
  double hit, miss, most;
};

static struct levels find_levels(const struct gc_plot *plot, const struct size *sizes, size_t n)
{
  const double found = gc_plot_number(plot, "found");
  const double miss = gc_plot_number(plot, "miss"), timing = gc_plot_timing(plot);
  struct levels levels = {.hit = NAN, .miss = NAN};

  for (size_t i = 0; i < n; i++) {
    /* ends with the largest size that fits, or without found with the largest of all */
    if (!(sizes[i].bytes > found))
      levels.hit = sizes[i].median;
    else if (sizes[i].slow > 90)
      levels.miss = sizes[i].median;
    levels.most = fmax(levels.most, sizes[i].p99);
  }
  if (!isfinite(levels.miss) && miss > timing)
    levels.miss = miss - timing;
  return levels;
}

/* Runs have their loads in bins of 8 cycles; the latency of the record is more exact. */
static void mark_level(const struct gc_chart *c, const char *name, double exact, double binned)
{
  char text[64];

  snprintf(text, sizeof text, "%s %s%.4g", name, isfinite(exact) ? "" : "≈ ",
           isfinite(exact) ? exact : binned);
  gc_chart_level_y(c, isfinite(exact) ? exact : binned, text);
}

/* Outliers are not drawn to scale. */
static double top_of(double hit, double miss, double most)
{
  const double usual = isfinite(miss) ? miss : isfinite(hit) ? hit : most;

  return most < 1.3 * usual ? 1.4 * usual : most < 2.2 * usual ? 1.07 * most : 2.2 * usual;
}

static void draw_sizes(struct gc_chart *c, const struct gc_plot *plot, struct size *sizes, size_t n,
                       const char *found)
{
  static const struct gc_chart_key keys[] = {{GC_LINE, 0, "mean"},
                                             {GC_BAND, 0, "98 % of loads"},
                                             {GC_SMALL_DOTS, 4, "median"},
                                             {GC_SMALL_DOTS, 7, "least, most"}};
  const struct levels levels = find_levels(plot, sizes, n);
  const double hit = gc_plot_number(plot, "LatencyCycles");
  const double miss = hit + gc_plot_number(plot, "MissPenaltyCycles");
  const double at = gc_plot_number(plot, "found");
  const struct gc_series least = over_bytes(sizes, n, &sizes->least);
  const struct gc_series most = over_bytes(sizes, n, &sizes->most);
  const struct gc_series low = over_bytes(sizes, n, &sizes->p01);
  const struct gc_series median = over_bytes(sizes, n, &sizes->median);
  const struct gc_series mean = over_bytes(sizes, n, &sizes->mean);
  const struct gc_series slow = over_bytes(sizes, n, &sizes->slow);

  c->top = gc_chart_legend(c, 16, keys, sizeof keys / sizeof *keys) - 6;
  c->width -= 70; /* for the texts of the levels */
  c->height = 180;
  c->x = (struct gc_axis){.low = sizes[0].bytes, .high = sizes[n - 1].bytes, .bytes = true};
  gc_axis_fit_powers(&c->x, 2, 4);
  gc_axis_from_zero(&c->y, top_of(isfinite(hit) ? hit : levels.hit,
                                  isfinite(miss) ? miss : levels.miss, levels.most));
  for (size_t i = 0; i < n; i++)
    if (sizes[i].most > c->y.high)
      sizes[i].most = NAN;
  gc_chart_axes(c, NULL, "Latency (cycles)");
  gc_chart_band(c, &low, &sizes->p99);
  gc_chart_draw(c, GC_SMALL_DOTS, 7, &least);
  gc_chart_draw(c, GC_SMALL_DOTS, 7, &most);
  gc_chart_draw(c, GC_LINE, 0, &mean);
  gc_chart_draw(c, GC_SMALL_DOTS, 4, &median);
  mark_level(c, "hit", hit, levels.hit);
  mark_level(c, "miss", miss, levels.miss);
  gc_chart_mark_x(c, at, found);
  begin_slow(c);
  gc_chart_draw(c, GC_LINE, 0, &slow);
  gc_chart_mark_x(c, at, "");
}

int gc_draw_sizes(struct gc_chart *c, const struct gc_plot *plot, const char *found,
                  struct gc_error *err)
{
  struct runs r = {0};
  int status = read_runs(plot, CARVEOUT, &r, err);

  if (!status)
    draw_sizes(c, plot, r.sizes,
               group(&r, r.all, only_whole(r.all, plot->rows), gc_plot_timing(plot)), found);
  release(&r);
  return status;
}

/* --- a curve for each carve-out --------------------------------------------------------------- */

#define LEVELS_MAX (GC_CARVEOUTS + 1)

/* The capacity with carve-outs from this percentage on; -1: a kernel without a preference. */
struct level {
  double percent, bytes;
  char text[64];
};

/* Those of CarveoutTable; without it, each carve-out that was tried. */
static size_t read_levels(const struct gc_plot *plot, const struct run *runs, struct level *levels)
{
  struct gc_carveout_table table;
  size_t n = 0, same;

  gc_carveouts_read(&table, gc_plot_text(plot, "CarveoutTable"), 0);
  for (; n < table.count; n++) {
    levels[n].percent = table.array[n].percent;
    levels[n].bytes = (double)table.array[n].l1_bytes;
  }
  if (table.default_bytes) {
    levels[n].percent = -1;
    levels[n++].bytes = (double)table.default_bytes;
  }
  for (size_t i = 0; i < plot->rows && !table.count && n < LEVELS_MAX; i++) {
    for (same = 0; same < n && levels[same].percent != runs[i].values[CARVEOUT];)
      same++;
    levels[same].percent = runs[i].values[CARVEOUT];
    levels[same].bytes = NAN;
    n += same == n;
  }
  return n;
}

/* The index of the level with this percentage; n: none. Of two levels with the same capacity,
 * the first. */
static size_t level_of(const struct level *levels, size_t n, double percent)
{
  size_t found = n;

  for (size_t i = 0; i < n; i++)
    if ((levels[i].percent < 0) == (percent < 0) && levels[i].percent <= percent &&
        (found == n || levels[i].percent > levels[found].percent))
      found = i;
  for (size_t i = 0; i < found && found < n; i++)
    if (levels[i].bytes == levels[found].bytes)
      return i;
  return found;
}

/* Sets r->sizes to those of the runs of one level. Returns how many. */
static size_t group_level(const struct runs *r, const struct gc_plot *plot,
                          const struct level *levels, size_t n, size_t level)
{
  size_t in = 0;

  for (size_t i = 0; i < plot->rows; i++)
    if (level_of(levels, n, r->all[i].values[CARVEOUT]) == level)
      r->own[in++] = r->all[i];
  return group(r, r->own, in, gc_plot_timing(plot));
}

/* The names of the levels that have runs, and the ranges of the charts. Returns how many. */
static size_t name_levels(const struct runs *r, const struct gc_plot *plot, struct level *levels,
                          size_t n, struct gc_chart *c)
{
  size_t used = 0;

  for (size_t l = 0; l < n; l++) {
    const size_t in = group_level(r, plot, levels, n, l);
    const char *gap = isfinite(levels[l].bytes) ? ": " : "";
    char bytes[32];

    if (!in)
      continue;
    gc_plot_bytes(levels[l].bytes, bytes, sizeof bytes);
    if (levels[l].percent < 0)
      snprintf(levels[l].text, sizeof levels[l].text, "default%s%s", gap, bytes);
    else
      snprintf(levels[l].text, sizeof levels[l].text, "%g %%%s%s", levels[l].percent, gap, bytes);
    c->x.high =
        fmax(c->x.high, isfinite(levels[l].bytes) ? levels[l].bytes : r->sizes[in - 1].bytes);
    for (size_t i = 0; i < in; i++)
      c->y.high = fmax(c->y.high, r->sizes[i].mean);
    used++;
  }
  return used;
}

static void draw_levels(const struct gc_chart *c, const struct runs *r, const struct gc_plot *plot,
                        const struct level *levels, size_t n, bool slow)
{
  unsigned series = 0;

  for (size_t l = 0; l < n; l++) {
    size_t in = group_level(r, plot, levels, n, l);
    const struct gc_series points =
        over_bytes(r->sizes, in, slow ? &r->sizes->slow : &r->sizes->mean);

    if (in)
      gc_chart_level_x(c, levels[l].bytes, series, "", NAN);
    while (in && r->sizes[in - 1].bytes > c->x.high)
      in--;
    if (in)
      gc_chart_draw(c, GC_LINE, series, &(struct gc_series){points.x, points.y, STRIDE, in});
    series += *levels[l].text != '\0';
  }
}

int gc_draw_carveouts(struct gc_chart *c, const struct gc_plot *plot, const char *found,
                      struct gc_error *err)
{
  struct level levels[LEVELS_MAX + 1] = {{0}};
  struct gc_chart_key keys[LEVELS_MAX];
  struct runs r = {0};
  int status = read_runs(plot, MEANINGS, &r, err);
  size_t n, used = 0;

  (void)found; /* the legend has the values */
  if (!status) {
    n = read_levels(plot, r.all, levels);
    if (!name_levels(&r, plot, levels, n, c))
      status = gc_fail(err, -EBADMSG, "it has no run with a carve-out of its table");
  }
  if (!status) {
    for (size_t l = 0; l < n; l++)
      if (*levels[l].text) {
        keys[used] = (struct gc_chart_key){GC_LINE, (unsigned)used, levels[l].text};
        used++;
      }
    c->height = 180;
    c->x.bytes = true;
    gc_axis_from_zero(&c->x, 1.08 * c->x.high);
    gc_axis_from_zero(&c->y, 1.08 * c->y.high);
    c->top = gc_chart_legend(c, 16, keys, used) - 6;
    gc_chart_axes(c, NULL, "Mean latency (cycles)");
    draw_levels(c, &r, plot, levels, n, false);
    begin_slow(c);
    draw_levels(c, &r, plot, levels, n, true);
  }
  release(&r);
  return status;
}
