/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The kinds of pictures, as in data/plot: latency and misses over the size of an array, the same
 * for each carve-out, histogram of latencies, repetitions, and tables.
 */
#include "tool/report/picture.h"

#include "tool/plot_script.h"
#include "tool/report/chart.h"
#include "tool/report/html.h"
#include "tool/report/script.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 520
#define LEFT 64
#define RIGHT 14
#define GREY 5 /* the series of this colour */

struct picture {
  FILE *out;
  const struct gc_script *script;
  struct gc_point *points, *others; /* space for as many points as there are rows */
  double bottom;                    /* the height of the SVG */
};

/* Copies the finite numbers of two columns; returns how many. */
static size_t take(const struct picture *p, size_t from, size_t to, size_t x, size_t y,
                   struct gc_point *points)
{
  size_t n = 0;

  for (size_t i = from; i < to; i++) {
    const struct gc_point point = {gc_script_at(p->script, i, x), gc_script_at(p->script, i, y)};

    if (isfinite(point.x) && isfinite(point.y))
      points[n++] = point;
  }
  return n;
}

/* The smallest and largest number of a column. */
static void range_of(const struct picture *p, size_t column, double *low, double *high)
{
  *low = INFINITY;
  *high = -INFINITY;
  for (size_t i = 0; i < p->script->rows; i++) {
    *low = fmin(*low, gc_script_at(p->script, i, column));
    *high = fmax(*high, gc_script_at(p->script, i, column));
  }
}

static struct gc_chart chart_of(const struct picture *p, double top, double height, double right)
{
  return (struct gc_chart){
      .out = p->out, .left = LEFT, .top = top, .width = WIDTH - LEFT - right, .height = height};
}

static double number(const struct picture *p, const char *name)
{
  return gc_script_number(p->script, name, 0);
}

static const char *text(const struct picture *p, const char *name)
{
  return gc_script_text(p->script, name, 0);
}

/* An axis of array sizes; logarithmic if they differ by more than a factor of 4. */
static void size_axis(struct gc_chart *c, double low, double high)
{
  c->bytes = true;
  c->x0 = low;
  c->x1 = high;
  c->octaves = low > 0 && high > 4 * low;
  if (c->octaves) {
    c->x0 /= 1.03;
    c->x1 *= 1.03;
  } else {
    gc_chart_fit(&c->x0, &c->x1, 0.03);
  }
}

/* --- latency and misses over size ------------------------------------------------------------- */

enum { BYTES, LEAST, P01, MEDIAN, P99, MOST, MEAN, SLOW };

static double first_known(double a, double b)
{
  return isfinite(a) ? a : b;
}

/* The top of the latencies, as in data/plot/curve.gp: outliers are not drawn to scale. */
static double top_of(double hit, double miss, double most)
{
  const double usual = isfinite(miss) ? miss : isfinite(hit) ? hit : most;

  return most < 1.3 * usual ? 1.4 * usual : most < 2.2 * usual ? 1.07 * most : 2.2 * usual;
}

static void draw_curve(struct picture *p)
{
  static const char *const names[] = {"mean"};
  const double latency = number(p, "latency"), penalty = number(p, "penalty");
  const double hit = first_known(latency, number(p, "hit"));
  const double miss = first_known(latency + penalty, number(p, "miss"));
  struct gc_chart c = chart_of(p, 30, 170, 84);
  const size_t rows = p->script->rows;
  char label[64];

  size_axis(&c, number(p, "least_bytes"), number(p, "most_bytes"));
  c.y1 = top_of(hit, miss, number(p, "most"));
  gc_chart_fit(&c.y0, &c.y1, 0);
  c.y0 = 0;
  gc_chart_legend(&c, 16, false, names, 1);
  fprintf(p->out,
          "<rect class='band' x='%d' y='6' width='22' height='10'/>"
          "<text x='%d' y='16'>98 %% of loads</text>\n",
          LEFT + 90, LEFT + 118);
  fprintf(p->out, "<path class='squares s5' d='M%d 12h0'/><text x='%d' y='16'>median</text>\n",
          LEFT + 232, LEFT + 242);
  gc_chart_axes(&c, NULL, "Latency (cycles)");
  take(p, 0, rows, BYTES, P01, p->points);
  gc_chart_band(&c, p->points, p->others, take(p, 0, rows, BYTES, P99, p->others));
  gc_chart_line(&c, 0, p->points, take(p, 0, rows, BYTES, MEAN, p->points));
  gc_chart_dots(&c, GREY, p->points, take(p, 0, rows, BYTES, MEDIAN, p->points));
  snprintf(label, sizeof label, "hit %.4g", hit);
  gc_chart_level(&c, hit, label);
  snprintf(label, sizeof label, "miss %.4g", miss);
  gc_chart_level(&c, miss, label);
  gc_chart_mark_x(&c, number(p, "found"), text(p, "found_text"));

  c.top = 220;
  c.height = 90;
  c.y0 = 0;
  c.y1 = 105;
  gc_chart_axes(&c, "Array size", "Slow loads (%)");
  gc_chart_line(&c, 0, p->points, take(p, 0, rows, BYTES, SLOW, p->points));
  gc_chart_mark_x(&c, number(p, "found"), "");
  p->bottom = 355;
}

/* --- the same for each carve-out -------------------------------------------------------------- */

static void draw_levels(struct picture *p, const struct gc_chart *c, size_t column)
{
  for (size_t l = 0; l < p->script->blocks; l++) {
    const size_t from = p->script->starts[l], to = p->script->starts[l + 1];
    size_t n = take(p, from, to, 0, column, p->points);

    while (n && p->points[n - 1].x > c->x1)
      n--;
    gc_chart_line(c, (unsigned)l, p->points, n);
    gc_chart_mark_x(c, gc_script_number(p->script, "level_bytes", l + 1), "");
  }
}

static void draw_carveouts(struct picture *p)
{
  const size_t blocks = p->script->blocks;
  char(*labels)[96] = calloc(blocks, sizeof *labels);
  const char **names = calloc(blocks, sizeof *names);
  struct gc_chart c = chart_of(p, 0, 170, RIGHT);

  c.bytes = true;
  c.x1 = 1.08 * number(p, "most_bytes");
  c.y1 = 1.08 * number(p, "most");
  gc_chart_fit(&c.x0, &c.x1, 0);
  gc_chart_fit(&c.y0, &c.y1, 0);
  c.x0 = c.y0 = 0;
  for (size_t l = 0; labels && names && l < blocks; l++) {
    snprintf(labels[l], sizeof *labels, "%.20s: %.40s", gc_script_text(p->script, "level", l + 1),
             gc_script_text(p->script, "level_text", l + 1));
    names[l] = labels[l];
  }
  c.top = gc_chart_legend(&c, 16, false, names, labels && names ? blocks : 0);
  free(names);
  free(labels);
  gc_chart_axes(&c, NULL, "Mean latency (cycles)");
  draw_levels(p, &c, 1);
  c.top += c.height + 20;
  c.height = 110;
  c.y1 = 105;
  gc_chart_axes(&c, "Array size", "Slow loads (%)");
  draw_levels(p, &c, 2);
  p->bottom = c.top + c.height + 45;
}

/* --- histogram, repetitions, tables ----------------------------------------------------------- */

static void draw_trace(struct picture *p)
{
  struct gc_chart c = chart_of(p, 12, 200, RIGHT);
  const bool partitions = !strcmp(text(p, "property"), "partitions");
  const double bar = number(p, "bar");
  char label[64];

  range_of(p, 0, &c.x0, &c.x1);
  gc_chart_fit(&c.x0, &c.x1, 0.02);
  range_of(p, 1, &c.y0, &c.y1);
  c.y0 = 0;
  gc_chart_fit(&c.y0, &c.y1, 0.08);
  c.y0 = 0;
  snprintf(label, sizeof label, "Loads (%% in %.0f cycle%s)", bar, bar > 1 ? "s" : "");
  gc_chart_axes(&c, "Latency (cycles)", label);
  gc_chart_bars(&c, p->points, take(p, 0, p->script->rows, 0, 1, p->points), bar);
  if (partitions) {
    snprintf(label, sizeof label, "near %.0f", number(p, "near"));
    gc_chart_mark_x(&c, number(p, "near"), label);
    snprintf(label, sizeof label, "far %.0f", number(p, "far"));
    gc_chart_mark_x(&c, number(p, "far"), label);
  } else if (!strcmp(text(p, "property"), "latency")) {
    gc_chart_mark_x(&c, number(p, "found"), text(p, "found_text"));
  }
  p->bottom = 260;
}

static void draw_repeats(struct picture *p)
{
  struct gc_chart c = chart_of(p, 12, 200, RIGHT);
  const char *title = gc_script_text(p->script, "title", 2);
  const double found = number(p, "found");

  range_of(p, 0, &c.x0, &c.x1);
  gc_chart_fit(&c.x0, &c.x1, 0.05);
  range_of(p, 1, &c.y0, &c.y1);
  if (isfinite(found)) {
    c.y0 = fmin(c.y0, found);
    c.y1 = fmax(c.y1, found);
  }
  /* at least 2 % of the value on both sides, so that small differences look small */
  c.y0 -= 0.02 * fabs(c.y1);
  c.y1 += 0.02 * fabs(c.y1);
  gc_chart_fit(&c.y0, &c.y1, 0.05);
  gc_chart_axes(&c, "Repetition",
                !strcmp(title, "cycles") ? "Latency (cycles)"
                                         : gc_script_text(p->script, "axis", 2));
  gc_chart_mark_y(&c, found, text(p, "found_text"));
  gc_chart_dots(&c, 0, p->points, take(p, 0, p->script->rows, 0, 1, p->points));
  p->bottom = 260;
}

static int by_x(const void *a, const void *b)
{
  const struct gc_point *p = a, *q = b;

  return (p->x > q->x) - (p->x < q->x);
}

/* One point for each x: the mean of its values. */
static size_t means(struct gc_point *points, size_t n)
{
  size_t kept = 0;

  qsort(points, n, sizeof *points, by_x);
  for (size_t i = 0, same; i < n; i += same) {
    double sum = 0;

    for (same = 0; i + same < n && points[i + same].x == points[i].x; same++)
      sum += points[i + same].y;
    points[kept++] = (struct gc_point){points[i].x, sum / (double)same};
  }
  return kept;
}

static void draw_table(struct picture *p)
{
  const char *first = gc_script_text(p->script, "title", 1), *names[64];
  const size_t columns = p->script->width < 64 ? p->script->width : 64;
  const bool sizes = strstr(first, "block"), units = !strcmp(first, "SM") || !strcmp(first, "CU");
  const char *last = gc_script_text(p->script, "title", columns);
  const bool share = *last && last[strlen(last) - 1] == '%';
  struct gc_chart c = chart_of(p, 12, 200, RIGHT);

  range_of(p, 0, &c.x0, &c.x1);
  c.y0 = INFINITY;
  c.y1 = -INFINITY;
  for (size_t i = 1; i < columns; i++) {
    double low, high;

    range_of(p, i, &low, &high);
    c.y0 = fmin(c.y0, low);
    c.y1 = fmax(c.y1, high);
    names[i] = gc_script_text(p->script, "title", i + 1);
  }
  if (c.y0 >= 0 && !units)
    c.y0 = 0;
  gc_chart_fit(&c.y0, &c.y1, 0.05);
  if (share || (c.y0 < 0 && !units)) {
    c.y0 = 0;
    c.y1 = share ? 105 : c.y1;
  }
  if (sizes)
    size_axis(&c, c.x0, c.x1);
  else
    gc_chart_fit(&c.x0, &c.x1, 0.02);
  if (columns > 2)
    c.top = gc_chart_legend(&c, 16, units, names + 1, columns - 1);
  gc_chart_axes(&c, gc_script_text(p->script, "axis", 1),
                columns == 2 ? gc_script_text(p->script, "axis", 2)
                : units      ? "Latency (cycles)"
                : share      ? "Loads (%)"
                             : "");
  for (size_t i = 1; i < columns; i++) {
    size_t n = take(p, 0, p->script->rows, 0, i, p->points);

    if (units)
      gc_chart_dots(&c, (unsigned)i - 1, p->points, n);
    else
      gc_chart_line(&c, (unsigned)i - 1, p->points, means(p->points, n));
  }
  if (sizes)
    gc_chart_mark_x(&c, number(p, "found"), text(p, "found_text"));
  p->bottom = c.top + c.height + 48;
}

/* --- the figure ------------------------------------------------------------------------------- */

static const struct kind {
  const char *name, *what;
  void (*draw)(struct picture *p);
} kinds[] = {
    {"curve.gp", "Latency and share of slow loads over the size of the array.", draw_curve},
    {"carveouts.gp",
     "Mean latency and share of slow loads over the size of the array, for each "
     "carve-out.",
     draw_carveouts},
    {"trace.gp", "Histogram of the latencies of single loads.", draw_trace},
    {"repeats.gp", "A point for each repetition.", draw_repeats},
    {"table.gp", "Values over the first column of the data.", draw_table},
};

static void write_caption(const struct picture *p)
{
  /* the legend has the capacity of each carve-out */
  const bool legend = *gc_script_text(p->script, "level", 1);
  const char *found = legend ? "" : text(p, "found_text"), *absent = text(p, "absent");
  const char *sure = text(p, "confidence"), *percent = text(p, "CarveoutPercent");

  gc_html(p->out, "<figcaption><strong>$</strong>", text(p, "property"));
  if (*found)
    gc_html(p->out, ": $ found", found);
  else if (*absent)
    gc_html(p->out, ": not found: $", absent);
  if ((*found || legend) && *sure)
    gc_html(p->out, ", confidence $", sure);
  if (*percent && !strcmp(text(p, "property"), "capacity"))
    gc_html(p->out, ", carve-out $ %", percent);
  fputs("</figcaption>\n", p->out);
}

static int draw(FILE *out, const struct kind *kind, const struct gc_script *script, unsigned number,
                struct gc_error *err)
{
  struct picture p = {.script = script};
  char *svg = NULL, id[24];
  size_t size;

  p.points = calloc(script->rows + 1, sizeof *p.points);
  p.others = calloc(script->rows + 1, sizeof *p.others);
  p.out = open_memstream(&svg, &size);
  if (!p.points || !p.others || !p.out) {
    if (p.out)
      fclose(p.out);
    free(svg);
    free(p.points);
    free(p.others);
    return gc_fail(err, -ENOMEM, "out of memory");
  }
  kind->draw(&p);
  fclose(p.out);
  p.out = out;
  fputs("<figure>\n", out);
  write_caption(&p);
  snprintf(id, sizeof id, "curve-%u", number);
  fprintf(out, "<svg viewBox='0 0 %d %.0f' role='img' aria-labelledby='%s %s-desc'>\n", WIDTH,
          p.bottom, id, id);
  gc_html(out, "<title id='$'>$ $</title><desc id='$-desc'>$</desc>\n", id, text(&p, "element"),
          text(&p, "property"), id, kind->what);
  fputs(svg ? svg : "", out);
  fputs("</svg>\n</figure>\n", out);
  free(svg);
  free(p.points);
  free(p.others);
  return 0;
}

int gc_report_picture(FILE *out, const struct gc_plot *plot, unsigned number, struct gc_error *err)
{
  char *lines = NULL;
  size_t size;
  FILE *memory = open_memstream(&lines, &size);
  const char *name = memory ? gc_plot_script(plot, memory, err) : NULL;
  struct gc_script script;
  int status = name ? 0 : memory ? -EBADMSG : gc_fail(err, -ENOMEM, "out of memory");

  if (memory && fclose(memory) && !status)
    status = gc_fail(err, -ENOMEM, "out of memory");
  if (!status && !(status = gc_script_read(lines, &script, err))) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
      if (!strcmp(kinds[i].name, name))
        status = draw(out, &kinds[i], &script, number, err);
    gc_script_free(&script);
  }
  free(lines);
  return status;
}
