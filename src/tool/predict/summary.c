/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All kernels in one table; of several GPUs, as many in a table as a line has room for.
 */
#include "tool/predict/summary.h"

#include "tool/predict/cells.h"
#include "tool/predict/helps.h"
#include "tool/predict/names.h"
#include "tool/predict/reasons.h"
#include "tool/print/format.h"
#include "tool/print/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Columns of names; the complete ones are above the tables of their launches. */
#define LEAST_NAME 20 /* on a terminal that is narrower, other columns are left out */
#define PAGE_NAME 100

#define RANGES 9                /* the first of two columns, if there are any */
#define CANNOT_RUN "cannot run" /* the section of the kernel says why */

/* The launches of one kernel; each recorded one is counted for all for which it stands. */
struct sum {
  const char *name;
  bool can_run; /* one of them, on this GPU; the numbers are of those */
  uint64_t launches, l1_loads, l1_misses, l2_loads, l2_misses, l2_bytes, memory_bytes;
  uint64_t misses[GC_MISS_COUNT];
  /* hits: of each launch, those of the run that has the fewest, and the most */
  double low[GC_RATE_COUNT], high[GC_RATE_COUNT];
  double fewest; /* misses in L1: of each launch, those of the run that has the fewest */
  struct gc_remedy_effect remedies[GC_REMEDY_COUNT];
};

static void add_range(struct sum *sum, enum gc_hit_rate rate, double loads,
                      const struct gc_estimate *estimate)
{
  if (loads > 0) {
    sum->low[rate] += loads * estimate->low;
    sum->high[rate] += loads * estimate->high;
  }
}

static void add(struct sum *sum, const struct gc_kernel_prediction *kernel)
{
  const uint64_t n = gc_trace_stands(&kernel->launch);

  sum->name = kernel->launch.name;
  sum->launches += n;
  if (kernel->cannot_run)
    return;
  sum->can_run = true;
  sum->l1_loads += n * kernel->counts.l1_loads.accesses;
  sum->l1_misses += n * kernel->counts.l1_loads.misses;
  sum->l2_loads += n * kernel->counts.l2_loads.accesses;
  sum->l2_misses += n * kernel->counts.l2_loads.misses;
  add_range(sum, GC_RATE_L1, (double)(n * kernel->counts.l1_loads.accesses),
            &kernel->rates[GC_RATE_L1]);
  add_range(sum, GC_RATE_L2, (double)(n * kernel->counts.l2_loads.accesses),
            &kernel->rates[GC_RATE_L2]);
  sum->l2_bytes += n * kernel->l2_read_bytes;
  sum->memory_bytes += n * kernel->counts.memory_read_bytes;
  for (int i = 0; i < GC_MISS_COUNT; i++)
    sum->misses[i] += n * kernel->misses[i];
  sum->fewest += (double)n * gc_helps_fewest(kernel);
  for (int i = 0; i < GC_REMEDY_COUNT; i++) {
    sum->remedies[i].tried = kernel->remedies[i].tried;
    sum->remedies[i].misses += n * kernel->remedies[i].misses;
  }
}

static void hit_rate(uint64_t loads, uint64_t misses, char cell[GC_CELL])
{
  if (loads)
    snprintf(cell, GC_CELL, "%.1f %%", 100 * (double)(loads - misses) / (double)loads);
  else
    snprintf(cell, GC_CELL, "-");
}

static void hit_range(const struct sum *sum, enum gc_hit_rate rate, uint64_t loads,
                      char cell[GC_CELL])
{
  if (loads)
    gc_cell_range(&(struct gc_estimate){.low = sum->low[rate] / (double)loads,
                                        .high = sum->high[rate] / (double)loads},
                  cell);
}

/* Names the rows. left_out: NULL for a page; else the table is for the terminal, see
 * gc_table_narrow. 0, or -1: no memory. */
static int name_rows(struct gc_table *table, const struct sum *sums, size_t count, char *left_out)
{
  const char **names = calloc(count ? count : 1, sizeof *names);
  int status = names ? 0 : -1;
  size_t columns = left_out ? LEAST_NAME : PAGE_NAME, room;

  for (size_t k = 0; k < count && names; k++)
    names[k] = sums[k].name;
  if (!status)
    status = gc_names_write(names, count, columns, table);
  if (!status && left_out) {
    gc_table_narrow(table, "", left_out, GC_LEFT_OUT);
    room = gc_table_room(table, "");
    if (room > columns)
      status = gc_names_write(names, count, room, table);
  }
  free(names);
  return status;
}

static void count_launches(const struct sum *sum, char (*row)[GC_CELL])
{
  snprintf(row[1], GC_CELL, "%" PRIu64, sum->launches);
}

static int add_row(struct gc_table *table, const struct sum *sum)
{
  char(*row)[GC_CELL] = gc_table_row(table);
  struct gc_helps helps;

  if (!row)
    return -1;
  count_launches(sum, row);
  if (!sum->can_run) {
    snprintf(row[7], GC_CELL, CANNOT_RUN);
    return 0;
  }
  snprintf(row[2], GC_CELL, "%" PRIu64, sum->l1_loads);
  hit_rate(sum->l1_loads, sum->l1_misses, row[3]);
  hit_rate(sum->l2_loads, sum->l2_misses, row[4]);
  gc_format_bytes(sum->l2_bytes, row[5], GC_CELL);
  gc_format_bytes(sum->memory_bytes, row[6], GC_CELL);
  snprintf(row[7], GC_CELL, "%s", gc_main_reason(sum->misses));
  helps = gc_helps_most(sum->l1_loads, sum->l1_misses, sum->fewest, sum->remedies);
  if (helps.remedy >= 0)
    snprintf(row[8], GC_CELL, "%s +%.1f", gc_remedy_names[helps.remedy], 100 * helps.gain);
  if (table->columns > RANGES) {
    hit_range(sum, GC_RATE_L1, sum->l1_loads, row[RANGES]);
    hit_range(sum, GC_RATE_L2, sum->l2_loads, row[RANGES + 1]);
  }
  return 0;
}

/* One sum for each name, in the order of the first launches; the caller frees them. NULL: no
 * memory. */
static struct sum *sum_up(const struct gc_prediction *prediction, size_t *count)
{
  struct sum *sums = calloc(prediction->count, sizeof *sums);
  size_t k;

  *count = 0;
  for (size_t i = 0; i < prediction->count && sums; i++) {
    for (k = 0; k < *count && strcmp(sums[k].name, prediction->kernels[i].launch.name); k++)
      ;
    add(&sums[k], &prediction->kernels[i]);
    *count += k == *count;
  }
  return sums;
}

/* Whether runs differ: not with --seeds 0, nor if all gave the same. */
static bool have_ranges(const struct sum *sums, size_t count)
{
  for (size_t k = 0; k < count && sums; k++)
    for (int i = 0; i < GC_RATE_COUNT; i++)
      if (sums[k].low[i] < sums[k].high[i])
        return true;
  return false;
}

int gc_summary_table(const struct gc_prediction *prediction, struct gc_table *table,
                     char left_out[GC_LEFT_OUT])
{
  static const char *const titles[] = {"KERNEL",     "LAUNCHES", "SECTORS", "L1 HITS",
                                       "L2 HITS",    "FROM L2",  "MEMORY",  "MOSTLY",
                                       "HELPS MOST", "L1 RANGE", "L2 RANGE"};
  size_t count;
  struct sum *sums = sum_up(prediction, &count);
  int failed = gc_table_start(table, titles, have_ranges(sums, count) ? RANGES + 2 : RANGES, 0x67e);

  if (!sums)
    failed = -1;
  for (size_t k = 0; k < count && !failed; k++)
    failed = add_row(table, &sums[k]);
  if (!failed)
    failed = name_rows(table, sums, count, left_out);
  free(sums);
  return failed;
}

/* --- several GPUs ----------------------------------------------------------------------------- */

#define GPUS 2 /* side by side: a line has about 90 characters then */

/* A GPU that has not failed, and its number on the command line. */
struct column {
  size_t number, count;
  struct sum *sums;
};

static void set_titles(char titles[2 + 3 * GPUS][32], const struct column *columns, size_t n)
{
  strcpy(titles[0], "KERNEL");
  strcpy(titles[1], "LAUNCHES");
  for (size_t i = 0; i < n; i++) {
    snprintf(titles[2 + 3 * i], 32, "GPU %zu: L1", columns[i].number);
    strcpy(titles[3 + 3 * i], "L2");
    strcpy(titles[4 + 3 * i], "MEMORY");
  }
}

static int make_columns(const struct column *columns, size_t n, struct gc_table *table,
                        char *left_out)
{
  char texts[2 + 3 * GPUS][32];
  const char *titles[2 + 3 * GPUS];
  int failed;

  set_titles(texts, columns, n);
  for (size_t i = 0; i < 2 + 3 * n; i++)
    titles[i] = texts[i];
  failed = gc_table_start(table, titles, 2 + 3 * n, 0xfe);
  for (size_t k = 0; k < columns->count && !failed; k++) {
    char(*row)[GC_CELL] = gc_table_row(table);

    failed = row ? 0 : -1;
    for (size_t i = 0; i < n && row; i++) {
      const struct sum *sum = &columns[i].sums[k];

      count_launches(sum, row);
      if (!sum->can_run) {
        snprintf(row[2 + 3 * i], GC_CELL, CANNOT_RUN);
        continue;
      }
      hit_rate(sum->l1_loads, sum->l1_misses, row[2 + 3 * i]);
      hit_rate(sum->l2_loads, sum->l2_misses, row[3 + 3 * i]);
      gc_format_bytes(sum->memory_bytes, row[4 + 3 * i], GC_CELL);
    }
  }
  if (!failed)
    failed = name_rows(table, columns->sums, columns->count, left_out);
  if (failed)
    free(table->cells);
  return failed;
}

int gc_side_by_side_table(const struct gc_predicted *predicted, size_t count, size_t *next,
                          struct gc_table *table, char left_out[GC_LEFT_OUT])
{
  struct column columns[GPUS];
  size_t n = 0;
  int failed = 0;

  for (; *next < count && n < GPUS && !failed; ++*next)
    if (!predicted[*next].failed) {
      columns[n].number = *next + 1;
      columns[n].sums = sum_up(predicted[*next].prediction, &columns[n].count);
      failed = columns[n].sums ? 0 : -1;
      n++;
    }
  if (n && !failed)
    failed = make_columns(columns, n, table, left_out);
  for (size_t i = 0; i < n; i++)
    free(columns[i].sums);
  return failed ? failed : n > 0;
}
