/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * From data to what gnuplot reads: variables and one block of numbers. How it looks is in data/plot.
 * No word of the data reaches gnuplot but as a quoted string without any special character.
 */
#include "tool/plot.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KIB 1024.0
#define MIB (KIB * 1024)
#define BARS 120 /* of a distribution, at most */

static void say_text(FILE *script, const char *name, const char *text)
{
  fprintf(script, "%s = '", name);
  for (; text && *text; text++)
    if ((unsigned char)*text >= ' ' && *text != '\'' && *text != '\\' && *text != 127)
      putc(*text, script);
  fputs("'\n", script);
}

/* Not known: NaN. */
static void say_number(FILE *script, const char *name, double value)
{
  if (isfinite(value))
    fprintf(script, "%s = %.9g\n", name, value);
  else
    fprintf(script, "%s = NaN\n", name);
}

/* 222208 -> "217 KiB"; what is no multiple keeps two digits after the point. */
static void say_bytes(FILE *script, const char *name, double bytes)
{
  const double unit = bytes >= MIB ? MIB : bytes >= KIB ? KIB : 1;
  char text[48];

  snprintf(text, sizeof text, "%.*f %s", fmod(bytes, unit) != 0 ? 2 : 0, bytes / unit,
           unit == MIB ? "MiB" : unit == KIB ? "KiB" : "B");
  say_text(script, name, isfinite(bytes) ? text : "");
}

/* "ConstantL15Cache" and "fetch" as people write it. */
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

/* What was found, with its unit. */
static void say_found(FILE *script, const struct gc_plot *plot)
{
  const char *unit = gc_infos_get(&plot->head, "unit"), *words = gc_infos_get(&plot->head, "found");
  const double found = gc_plot_number(plot, "found");
  char text[96];

  if (!unit && words && !isfinite(found)) {
    say_text(script, "found_text", in_words(words));
  } else if (!unit || !strcmp(unit, "bytes")) {
    say_bytes(script, "found_text", found);
  } else {
    snprintf(text, sizeof text, "%.9g %s", found, unit);
    say_text(script, "found_text", isfinite(found) ? text : "");
  }
}

static void say_head(FILE *script, const struct gc_plot *plot)
{
  static const char *const names[] = {"gpu", "model", "unit", "absent", "date", "confidence",
                                      "CarveoutPercent"};
  const char *element = gc_infos_get(&plot->head, "element");
  const char *property = gc_infos_get(&plot->head, "property");

  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    say_text(script, names[i], gc_infos_get(&plot->head, names[i]));
  say_text(script, "element", in_words(element ? element : ""));
  say_text(script, "property", in_words(property ? property : ""));
  say_number(script, "found", gc_plot_number(plot, "found"));
  say_found(script, plot);
  say_number(script, "near", gc_plot_number(plot, "NearLatencyCycles"));
  say_number(script, "far", gc_plot_number(plot, "FarLatencyCycles"));
  say_number(script, "threshold", gc_plot_number(plot, "threshold"));
}

/* Cycles that timing a load alone adds to it, which no picture shows. */
static double timing(const struct gc_plot *plot)
{
  const double cycles = gc_plot_number(plot, "timing");

  return isfinite(cycles) ? cycles : 0;
}

static double at(const struct gc_plot *plot, size_t row, int column)
{
  return plot->values[row * plot->width + (size_t)column];
}

static int ascending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

static double median(double *values, size_t n)
{
  qsort(values, n, sizeof *values, ascending);
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* --- curve: runs over arrays of many sizes --------------------------------------------------------- */

enum { BYTES, LOADS, SLOW, MIN, P01, MEDIAN, P99, MAX, MEAN, CARVEOUT, MEANINGS };

struct run {
  double values[MEANINGS]; /* bytes come first, and runs are sorted by them */
};

static double median_of(const struct run *runs, size_t n, int meaning, double *scratch)
{
  for (size_t i = 0; i < n; i++)
    scratch[i] = runs[i].values[meaning];
  return median(scratch, n);
}

/* What is told of all sizes together. */
struct levels {
  double hit, miss; /* medians on both sides of the capacity */
  double most;      /* the slowest of 99 % of the loads, at any size */
};

/* All runs of one size as one line: bytes, fastest load, 1 %, 50 %, 99 % of the loads, slowest load, mean,
 * slow loads in percent. */
static void say_size(FILE *script, const struct run *runs, size_t n, double *scratch, double offset,
                     double found, struct levels *levels)
{
  double least = INFINITY, most = 0, loads = 0, slow = 0, sum = 0;
  const double middle = median_of(runs, n, MEDIAN, scratch) - offset;
  const double high = median_of(runs, n, P99, scratch) - offset;

  for (size_t i = 0; i < n; i++) {
    least = fmin(least, runs[i].values[MIN]);
    most = fmax(most, runs[i].values[MAX]);
    loads += runs[i].values[LOADS];
    slow += runs[i].values[SLOW];
    sum += runs[i].values[MEAN] * runs[i].values[LOADS];
  }
  if (!(runs->values[BYTES] > found)) /* the largest that fits; without found: the largest of all */
    levels->hit = middle;
  else if (slow > 0.9 * loads)
    levels->miss = middle;
  levels->most = fmax(levels->most, high);
  fprintf(script, "%.9g %.6g %.6g %.6g %.6g %.6g %.6g %.6g\n", runs->values[BYTES], least - offset,
          median_of(runs, n, P01, scratch) - offset, middle, high, most - offset, sum / loads - offset,
          100 * slow / loads);
}

static void say_sizes(FILE *script, const struct gc_plot *plot, const struct run *runs, size_t n,
                      double *scratch)
{
  const double offset = timing(plot), found = gc_plot_number(plot, "found");
  struct levels levels = {.hit = NAN, .miss = NAN};

  fputs("$data << EOD\n", script);
  for (size_t i = 0, same; i < n; i += same) {
    for (same = 1; i + same < n && runs[i + same].values[BYTES] == runs[i].values[BYTES];)
      same++;
    say_size(script, runs + i, same, scratch, offset, found, &levels);
  }
  fputs("EOD\n", script);
  if (!isfinite(levels.miss) && gc_plot_number(plot, "miss") > offset)
    levels.miss = gc_plot_number(plot, "miss") - offset;
  /* runs know their loads to the 8 cycles of a bin; what was measured for it is better */
  say_number(script, "latency", gc_plot_number(plot, "LatencyCycles"));
  say_number(script, "penalty", gc_plot_number(plot, "MissPenaltyCycles"));
  say_number(script, "hit", levels.hit);
  say_number(script, "miss", levels.miss);
  say_number(script, "most", levels.most);
  say_number(script, "least_bytes", runs[0].values[BYTES]);
  say_number(script, "most_bytes", runs[n - 1].values[BYTES]);
}

/* Far from the answer a search loads only a part of what is in an array, which other misses come of: such
 * runs are left out. How many remain. */
static size_t only_whole(struct run *runs, size_t n)
{
  const double *last = runs[n - 1].values;
  size_t kept = 0;

  for (size_t i = 0; i < n; i++)
    if (runs[i].values[LOADS] * last[BYTES] > 0.5 * last[LOADS] * runs[i].values[BYTES])
      runs[kept++] = runs[i];
  return kept;
}

/* --- curves by carve-out --------------------------------------------------------------------------- */

#define LEVELS_MAX 110

/* What a carve-out leaves, from this percentage on; -1: a kernel without preference. */
struct level {
  double percent, bytes;
};

/* "0:222208,15:189440,default:222208"; without it each carve-out that was tried. */
static size_t read_levels(const struct gc_plot *plot, struct level *levels)
{
  const char *text = gc_infos_get(&plot->head, "CarveoutTable");
  const int column = gc_plot_column(plot, "carve-out");
  const bool tried = !text;
  size_t n = 0, known;

  for (; text && *text && n < LEVELS_MAX; text += strcspn(text, ","), text += *text == ',') {
    struct level *l = &levels[n];

    l->percent = -1;
    n += sscanf(text, "default:%lf", &l->bytes) == 1 || sscanf(text, "%lf:%lf", &l->percent, &l->bytes) == 2;
  }
  for (size_t i = 0; i < plot->rows && tried && n < LEVELS_MAX; i++) {
    for (known = 0; known < n && levels[known].percent != at(plot, i, column);)
      known++;
    levels[known] = (struct level){at(plot, i, column), NAN};
    n += known == n;
  }
  return n;
}

/* n: none. Where two leave the same, the first. */
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

/* A line per size: bytes, mean, slow loads in percent. */
static void say_level(FILE *script, const struct gc_plot *plot, const struct run *runs, size_t n,
                      double *most)
{
  for (size_t i = 0; i < n;) {
    const double bytes = runs[i].values[BYTES];
    double loads = 0, slow = 0, sum = 0;

    for (; i < n && runs[i].values[BYTES] == bytes; i++) {
      loads += runs[i].values[LOADS];
      slow += runs[i].values[SLOW];
      sum += runs[i].values[MEAN] * runs[i].values[LOADS];
    }
    fprintf(script, "%.9g %.6g %.6g\n", bytes, sum / loads - timing(plot), 100 * slow / loads);
    *most = fmax(*most, sum / loads - timing(plot));
  }
}

/* Levels are blocks of $data, which two empty lines divide. own: room for as many runs as there are. */
static void say_levels(FILE *script, const struct gc_plot *plot, const struct run *runs, struct run *own)
{
  struct level levels[LEVELS_MAX], drawn[LEVELS_MAX];
  const size_t n = read_levels(plot, levels);
  double most = 0, widest = 0;
  size_t used = 0;
  char name[48], text[48];

  fputs("$data << EOD\n", script);
  for (size_t l = 0; l < n; l++) {
    size_t in = 0;

    for (size_t i = 0; i < plot->rows; i++)
      if (level_of(levels, n, runs[i].values[CARVEOUT]) == l)
        own[in++] = runs[i];
    if (!in)
      continue;
    if (used)
      fputs("\n\n", script);
    say_level(script, plot, own, in, &most);
    widest = fmax(widest, isfinite(levels[l].bytes) ? levels[l].bytes : own[in - 1].values[BYTES]);
    drawn[used++] = levels[l];
  }
  fprintf(script, "EOD\nlevels = %zu\narray level[levels]\narray level_text[levels]\n", used);
  fputs("array level_bytes[levels]\n", script);
  for (size_t l = 0; l < used; l++) {
    snprintf(text, sizeof text, drawn[l].percent < 0 ? "default" : "%g %%", drawn[l].percent);
    snprintf(name, sizeof name, "level[%zu]", l + 1);
    say_text(script, name, text);
    snprintf(name, sizeof name, "level_bytes[%zu]", l + 1);
    say_number(script, name, drawn[l].bytes);
    snprintf(name, sizeof name, "level_text[%zu]", l + 1);
    say_bytes(script, name, drawn[l].bytes);
  }
  say_number(script, "most", most);
  say_number(script, "most_bytes", widest);
}

/* One curve, or one for each carve-out. */
static int curve(FILE *script, const struct gc_plot *plot, struct gc_error *err)
{
  static const char *const names[MEANINGS] = {"bytes",  "loads", "slow", "min", "p01",
                                              "median", "p99",   "max",  "mean", "carve-out"};
  const bool by_carveout = gc_plot_column(plot, names[CARVEOUT]) >= 0;
  const int meanings = by_carveout ? MEANINGS : CARVEOUT;
  int columns[MEANINGS], status = 0;
  struct run *runs = calloc(plot->rows, sizeof *runs);
  struct run *scratch = calloc(plot->rows, sizeof *scratch);

  if (!runs || !scratch)
    status = gc_fail(err, -ENOMEM, "out of memory");
  for (int m = 0; m < meanings && !status; m++)
    if ((columns[m] = gc_plot_column(plot, names[m])) < 0)
      status = gc_fail(err, -EBADMSG, "a curve needs a column '%s'", names[m]);
  for (size_t i = 0; i < plot->rows && !status; i++)
    for (int m = 0; m < meanings && !status; m++) {
      runs[i].values[m] = at(plot, i, columns[m]);
      if (!(runs[i].values[m] >= (m == CARVEOUT ? -1 : m == BYTES || m == LOADS)))
        status = gc_fail(err, -EBADMSG, "row %zu has no number under '%s'", i + 1, names[m]);
    }
  if (!status) {
    qsort(runs, plot->rows, sizeof *runs, ascending);
    if (by_carveout)
      say_levels(script, plot, runs, scratch);
    else
      say_sizes(script, plot, runs, only_whole(runs, plot->rows), (double *)scratch);
  }
  free(scratch);
  free(runs);
  return status;
}

/* --- trace: how many loads took how long ----------------------------------------------------------- */

/* Repetition 0 warms up: it counts only when there is no other. */
static size_t timed_loads(const struct gc_plot *plot, double *cycles, int column)
{
  const int repeat = gc_plot_column(plot, "repeat");
  double last = 0;
  size_t n = 0;

  for (size_t i = 0; repeat >= 0 && i < plot->rows; i++)
    last = fmax(last, at(plot, i, repeat));
  for (size_t i = 0; i < plot->rows; i++)
    if (isfinite(at(plot, i, column)) && (repeat < 0 || !(last > 0) || at(plot, i, repeat) > 0))
      cycles[n++] = at(plot, i, column) - timing(plot);
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
  say_number(script, "middle", median(cycles, n)); /* sorts them */
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
  say_number(script, "bar", width);
  say_number(script, "least", low);
  say_number(script, "most", high);
  say_number(script, "loads", (double)n);
  free(cycles);
  return 0;
}

/* --- repeats and tables: as they are --------------------------------------------------------------- */

/* Repetitions of something that is no latency are a table, whose first column only counts them. */
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
    say_text(script, name, plot->columns[c]);
    snprintf(name, sizeof name, "axis[%zu]", c + 1);
    name_axis(plot->columns[c], text, sizeof text);
    say_text(script, name, text);
  }
  fputs("$data << EOD\n", script);
  for (size_t i = 0; i < plot->rows; i++)
    for (size_t c = 0; c < plot->width; c++)
      fprintf(script, "%.9g%c", at(plot, i, (int)c), c + 1 < plot->width ? ' ' : '\n');
  fputs("EOD\n", script);
  return 0;
}

const char *gc_plot_script(const struct gc_plot *plot, FILE *script, struct gc_error *err)
{
  const char *form = gc_infos_get(&plot->head, "form");

  say_head(script, plot);
  if (form && !strcmp(form, "curve"))
    return curve(script, plot, err) ? NULL : gc_plot_column(plot, "carve-out") < 0 ? "curve.gp" : "carveouts.gp";
  if (form && !strcmp(form, "trace"))
    return trace(script, plot, err) ? NULL : "trace.gp";
  if (form && !strcmp(form, "repeats") && plot->width == 2)
    return table(script, plot) ? NULL : "repeats.gp";
  if (form && !strcmp(form, "table") && plot->width > 1)
    return table(script, plot) ? NULL : only_repeats(plot) ? "repeats.gp" : "table.gp";
  gc_fail(err, -EBADMSG, "it is of no known form");
  return NULL;
}
