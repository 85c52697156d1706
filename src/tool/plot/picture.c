/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The kinds of pictures: latency and misses over the size of an array, the same for each carve-out,
 * histogram of latencies, repetitions, tables, and rates over a capacity.
 */
#include "tool/plot/picture.h"

#include "tool/html.h"
#include "tool/plot/by_size.h"
#include "tool/plot/chart.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 520
#define LEFT 72
#define RIGHT 14
#define BELOW 46       /* a chart: its ticks and the label of x */
#define BARS 120       /* most bars of a distribution */
#define LINE_LENGTH 70 /* of a heading, in characters */
#define LINES 6        /* most of them */
#define DECADES 100    /* y: numbers that span more are on a logarithmic axis */
#define SPAN 1000      /* the same for x */

/* --- text ------------------------------------------------------------------------------------- */

/* "ConstantL15Cache" and "fetch" in words. */
static const char *in_words(const char *name)
{
  static const char *const words[][2] = {
      {"DeviceMemory", "device memory"},
      {"L3Cache", "L3 cache"},
      {"L2Cache", "L2 cache"},
      {"L1Cache", "L1 cache"},
      {"TextureCache", "texture cache"},
      {"ReadOnlyCache", "read-only cache"},
      {"ConstantL1Cache", "constant L1 cache"},
      {"ConstantL15Cache", "constant L1.5 cache"},
      {"SharedMemory", "shared memory"},
      {"ScalarL1Cache", "scalar L1 cache"},
      {"InstructionCache", "instruction cache"},
      {"fetch", "fetch granularity"},
      {"line", "line size"},
  };

  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (!strcmp(words[i][0], name))
      return words[i][1];
  return name;
}

/* The value that was found, with its unit; "" without one. */
static void say_found(const struct gc_plot *plot, char *text, size_t size)
{
  const char *unit = gc_plot_text(plot, "unit");
  const double found = gc_plot_number(plot, "found");

  if (!*unit && !isfinite(found))
    snprintf(text, size, "%s", in_words(gc_plot_text(plot, "found")));
  else if (!*unit || !strcmp(unit, "bytes"))
    gc_plot_bytes(found, text, size);
  else if (isfinite(found))
    snprintf(text, size, "%.9g %s", found, unit);
  else
    *text = '\0';
}

static bool is_form(const struct gc_plot *plot, const char *form)
{
  return !strcmp(gc_plot_text(plot, "form"), form);
}

/* What was found, and how sure that is. */
static void say_result(const struct gc_plot *plot, const char *found, char *text, size_t size)
{
  const char *absent = gc_plot_text(plot, "absent"), *sure = gc_plot_text(plot, "confidence");
  const char *percent = gc_plot_text(plot, "CarveoutPercent");
  const bool carveouts = gc_plot_column(plot, "carve-out") >= 0;
  const bool capacity = !strcmp(gc_plot_text(plot, "property"), "capacity");

  if (is_form(plot, "rates"))
    snprintf(text, size, "predicted hit rates%s",
             *gc_plot_text(plot, "CarveoutTable")
                 ? "; dotted lines: L1 of each carve-out for shared memory"
                 : "");
  else if (carveouts && *gc_plot_text(plot, "CarveoutTable"))
    snprintf(text, size, "capacity from each share of shared memory on%s%s",
             *sure ? ", confidence " : "", sure);
  else if (*found && !carveouts)
    snprintf(text, size, "%s found%s%s%s%s%s", found, *sure ? ", confidence " : "", sure,
             capacity && *percent ? ", carve-out " : "", capacity ? percent : "",
             capacity && *percent ? " %" : "");
  else
    snprintf(text, size, "%s%s", *absent || carveouts ? "not found: " : "", absent);
}

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

/* --- trace: how many loads took how long ------------------------------------------------------ */

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
      cycles[n++] = gc_plot_at(plot, i, column) - gc_plot_timing(plot);
  return n;
}

/* The bars of a histogram. */
struct bars {
  double x[BARS + 1], percent[BARS + 1], width;
  size_t n;
};

/* cycles: sorted. Half a percent of the loads on both sides is left out. */
static void count_bars(const double *cycles, size_t n, struct bars *bars)
{
  const double low = cycles[n / 200], high = cycles[n - 1 - n / 200];
  size_t i = n / 200;

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
  const bool partitions = !strcmp(gc_plot_text(plot, "property"), "partitions");
  double most = 0;
  char text[64];

  for (size_t i = 0; i < bars->n; i++)
    most = fmax(most, bars->percent[i]);
  c->x.low = bars->x[0] - bars->width;
  c->x.high = bars->x[bars->n - 1] + bars->width;
  gc_axis_fit(&c->x, 0.02);
  gc_axis_from_zero(&c->y, 1.2 * most); /* with space for the texts of the marks */
  snprintf(text, sizeof text, "Loads (%% in %.0f cycle%s)", bars->width,
           bars->width > 1 ? "s" : "");
  gc_chart_axes(c, "Latency (cycles)", text);
  gc_chart_bars(c, &series, bars->width);
  if (partitions) {
    snprintf(text, sizeof text, "near %.0f", gc_plot_number(plot, "NearLatencyCycles"));
    gc_chart_mark_x(c, gc_plot_number(plot, "NearLatencyCycles"), text);
    snprintf(text, sizeof text, "far %.0f", gc_plot_number(plot, "FarLatencyCycles"));
    gc_chart_mark_x(c, gc_plot_number(plot, "FarLatencyCycles"), text);
  } else if (!strcmp(gc_plot_text(plot, "property"), "latency")) {
    snprintf(text, sizeof text, "median %.4g", middle);
    gc_chart_mark_x(c, middle, text);
  }
}

static int draw_trace(struct gc_chart *c, const struct gc_plot *plot, const char *found,
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

/* --- repetitions ------------------------------------------------------------------------------ */

static void widen(struct gc_axis *axis, double value)
{
  axis->low = fmin(axis->low, value);
  axis->high = fmax(axis->high, value);
}

static int draw_repeats(struct gc_chart *c, const struct gc_plot *plot, const char *found,
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
  if (is_form(plot, "rates"))
    c->top += 30; /* for the names of the capacities */
  name_axis(plot->columns[0], x_label);
  if (n == 1)
    name_axis(keys[0].name, y_label);
  else if (strstr(keys[0].name, "warp ") || strstr(keys[0].name, "read by SM"))
    strcpy(y_label, "Latency (cycles)");
  else if (t->share)
    strcpy(y_label, is_form(plot, "rates") ? "Hit rate (%)" : "Loads (%)");
  gc_chart_axes(c, is_form(plot, "rates") ? "Capacity of L1" : x_label, y_label);
  for (size_t k = 0, series = 0; k < plot->width && t->count; k++)
    if (is_shown(plot, k)) {
      const struct gc_series points = {t->rows, t->rows + k, (ptrdiff_t)plot->width, t->count};

      gc_chart_draw(c, shape, (unsigned)series++, &points);
    }
  if (t->sizes && !strcmp(gc_plot_text(plot, "unit"), "bytes"))
    gc_chart_mark_x(c, gc_plot_number(plot, "found"), found);
}

/* The capacities of the entries of CarveoutTable, "15:189440"; one capacity once. */
static void draw_capacities(const struct gc_chart *c, const struct gc_plot *plot)
{
  const char *text = gc_plot_text(plot, "CarveoutTable");
  double percent, bytes, last = NAN;

  for (; sscanf(text, "%lf:%lf", &percent, &bytes) == 2; text += *text == ',') {
    char words[32];

    snprintf(words, sizeof words, "%g %%", percent);
    if (bytes != last)
      gc_chart_level_x(c, bytes, 7, words);
    last = bytes;
    text += strcspn(text, ",");
  }
}

static int draw_table(struct gc_chart *c, const struct gc_plot *plot, const char *found,
                      struct gc_error *err)
{
  const char *x = plot->columns[0], *last = plot->columns[plot->width - 1];
  const size_t bytes = plot->rows * plot->width * sizeof *plot->values;
  const bool rates = is_form(plot, "rates");
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
    draw_capacities(c, plot);
  free(t.rows);
  return 0;
}

/* --- the picture ------------------------------------------------------------------------------ */

struct kind {
  const char *what;
  int (*draw)(struct gc_chart *chart, const struct gc_plot *plot, const char *found,
              struct gc_error *err);
};

static const struct kind *kind_of(const struct gc_plot *plot)
{
  static const struct kind curve = {"Latency and share of slow loads over the size of the array.",
                                    gc_draw_sizes};
  static const struct kind carveouts = {"Mean latency and share of slow loads over the size of the "
                                        "array, for each carve-out.",
                                        gc_draw_carveouts};
  static const struct kind trace = {"Histogram of the latencies of single loads.", draw_trace};
  static const struct kind repeats = {"A point for each repetition.", draw_repeats};
  static const struct kind table = {"Values over the first column of the data.", draw_table};

  if (is_form(plot, "curve"))
    return gc_plot_column(plot, "carve-out") < 0 ? &curve : &carveouts;
  if (is_form(plot, "trace"))
    return &trace;
  if (plot->width == 2 &&
      (is_form(plot, "repeats") || (is_form(plot, "table") && !strcmp(plot->columns[0], "repeat"))))
    return &repeats;
  return plot->width > 1 && (is_form(plot, "table") || is_form(plot, "rates")) ? &table : NULL;
}

/* A picture without its heading. */
struct picture {
  const char *what; /* it shows, for people who do not see it */
  char *svg;
  double height;
  char result[600];
};

/* 0, and the caller frees picture->svg. */
static int draw(const struct gc_plot *plot, struct picture *picture, struct gc_error *err)
{
  const struct kind *kind = kind_of(plot);
  struct gc_chart c = {.left = LEFT, .top = 12, .width = WIDTH - LEFT - RIGHT, .height = 210};
  char found[96];
  size_t size;
  int status;

  if (!kind)
    return gc_fail(err, -EBADMSG, "its form is unknown");
  picture->svg = NULL;
  c.out = open_memstream(&picture->svg, &size);
  if (!c.out)
    return gc_fail(err, -ENOMEM, "out of memory");
  say_found(plot, found, sizeof found);
  say_result(plot, found, picture->result, sizeof picture->result);
  status = kind->draw(&c, plot, found, err);
  if (ferror(c.out) | fclose(c.out) && !status)
    status = gc_fail(err, -ENOMEM, "out of memory");
  picture->what = kind->what;
  picture->height = c.top + c.height + BELOW;
  if (status)
    free(picture->svg);
  return status;
}

int gc_picture_figure(FILE *out, const struct gc_plot *plot, unsigned number, struct gc_error *err)
{
  const char *property = gc_plot_text(plot, "property"), *words = in_words(property);
  struct picture picture;
  char id[24];
  int status = draw(plot, &picture, err);

  if (status)
    return status;
  snprintf(id, sizeof id, "curve-%u", number);
  gc_html(out, "<figure>\n<figcaption><strong>$</strong>$$</figcaption>\n", words,
          *picture.result ? ": " : "", picture.result);
  fprintf(out, "<svg viewBox='0 0 %d %.0f' role='img' aria-labelledby='%s %s-desc'>\n", WIDTH,
          picture.height, id, id);
  gc_html(out, "<title id='$'>$ $</title><desc id='$-desc'>$</desc>\n", id,
          in_words(gc_plot_text(plot, "element")), words, id, picture.what);
  fprintf(out, "%s</svg>\n</figure>\n", picture.svg);
  free(picture.svg);
  return 0;
}

/* Writes text in lines, with y as the place of the first. Returns that of the next line. */
static double write_lines(FILE *out, const char *class, double y, size_t length, const char *text)
{
  for (int i = 0; i < LINES && *text; i++, y += 18) {
    char line[LINE_LENGTH + 1];
    size_t end = strnlen(text, length), blank = end;

    while (text[end] && blank && text[blank] != ' ')
      blank--;
    if (text[end] && blank)
      end = blank;
    while (end && (text[end] & 0xc0) == 0x80) /* not inside a character */
      end--;
    end = end ? end : 1;
    snprintf(line, sizeof line, "%.*s", (int)end, text);
    fprintf(out, "<text class='%s' x='8' y='%.0f'>", class, y);
    gc_html(out, "$</text>\n", line);
    text += end + (text[end] == ' ');
  }
  return y;
}

int gc_picture_file(FILE *out, const struct gc_plot *plot, struct gc_error *err)
{
  const char *model = gc_plot_text(plot, "model");
  struct picture picture;
  char title[400], *heading = NULL;
  double bottom = 20;
  size_t size;
  FILE *lines;
  int status = draw(plot, &picture, err);

  if (status)
    return status;
  snprintf(title, sizeof title, "%s: %s %s", *model ? model : gc_plot_text(plot, "gpu"),
           in_words(gc_plot_text(plot, "element")), in_words(gc_plot_text(plot, "property")));
  lines = open_memstream(&heading, &size);
  if (lines) {
    bottom = write_lines(lines, "name", bottom, LINE_LENGTH - 10, title);
    bottom = write_lines(lines, "q", bottom, LINE_LENGTH, picture.result) - 12;
    fclose(lines);
  }
  fprintf(out,
          "<?xml version='1.0' encoding='UTF-8'?>\n"
          "<svg xmlns='http://www.w3.org/2000/svg' width='%.0f' height='%.0f' viewBox='0 0 %d "
          "%.0f' role='img'>\n",
          1.5 * WIDTH, 1.5 * (bottom + picture.height), WIDTH, bottom + picture.height);
  gc_html(out, "<title>$</title>\n<desc>$</desc>\n<style>\n", title, picture.what);
  fprintf(out, "%s</style>\n<rect width='100%%' height='100%%' fill='#fff'/>\n", gc_chart_style);
  fprintf(out, "%s<g transform='translate(0 %.0f)'>\n%s</g>\n</svg>\n", heading ? heading : "",
          bottom, picture.svg);
  free(heading);
  free(picture.svg);
  return 0;
}
