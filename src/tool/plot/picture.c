/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The kinds of pictures: latency and misses over the size of an array, the same for each carve-out,
 * histogram of latencies, repetitions, tables, rates over a capacity, and reuse distances.
 */
#include "tool/plot/picture.h"

#include "tool/plot/draw.h"
#include "tool/print/html.h"
#include "util/file.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 520
#define LEFT 72
#define RIGHT 14
#define BELOW 46       /* a chart: its ticks and the label of x */
#define LINE_LENGTH 70 /* of a heading, in characters */
#define LINES 6        /* most of them */

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

/* What was found, and how sure that is. */
static void say_result(const struct gc_plot *plot, const char *found, char *text, size_t size)
{
  const char *absent = gc_plot_text(plot, "absent"), *sure = gc_plot_text(plot, "confidence");
  const char *percent = gc_plot_text(plot, "CarveoutPercent");
  const bool carveouts = gc_plot_column(plot, "carve-out") >= 0;
  const bool capacity = gc_plot_is(plot, "property", "capacity");

  const bool rates = gc_plot_is(plot, "form", "rates");

  if (rates || gc_plot_is(plot, "form", "distances"))
    snprintf(text, size, "%s%s",
             rates ? "predicted hit rates" : "predicted, for the loads of lines of L1",
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
  static const struct kind trace = {"Histogram of the latencies of single loads.", gc_draw_trace};
  static const struct kind repeats = {"A point for each repetition.", gc_draw_repeats};
  static const struct kind rates = {"Predicted hit rates over the capacity of L1.", gc_draw_table};
  static const struct kind distances = {
      "Histogram of the predicted reuse distances of loads, in bins of powers of two.",
      gc_draw_distances};
  static const struct kind table = {"Values over the first column of the data.", gc_draw_table};

  if (gc_plot_is(plot, "form", "curve"))
    return gc_plot_column(plot, "carve-out") < 0 ? &curve : &carveouts;
  if (gc_plot_is(plot, "form", "trace"))
    return &trace;
  if (plot->width == 2 &&
      (gc_plot_is(plot, "form", "repeats") ||
       (gc_plot_is(plot, "form", "table") && !strcmp(plot->columns[0], "repeat"))))
    return &repeats;
  if (plot->width > 1 && gc_plot_is(plot, "form", "rates"))
    return &rates;
  if (plot->width == 3 && gc_plot_is(plot, "form", "distances"))
    return &distances;
  return plot->width > 1 && gc_plot_is(plot, "form", "table") ? &table : NULL;
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
  if (!gc_file_close(c.out) && !status)
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
