/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Forms "repeats", "table" and "rates": columns over the first one.
 */
#include "tool/plot/draw.h"

#include "predict/parameters/carveouts.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DECADES 100 /* y: numbers that span more are on a logarithmic axis */
#define SPAN 1000   /* the same for x */

/* "read, GB/s" -> "Read (GB/s)"; a number of bytes has its unit in the ticks. */
static void name_axis(const char *column, char text[64])
{
  const char *unit = NULL;

  for (const char *comma = strstr(column, ", "); comma; comma = strstr(comma + 1, ", "))
    unit = comma;
  if (!strcmp(column, "bytes"))
    strcpy(text, "Array size");
  else if (!strcmp(column, "cycles"))
    strcpy(text, "Latency (cycles)");
  else if (unit && !strcmp(unit, ", bytes"))
    snprintf(text, 64, "%.*s", (int)(unit - column), column);
  else if (unit)
    snprintf(text, 64, "%.*s (%s)", (int)(unit - column), column, unit + 2);
  else
    snprintf(text, 64, "%s", column);
  *text = (char)toupper((unsigned char)*text);
}

static void widen(struct gc_axis *axis, double value)
{
  axis->low = fmin(axis->low, value);
  axis->high = fmax(axis->high, value);
}

int gc_draw_repeats(struct gc_chart *c, const struct gc_plot *plot, const char *found,
                    struct gc_error *err)
{
  const struct gc_series points = {plot->values, plot->values + 1, 2, plot->rows};
  const double value = gc_plot_number(plot, "found");
  double more;
  char label[64];

  (void)err;
  (void)found; /* the heading has it */
  c->x = c->y = (struct gc_axis){.low = INFINITY, .high = -INFINITY};
  for (size_t i = 0; i < plot->rows; i++) {
    widen(&c->x, gc_plot_at(plot, i, 0));
    widen(&c->y, gc_plot_at(plot, i, 1));
  }
  widen(&c->y, value);
  /* at least 2 % of the value on both sides, so that small differences look small */
  more = 0.02 * fmax(fabs(c->y.low), fabs(c->y.high));
  c->y.low -= more;
  c->y.high += more;
  gc_axis_fit(&c->x, 0.05);
  gc_axis_fit(&c->y, 0.05);
  name_axis(plot->columns[1], label);
  gc_chart_axes(c, "Repetition", label);
  gc_chart_mark_y(c, value);
  gc_chart_draw(c, GC_DOTS, 0, &points);
  return 0;
}

/* --- tables ----------------------------------------------------------------------------------- */

/* What a table shows, from the names of its columns. */
struct table {
  const struct gc_plot *plot;
  double *rows; /* sorted, and one for each x */
  size_t count;
  bool sizes;   /* x are numbers of bytes */
  bool octaves; /* x on a logarithmic axis, also if it spans less than decades */
  bool units;   /* x are numbers of SMs or CUs: points without a line */
  bool share;   /* y are percent */
};

/* Columns that only say where the row was measured are no curve. */
static bool is_shown(const struct gc_plot *plot, size_t column)
{
  return column == 1 || (column && strcmp(plot->columns[column], "SM"));
}

/* Sorts the rows by the first column and leaves one for each x, with the means of the others, if
 * `means` is set. Rows without x are left out. Returns how many are left. */
static size_t sort_rows(double *rows, size_t n, size_t width, bool means)
{
  size_t kept = 0, count = 0;

  for (size_t i = 0; i < n; i++)
    if (isfinite(rows[i * width]))
      memmove(rows + kept++ * width, rows + i * width, width * sizeof *rows);
  if (!means)
    return kept;
  qsort(rows, kept, width * sizeof *rows, gc_plot_ascending);
  for (size_t i = 0, same; i < kept; i += same, count++) {
    for (same = 1; i + same < kept && rows[(i + same) * width] == rows[i * width];)
      same++;
    for (size_t c = 0; c < width; c++) {
      double sum = 0;

      for (size_t k = 0; k < same; k++)
        sum += rows[(i + k) * width + c];
      rows[count * width + c] = c ? sum / (double)same : rows[i * width];
    }
  }
  return count;
}

static void fit_table(struct gc_chart *c, const struct table *t)
{
  const size_t width = t->plot->width;
  double least = INFINITY, positive = INFINITY; /* the smallest of the columns' largest numbers */
  bool powers;

  c->x = c->y = (struct gc_axis){.low = INFINITY, .high = -INFINITY};
  for (size_t k = 0; k < width; k++) {
    double most = 0;

    for (size_t i = 0; i < t->count && (!k || is_shown(t->plot, k)); i++) {
      const double value = t->rows[i * width + k];

      if (isfinite(value))
        widen(k ? &c->y : &c->x, value);
      if (k && value > 0)
        positive = fmin(positive, value);
      most = fmax(most, value);
    }
    if (k && most > 0)
      least = fmin(least, most);
  }
  c->x.bytes = t->sizes;
  gc_axis_fit_powers(&c->x, t->sizes ? 2 : 10, t->octaves ? 2 : SPAN);
  /* columns of different quantities, or one that spans decades; zeros are at the lower edge */
  powers = c->y.low >= 0 && c->y.high / DECADES > (c->y.low > 0 ? positive : least);
  if (powers) {
    c->y.low = positive;
    gc_axis_fit_powers(&c->y, 10, 1);
  } else if (c->y.low >= 0 && !t->units) {
    gc_axis_from_zero(&c->y, 1.05 * c->y.high);
  } else {
    gc_axis_fit(&c->y, 0.05);
  }
  if (t->share)
    gc_axis_from_zero(&c->y, 105);
}

static void draw_rows(struct gc_chart *c, const struct table *t, const char *found)
{
  const struct gc_plot *plot = t->plot;
  const enum gc_shape shape = t->units ? GC_DOTS : GC_LINE;
  struct gc_chart_key keys[GC_PLOT_COLUMNS];
  char x_label[64], y_label[64] = "";
  unsigned n = 0;

  for (size_t k = 0; k < plot->width; k++)
    if (is_shown(plot, k)) {
      keys[n] = (struct gc_chart_key){shape, n, plot->columns[k]};
      n++;
    }
  if (n > 1)
    c->top = gc_chart_legend(c, 16, keys, n) - 6;
  if (gc_plot_is(plot, "form", "rates"))
    c->top += 30; /* for the names of the capacities */
  name_axis(plot->columns[0], x_label);
  if (n == 1)
    name_axis(keys[0].name, y_label);
  else if (strstr(keys[0].name, "warp ") || strstr(keys[0].name, "read by SM"))
    strcpy(y_label, "Latency (cycles)");
  else if (t->share)
    strcpy(y_label, gc_plot_is(plot, "form", "rates") ? "Hit rate (%)" : "Loads (%)");
  gc_chart_axes(c, gc_plot_is(plot, "form", "rates") ? "Capacity of L1" : x_label, y_label);
  for (size_t k = 0, series = 0; k < plot->width && t->count; k++)
    if (is_shown(plot, k)) {
      const struct gc_series points = {t->rows, t->rows + k, (ptrdiff_t)plot->width, t->count};

      gc_chart_draw(c, shape, (unsigned)series++, &points);
    }
  if (t->sizes && gc_plot_is(plot, "unit", "bytes"))
    gc_chart_mark_x(c, gc_plot_number(plot, "found"), found);
}

static double place_of(double bytes, const struct gc_plot *plot)
{
  (void)plot;
  return bytes;
}

/* One capacity once. Small carve-outs are close together: not each of them has room for its name.
 */
void gc_draw_capacities(const struct gc_chart *c, const struct gc_plot *plot,
                        double (*at)(double bytes, const struct gc_plot *plot))
{
  struct gc_carveout_table table;
  double taken = NAN;
  char text[32];

  gc_carveouts_read(&table, gc_plot_text(plot, "CarveoutTable"), 0);
  for (size_t i = 0; i < table.count; i++) {
    snprintf(text, sizeof text, "%u %%", table.array[i].percent);
    if (!i || table.array[i].l1_bytes < table.array[i - 1].l1_bytes)
      taken = gc_chart_level_x(c, at((double)table.array[i].l1_bytes, plot), 7, text, taken);
  }
}

int gc_draw_table(struct gc_chart *c, const struct gc_plot *plot, const char *found,
                  struct gc_error *err)
{
  const char *x = plot->columns[0], *last = plot->columns[plot->width - 1];
  const size_t bytes = plot->rows * plot->width * sizeof *plot->values;
  const bool rates = gc_plot_is(plot, "form", "rates");
  struct table t = {.plot = plot, .rows = malloc(bytes)};

  if (!t.rows)
    return gc_fail(err, -ENOMEM, "out of memory");
  memcpy(t.rows, plot->values, bytes);
  t.sizes = rates || strstr(x, "bytes");
  t.octaves = rates || strstr(x, "block");
  t.units = !strcmp(x, "SM") || !strcmp(x, "CU");
  t.share = rates || (*last && last[strlen(last) - 1] == '%');
  t.count = sort_rows(t.rows, plot->rows, plot->width, !t.units);
  fit_table(c, &t);
  draw_rows(c, &t, found);
  if (rates)
    gc_draw_capacities(c, plot, place_of);
  free(t.rows);
  return 0;
}
