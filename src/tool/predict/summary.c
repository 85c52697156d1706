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

/* Names the rows. left_out: NULL for a page; else the table is for the terminal, see
 * gc_table_narrow. 0, or -1: no memory. */
static int name_rows(struct gc_table *table, const struct gc_kernel_prediction *sums, size_t count,
                     char *left_out)
{
  const char **names = calloc(count ? count : 1, sizeof *names);
  int status = names ? 0 : -1;
  size_t columns = left_out ? LEAST_NAME : PAGE_NAME, room;

  for (size_t k = 0; k < count && names; k++)
    names[k] = sums[k].launch.name;
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

static void count_launches(const struct gc_kernel_prediction *sum, char (*row)[GC_CELL])
{
  snprintf(row[1], GC_CELL, "%" PRIu64, gc_trace_stands(&sum->launch));
}

/* An amount with a "~" before it if it is estimated. */
static char *put_amount(const struct gc_kernel_prediction *sum, char cell[GC_CELL])
{
  *cell = '~';
  return cell + sum->estimated;
}

static void put_bytes(const struct gc_kernel_prediction *sum, uint64_t bytes, char cell[GC_CELL])
{
  gc_format_bytes(bytes, put_amount(sum, cell), GC_CELL - 1);
}

static int add_row(struct gc_table *table, const struct gc_kernel_prediction *sum)
{
  char(*row)[GC_CELL] = gc_table_row(table);
  struct gc_helps helps;

  if (!row)
    return -1;
  count_launches(sum, row);
  if (sum->cannot_run) {
    snprintf(row[7], GC_CELL, CANNOT_RUN);
    return 0;
  }
  snprintf(put_amount(sum, row[2]), GC_CELL - 1, "%" PRIu64, sum->counts.l1_loads.accesses);
  gc_cell_percent(sum->rates[GC_RATE_L1].value, row[3]);
  gc_cell_percent(sum->rates[GC_RATE_L2].value, row[4]);
  put_bytes(sum, sum->l2_read_bytes, row[5]);
  put_bytes(sum, sum->counts.memory_read_bytes, row[6]);
  snprintf(row[7], GC_CELL, "%s", gc_main_reason(sum->misses));
  helps = gc_helps_most(sum);
  if (helps.remedy >= 0)
    snprintf(row[8], GC_CELL, "%s +%.1f", gc_remedy_names[helps.remedy], 100 * helps.gain);
  if (table->columns > RANGES) {
    gc_cell_range(&sum->rates[GC_RATE_L1], row[RANGES]);
    gc_cell_range(&sum->rates[GC_RATE_L2], row[RANGES + 1]);
  }
  return 0;
}

/* Whether runs differ: not with --seeds 0, nor if all gave the same. */
static bool have_ranges(const struct gc_prediction *prediction)
{
  for (size_t k = 0; k < prediction->sum_count; k++)
    for (int i = 0; i < GC_RATE_COUNT; i++) {
      const struct gc_estimate *rate = &prediction->sums[k].rates[i];

      if (rate->drawn && rate->low < rate->high)
        return true;
    }
  return false;
}

int gc_summary_table(const struct gc_prediction *prediction, struct gc_table *table,
                     char left_out[GC_LEFT_OUT])
{
  static const char *const titles[] = {"KERNEL",     "LAUNCHES", "SECTORS", "L1 HITS",
                                       "L2 HITS",    "FROM L2",  "MEMORY",  "MOSTLY",
                                       "HELPS MOST", "L1 RANGE", "L2 RANGE"};
  int failed = gc_table_start(table, titles, have_ranges(prediction) ? RANGES + 2 : RANGES, 0x67e);

  for (size_t k = 0; k < prediction->sum_count && !failed; k++)
    failed = add_row(table, &prediction->sums[k]);
  return failed ? failed : name_rows(table, prediction->sums, prediction->sum_count, left_out);
}

/* --- several GPUs ----------------------------------------------------------------------------- */

#define GPUS 2 /* side by side: a line has about 90 characters then */

/* A GPU that has not failed, and its number on the command line. */
struct column {
  size_t number;
  const struct gc_prediction *prediction;
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
  for (size_t k = 0; k < columns->prediction->sum_count && !failed; k++) {
    char(*row)[GC_CELL] = gc_table_row(table);

    failed = row ? 0 : -1;
    for (size_t i = 0; i < n && row; i++) {
      const struct gc_kernel_prediction *sum = &columns[i].prediction->sums[k];

      count_launches(sum, row);
      if (sum->cannot_run) {
        snprintf(row[2 + 3 * i], GC_CELL, CANNOT_RUN);
        continue;
      }
      gc_cell_percent(sum->rates[GC_RATE_L1].value, row[2 + 3 * i]);
      gc_cell_percent(sum->rates[GC_RATE_L2].value, row[3 + 3 * i]);
      put_bytes(sum, sum->counts.memory_read_bytes, row[4 + 3 * i]);
    }
  }
  if (!failed)
    failed = name_rows(table, columns->prediction->sums, columns->prediction->sum_count, left_out);
  if (failed)
    free(table->cells);
  return failed;
}

int gc_side_by_side_table(const struct gc_predicted *predicted, size_t count, size_t *next,
                          struct gc_table *table, char left_out[GC_LEFT_OUT])
{
  struct column columns[GPUS];
  size_t n = 0;

  for (; *next < count && n < GPUS; ++*next)
    if (!predicted[*next].failed)
      columns[n++] = (struct column){*next + 1, predicted[*next].prediction};
  if (!n)
    return 0;
  return make_columns(columns, n, table, left_out) ? -1 : 1;
}
