/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Curves: runs over arrays of many sizes, in one curve or in one for each carve-out.
 */
#include "tool/plot_curve.h"

#include "record/lists.h"
#include "tool/plot_write.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES, LOADS, SLOW, MIN, P01, MEDIAN, P99, MAX, MEAN, CARVEOUT, MEANINGS };

struct run {
  double values[MEANINGS]; /* runs are sorted by the first, bytes */
};

static double median_of(const struct run *runs, size_t n, int meaning, double *scratch)
{
  for (size_t i = 0; i < n; i++)
    scratch[i] = runs[i].values[meaning];
  return gc_plot_median(scratch, n);
}

/* Values for all sizes together. The caller sets timing and found. */
struct levels {
  double timing;    /* cycles that the timing adds to a load */
  double found;     /* the capacity in bytes, or NAN */
  double hit, miss; /* medians on both sides of the capacity */
  double most;      /* the largest 99th percentile of any size */
};

/* Writes one line for all runs of one size: bytes, fastest load, 1st, 50th and 99th percentile,
 * slowest load, mean, percentage of slow loads. */
static void say_size(FILE *script, const struct run *runs, size_t n, double *scratch,
                     struct levels *levels)
{
  const double offset = levels->timing;
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
  /* ends with the largest size that fits, or without found with the largest of all */
  if (!(runs->values[BYTES] > levels->found))
    levels->hit = middle;
  else if (slow > 0.9 * loads)
    levels->miss = middle;
  levels->most = fmax(levels->most, high);
  fprintf(script, "%.9g %.6g %.6g %.6g %.6g %.6g %.6g %.6g\n", runs->values[BYTES], least - offset,
          median_of(runs, n, P01, scratch) - offset, middle, high, most - offset,
          sum / loads - offset, 100 * slow / loads);
}

static void say_sizes(FILE *script, const struct gc_plot *plot, const struct run *runs, size_t n,
                      double *scratch)
{
  const double offset = gc_plot_timing(plot);
  struct levels levels = {
      .timing = offset, .found = gc_plot_number(plot, "found"), .hit = NAN, .miss = NAN};

  fputs("$data << EOD\n", script);
  for (size_t i = 0, same; i < n; i += same) {
    for (same = 1; i + same < n && runs[i + same].values[BYTES] == runs[i].values[BYTES];)
      same++;
    say_size(script, runs + i, same, scratch, &levels);
  }
  fputs("EOD\n", script);
  if (!isfinite(levels.miss) && gc_plot_number(plot, "miss") > offset)
    levels.miss = gc_plot_number(plot, "miss") - offset;
  /* runs have their loads in bins of 8 cycles; the measured latency is more exact */
  gc_plot_say(script, "latency", gc_plot_number(plot, "LatencyCycles"));
  gc_plot_say(script, "penalty", gc_plot_number(plot, "MissPenaltyCycles"));
  gc_plot_say(script, "hit", levels.hit);
  gc_plot_say(script, "miss", levels.miss);
  gc_plot_say(script, "most", levels.most);
  gc_plot_say(script, "least_bytes", runs[0].values[BYTES]);
  gc_plot_say(script, "most_bytes", runs[n - 1].values[BYTES]);
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

/* --- curves by carve-out ---------------------------------------------------------------------- */

#define LEVELS_MAX 110

/* The capacity with carve-outs from this percentage on; -1: a kernel without a preference. */
struct level {
  double percent, bytes;
};

/* Reads "0:222208,15:189440,default:222208"; without it, lists each carve-out that was tried. */
static size_t read_levels(const struct gc_plot *plot, struct level *levels)
{
  const char *list = gc_infos_get(&plot->head, "CarveoutTable");
  const int column = gc_plot_column(plot, "carve-out");
  const bool tried = !list;
  struct gc_carveout_entry entry;
  size_t n = 0, same;

  while (n < LEVELS_MAX && gc_carveout_next(&list, &entry))
    levels[n++] =
        (struct level){entry.is_default ? -1 : (double)entry.percent, (double)entry.bytes};
  for (size_t i = 0; i < plot->rows && tried && n < LEVELS_MAX; i++) {
    for (same = 0; same < n && levels[same].percent != gc_plot_at(plot, i, column);)
      same++;
    levels[same] = (struct level){gc_plot_at(plot, i, column), NAN};
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

/* Writes a line for each size: bytes, mean, percentage of slow loads. */
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
    fprintf(script, "%.9g %.6g %.6g\n", bytes, sum / loads - gc_plot_timing(plot),
            100 * slow / loads);
    *most = fmax(*most, sum / loads - gc_plot_timing(plot));
  }
}

/* Levels are blocks of $data, separated by two empty lines. own: space for as many runs as there
 * are. */
static void say_levels(FILE *script, const struct gc_plot *plot, const struct run *runs,
                       struct run *own)
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
    gc_plot_text(script, name, text);
    snprintf(name, sizeof name, "level_bytes[%zu]", l + 1);
    gc_plot_say(script, name, drawn[l].bytes);
    snprintf(name, sizeof name, "level_text[%zu]", l + 1);
    gc_plot_bytes(script, name, drawn[l].bytes);
  }
  gc_plot_say(script, "most", most);
  gc_plot_say(script, "most_bytes", widest);
}

int gc_plot_curve(FILE *script, const struct gc_plot *plot, struct gc_error *err)
{
  static const char *const names[MEANINGS] = {"bytes",  "loads", "slow", "min",  "p01",
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
      runs[i].values[m] = gc_plot_at(plot, i, columns[m]);
      if (!(runs[i].values[m] >= (m == CARVEOUT ? -1 : m == BYTES || m == LOADS)))
        status = gc_fail(err, -EBADMSG, "row %zu has no number under '%s'", i + 1, names[m]);
    }
  if (!status) {
    qsort(runs, plot->rows, sizeof *runs, gc_plot_ascending);
    if (by_carveout)
      say_levels(script, plot, runs, scratch);
    else
      say_sizes(script, plot, runs, only_whole(runs, plot->rows), (double *)scratch);
  }
  free(scratch);
  free(runs);
  return status;
}
