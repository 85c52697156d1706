/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Misses in each pass over an array that is one line larger than the cache. With LRU, all lines of
 * one set miss: one more than its ways. doc/methods.md, "Sets and replacement".
 */
#include "measure/structure/structure.h"

#include "measure/core/step_memory.h"
#include "measure/structure/cache_lines.h"
#include "measure/walk/banks.h"
#include "measure/walk/marks.h"
#include "measure/walk/ring.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>

#define RUNS 128u      /* over arrays that fit, or are one line too large */
#define RUNS_ALONE 8u  /* if only one SM walks at a time */
#define PASSES 3       /* untimed, at least */
#define BANK_ROUNDS 4  /* launches over several modules */
#define FITTING 4      /* one in so many arrays fits: its slow loads are noise */
#define TOLERANCE 0.1  /* relative error that a confidence is for */
#define SAME 0.05      /* lines by which runs with the same misses differ, */
#define DISTURBED 0.02 /* and their share that disturbed loads add in most runs */
#define FEWER 20       /* one in so many runs may miss fewer lines */
#define LEAST 0.5      /* fewer misses are not told from noise */
#define OFFSETS 8      /* equal parts of the cache; an array begins where one of them does */

struct excess {
  struct gc_measurement *m;
  struct gc_cache_lines cache;
  struct gc_binning binning;
  uint32_t stride; /* bytes between loads */
  struct gc_run runs[RUNS];
  size_t n;     /* runs so far */
  bool offsets; /* arrays begin at different lines */
};

static bool fits(size_t run)
{
  return run % FITTING == 0;
}

static void choose_sizes(struct excess *e, size_t from, size_t n)
{
  for (size_t i = from; i < from + n; i++)
    e->runs[i].bytes = (uint64_t)(e->cache.lines + !fits(i)) * e->cache.line;
}

/* Constants of several modules, on SMs that share no cache. */
static int walk_banks(struct excess *e)
{
  const struct gc_banks_mode how = {.threshold = e->binning.threshold};
  struct gc_banks *banks;
  int status = gc_banks_open(e->m, &banks);
  size_t at_once;

  if (status || !banks)
    return status;
  e->stride = GC_BANKS_STRIDE;
  at_once = banks->participants.count < RUNS / BANK_ROUNDS ? banks->participants.count
                                                           : RUNS / BANK_ROUNDS;
  for (unsigned i = 0; i < BANK_ROUNDS && !status && !banks->failed; i++) {
    choose_sizes(e, e->n, at_once);
    status = gc_banks_walk(banks, &how, &e->binning, e->runs + e->n, at_once);
    e->n += at_once;
  }
  if (banks->failed)
    e->n = 0;
  gc_banks_close(banks);
  return status;
}

/* Arrays begin at different lines: which line is one too many may decide how many miss. A part of
 * the cache is a whole number of turns through the sets where adjacent lines share a set. */
static uint64_t start_of(const struct excess *e, size_t run)
{
  return e->offsets ? (uint64_t)(run % OFFSETS) * (e->cache.lines / OFFSETS) * e->cache.line : 0;
}

/* Up to GPU_MARKS timed loads of all arrays, `from` loads after the start of a pass. A run has
 * whole passes in the end. Untimed loads follow the chain, too, so that all passes are alike. */
static int walk_part(struct excess *e, const struct gc_path *path, uint32_t from, uint32_t loads)
{
  struct gc_bench *bench = &e->m->bench;
  const uint32_t most = gc_walks_alone(bench, path) ? 1 : bench->properties.sms;
  const uint32_t enough = path->warm_loads / e->cache.lines + 1;
  uint64_t starts[RUNS], ends[RUNS];
  struct gpu_marks_result seen[RUNS];
  int status = 0;

  for (size_t i = 0; i < e->n; i++) {
    starts[i] = gc_ring_address(bench, path->space, start_of(e, i));
    ends[i] = gc_ring_address(bench, path->space, start_of(e, i) + e->runs[i].bytes);
  }
  /* arrays that fit have one load less in a pass, which does not matter: nothing misses there */
  for (size_t i = 0; i < e->n && !status; i += most) {
    const struct gc_marked marked = {
        .starts = starts + i,
        .ends = ends + i,
        .n = e->n - i < most ? e->n - i : most,
        .warm = (enough > PASSES ? enough : PASSES) * (e->cache.lines + 1) + from,
        .loads = loads,
        .threshold = e->binning.threshold,
        .late = UINT32_MAX};

    status = gc_marks_walk(bench, path, &marked, seen + i);
  }
  for (size_t i = 0; i < e->n && !status; i++) {
    e->runs[i].seen.loads += loads;
    for (uint32_t k = 0; k < loads; k++)
      e->runs[i].seen.slow += gc_mark(seen[i].slow, k);
  }
  return status;
}

static int walk(struct excess *e, const struct gc_path *path)
{
  struct gc_bench *bench = &e->m->bench;
  const uint32_t pass = e->cache.lines + 1;
  const uint64_t bytes = (uint64_t)pass * e->cache.line;
  const uint32_t loads = pass < GPU_MARKS ? GPU_MARKS / pass * pass : pass;
  int status;

  if (bytes > gc_ring_limit(bench, path->space))
    return 0;
  e->offsets = 2 * bytes <= gc_ring_limit(bench, path->space);
  e->stride = e->cache.line;
  e->n = gc_walks_alone(bench, path) ? RUNS_ALONE : RUNS;
  choose_sizes(e, 0, e->n);
  status = gc_ring_lay(bench, path->space, e->offsets ? 2 * bytes : bytes, e->stride, 1);
  for (uint32_t from = 0; from < loads && !status; from += GPU_MARKS)
    status = walk_part(e, path, from, loads - from < GPU_MARKS ? loads - from : GPU_MARKS);
  return status;
}

/* Lines that miss in a pass. If loads are nearer than what a miss fetches, the first one of each
 * fetch misses. */
static double lines_of(const struct excess *e, const struct gc_run *run)
{
  const double passes = (double)run->seen.loads * e->stride / (double)run->bytes;
  const double fetched = fmax(e->stride, e->cache.sector);

  return run->seen.slow / passes * fetched / e->cache.line;
}

/* If the order of loads decides which lines are replaced, each pass misses the same lines, and
 * disturbed loads can only add to them. Then the number of these lines is the result; otherwise
 * 0. */
static double same_excess(const struct excess *e)
{
  double lines[RUNS], middle;
  size_t n = 0, fewer = 0, same = 0;

  for (size_t i = 0; i < e->n; i++)
    if (!fits(i))
      lines[n++] = lines_of(e, &e->runs[i]);
  middle = round(gc_median(lines, n));
  for (size_t i = 0; i < n; i++) {
    fewer += lines[i] < middle - SAME;
    same += fabs(lines[i] - middle) <= SAME + DISTURBED * middle;
  }
  return 2 * same > n && FEWER * fewer <= n ? middle : 0;
}

/* The mean of the arrays that are too large, less that of the arrays that fit, and the standard
 * error. `late` is the share of hits that take as long as misses. They look like misses in both, so
 * the difference is too small by this share. */
static double mean_excess(const struct excess *e, double late, double *error)
{
  const double same = same_excess(e);
  double sum[2] = {0}, squares[2] = {0}, n[2] = {0}, variance = 0;

  for (size_t i = 0; i < e->n; i++) {
    const double lines = lines_of(e, &e->runs[i]);

    sum[fits(i)] += lines;
    squares[fits(i)] += lines * lines;
    n[fits(i)]++;
  }
  for (int k = 0; k < 2; k++)
    variance += fmax(0, squares[k] / n[k] - pow(sum[k] / n[k], 2)) / n[k];
  *error = same > 0 ? 0 : sqrt(variance) / (1 - late);
  return same > 0 ? same : (sum[0] / n[0] - sum[1] / n[1]) / (1 - late);
}

int gc_step_excess_misses(struct gc_measurement *m, struct gc_measured *element)
{
  const struct gc_path *path = gc_path_of(element->kind);
  struct excess *e;
  struct gc_cache_lines cache;
  const char *why = gc_cache_lines_find(element, &cache);
  double misses = 0, error = 0;
  int status;

  if (!why)
    why = gc_cache_lines_late(element);
  if (why)
    return gc_set_absent(element, GC_EXCESS_MISSES, why);
  if (!(e = gc_step_alloc(&m->bench, 1, sizeof(*e))))
    return -ENOMEM;
  e->m = m;
  e->cache = cache;
  e->binning = (struct gc_binning){.shift = 3, .threshold = (uint32_t)cache.threshold};
  if (!(status = gc_cache_lines_prepare(&m->bench, path)))
    status = element->kind == GC_CONSTANT_L15 ? walk_banks(e) : walk(e, path);
  if (!status && e->n >= FITTING) {
    misses = mean_excess(e, element->late, &error);
    gc_raw_runs(m->bench.raw, "excess", &e->binning, e->runs, e->n);
  }
  if (!status && e->n < FITTING)
    gc_set_absent(element, GC_EXCESS_MISSES, "no array larger than the cache can be walked");
  else if (!status && misses < LEAST)
    gc_set_absent(element, GC_EXCESS_MISSES,
                  "one line more than the capacity causes no further misses");
  else if (!status) {
    const double confidence = error > 0 ? erf(TOLERANCE * misses / error / M_SQRT2) : 1;

    element->excess_misses = round(misses * 10) / 10;
    if (confidence < GC_CONFIDENCE_LEAST)
      gc_set_absent(element, GC_EXCESS_MISSES, "runs differ too much");
    else
      gc_set_measured(element, GC_EXCESS_MISSES, confidence);
  }
  return status;
}
