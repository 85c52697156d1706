/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes a gnuplot script of the data: variables and one block of numbers. The templates in
 * data/plot define how it looks. Text of the data reaches gnuplot only as a quoted string without
 * special characters.
 */
#include "tool/plot_script.h"

#include "record/lists.h"
#include "tool/plot_curve.h"
#include "tool/plot_write.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define BARS 120 /* most bars of a distribution */

/* "ConstantL15Cache" and "fetch" in words. */
static const char *in_words(const char *name)
{
  static const char *const words[][2] = {
    {"DeviceMemory", "device memory"},         {"L3Cache", "L3 cache"},
    {"L2Cache", "L2 cache"},                   {"L1Cache", "L1 cache"},
    {"TextureCache", "texture cache"},         {"ReadOnlyCache", "read-only cache"},
    {"ConstantL1Cache", "constant L1 cache"},  {"ConstantL15Cache", "constant L1.5 cache"},
    {"SharedMemory", "shared memory"},         {"ScalarL1Cache", "scalar L1 cache"},
    {"InstructionCache", "instruction cache"}, {"fetch", "fetch granularity"},
    {"line", "line size"},
  };

  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (!strcmp(words[i][0], name))
      return words[i][1];
  return name;
}

/* The value that was found, with its unit. */
static void say_found(FILE *script, const struct gc_plot *plot)
{
  const char *unit = gc_infos_get(&plot->head, "unit"), *words = gc_infos_get(&plot->head, "found");
  const double found = gc_plot_number(plot, "found");
  char text[96];

  if (!unit && words && !isfinite(found)) {
    gc_plot_text(script, "found_text", in_words(words));
  } else if (!unit || !strcmp(unit, "bytes")) {
    gc_plot_bytes(script, "found_text", found);
  } else {
    snprintf(text, sizeof text, "%.9g %s", found, unit);
    gc_plot_text(script, "found_text", isfinite(found) ? text : "");
  }
}

static void say_head(FILE *script, const struct gc_plot *plot)
{
  static const char *const names[] = {"gpu", "model", "unit", "absent", "date", "confidence",
                                      "CarveoutPercent"};
  const char *element = gc_infos_get(&plot->head, "element");
  const char *property = gc_infos_get(&plot->head, "property");

  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    gc_plot_text(script, names[i], gc_infos_get(&plot->head, names[i]));
  gc_plot_text(script, "element", in_words(element ? element : ""));
  gc_plot_text(script, "property", in_words(property ? property : ""));
  gc_plot_say(script, "found", gc_plot_number(plot, "found"));
  say_found(script, plot);
  gc_plot_say(script, "near", gc_plot_number(plot, "NearLatencyCycles"));
  gc_plot_say(script, "far", gc_plot_number(plot, "FarLatencyCycles"));
  gc_plot_say(script, "threshold", gc_plot_number(plot, "threshold"));
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

static int trace(FILE *script, const struct gc_plot *plot, struct gc_error *err)
{
  const int column = gc_plot_column(plot, "cycles");
  double *cycles = calloc(plot->rows, sizeof *cycles), low, high, width;
  size_t n, i;

  if (!cycles)
    return gc_fail(err, -ENOMEM, "out of memory");
  if (column < 0 || !(n = timed_loads(plot, cycles, column))) {
    free(cycles);
    return gc_fail(err, -EBADMSG, "a trace needs a column 'cycles' with numbers");
  }
  gc_plot_say(script, "middle", gc_plot_median(cycles, n)); /* sorts them */
  low = cycles[n / 200];
  high = cycles[n - 1 - n / 200];
  width = fmax(1, ceil((high - low + 1) / BARS));
  fputs("$data << EOD\n", script);
  for (i = 0; i < n && cycles[i] < low;)
    i++;
  for (size_t bar = 0; bar <= BARS && low + (double)bar * width <= high; bar++) {
    const double edge = low + (double)bar * width;
    size_t in = 0;

    for (; i < n && cycles[i] < edge + width; i++)
      in++;
    fprintf(script, "%.6g %.6g\n", edge + width / 2, 100.0 * (double)in / (double)n);
  }
  fputs("EOD\n", script);
  gc_plot_say(script, "bar", width);
  gc_plot_say(script, "least", low);
  gc_plot_say(script, "most", high);
  gc_plot_say(script, "loads", (double)n);
  free(cycles);
  return 0;
}

/* --- repeats and tables: as they are ---------------------------------------------------------- */

/* Whether this table has only repetitions: its first column counts them. */
static bool only_repeats(const struct gc_plot *plot)
{
  return plot->width == 2 && !strcmp(plot->columns[0], "repeat");
}

/* "read, GB/s" -> "Read (GB/s)" */
static void name_axis(const char *column, char *text, size_t size)
{
  const char *unit = NULL;

  for (const char *comma = strstr(column, ", "); comma; comma = strstr(comma + 1, ", "))
    unit = comma;
  if (unit)
    snprintf(text, size, "%.*s (%s)", (int)(unit - column), column, unit + 2);
  else
    snprintf(text, size, "%s", column);
  text[0] = (char)toupper((unsigned char)text[0]);
}

static int table(FILE *script, const struct gc_plot *plot)
{
  fprintf(script, "rows = %zu\ncolumns = %zu\narray title[%zu]\narray axis[%zu]\n", plot->rows,
          plot->width, plot->width, plot->width);
  for (size_t c = 0; c < plot->width; c++) {
    char name[32], text[sizeof plot->columns[c] + 2];

    snprintf(name, sizeof name, "title[%zu]", c + 1);
    gc_plot_text(script, name, plot->columns[c]);
    snprintf(name, sizeof name, "axis[%zu]", c + 1);
    name_axis(plot->columns[c], text, sizeof text);
    gc_plot_text(script, name, text);
  }
  fputs("$data << EOD\n", script);
  for (size_t i = 0; i < plot->rows; i++)
    for (size_t c = 0; c < plot->width; c++)
      fprintf(script, "%.9g%c", gc_plot_at(plot, i, (int)c), c + 1 < plot->width ? ' ' : '\n');
  fputs("EOD\n", script);
  return 0;
}

/* --- rates: curves over the capacity of L1 ---------------------------------------------------- */

#define MARKS 101

/* Marks the entries of CarveoutTable, "15:189440"; one capacity once. */
static void say_marks(FILE *script, const struct gc_plot *plot)
{
  const char *list = gc_infos_get(&plot->head, "CarveoutTable");
  struct gc_carveout_entry entry;
  uint64_t last = 0;
  unsigned marks = 0;

  fprintf(script, "array mark[%d]\narray mark_text[%d]\n", MARKS, MARKS);
  while (marks < MARKS && gc_carveout_next(&list, &entry)) {
    char name[32], words[GC_CARVEOUT_ASKED];

    if (entry.is_default || entry.bytes == last || !entry.bytes)
      continue;
    marks++;
    snprintf(name, sizeof name, "mark[%u]", marks);
    gc_plot_say(script, name, (double)entry.bytes);
    snprintf(name, sizeof name, "mark_text[%u]", marks);
    gc_carveout_asked(&entry, words);
    gc_plot_text(script, name, words);
    last = entry.bytes;
  }
  fprintf(script, "marks = %u\n", marks);
}

static int rates(FILE *script, const struct gc_plot *plot)
{
  say_marks(script, plot);
  return table(script, plot);
}

const char *gc_plot_script(const struct gc_plot *plot, FILE *script, struct gc_error *err)
{
  const char *form = gc_infos_get(&plot->head, "form");

  say_head(script, plot);
  if (form && !strcmp(form, "curve"))
    return gc_plot_curve(script, plot, err)        ? NULL
           : gc_plot_column(plot, "carve-out") < 0 ? "curve.gp"
                                                   : "carveouts.gp";
  if (form && !strcmp(form, "trace"))
    return trace(script, plot, err) ? NULL : "trace.gp";
  if (form && !strcmp(form, "repeats") && plot->width == 2)
    return table(script, plot) ? NULL : "repeats.gp";
  if (form && !strcmp(form, "table") && plot->width > 1)
    return table(script, plot) ? NULL : only_repeats(plot) ? "repeats.gp" : "table.gp";
  if (form && !strcmp(form, "rates") && plot->width > 1)
    return rates(script, plot) ? NULL : "rates.gp";
  gc_fail(err, -EBADMSG, "its form is unknown");
  return NULL;
}
