/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/predict/cells.h"

#include "tool/predict/reasons.h"
#include "tool/print/format.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Load instructions in a table; those with most misses come first. */
#define MOST_LOADS 20

void gc_cell_percent(double part, char cell[GC_CELL])
{
  if (isfinite(part))
    snprintf(cell, GC_CELL, "%.1f %%", 100 * part);
  else
    snprintf(cell, GC_CELL, "-");
}

void gc_cell_range(const struct gc_estimate *estimate, char cell[GC_CELL])
{
  if (isfinite(estimate->value) && estimate->drawn)
    snprintf(cell, GC_CELL, "%.1f to %.1f %%", 100 * estimate->low, 100 * estimate->high);
}

/* More misses first; of equal ones, the earlier load. */
static int by_misses(const void *a, const void *b)
{
  const struct gc_load_prediction *const *x = a, *const *y = b;

  if ((*x)->l1.misses != (*y)->l1.misses)
    return (*x)->l1.misses > (*y)->l1.misses ? -1 : 1;
  return *x < *y ? -1 : *x > *y;
}

static int by_place(const void *a, const void *b)
{
  const struct gc_load_prediction *const *x = a, *const *y = b;

  return *x < *y ? -1 : *x > *y;
}

/* The loads with the most misses, in the order of the kernel; their number is in *count. The caller
 * frees the array. NULL: no memory. */
static const struct gc_load_prediction **worst_loads(const struct gc_kernel_prediction *kernel,
                                                     size_t *count)
{
  const size_t n = kernel->load_count;
  const struct gc_load_prediction **loads = calloc(n ? n : 1, sizeof *loads);

  *count = n < MOST_LOADS ? n : MOST_LOADS;
  if (!loads)
    return NULL;
  for (size_t i = 0; i < n; i++)
    loads[i] = &kernel->loads[i];
  qsort(loads, n, sizeof *loads, by_misses);
  qsort(loads, *count, sizeof *loads, by_place);
  return loads;
}

static int add_cache(struct gc_table *table, const char *name, const struct gc_cache_counts *counts,
                     const struct gc_estimate *rate)
{
  char(*row)[GC_CELL] = gc_table_row(table);

  if (!row)
    return -1;
  snprintf(row[0], GC_CELL, "%s", name);
  snprintf(row[1], GC_CELL, "%" PRIu64, counts->accesses);
  snprintf(row[2], GC_CELL, "%" PRIu64, counts->hits);
  snprintf(row[3], GC_CELL, "%" PRIu64, counts->hits_on_miss);
  snprintf(row[4], GC_CELL, "%" PRIu64, counts->misses);
  gc_cell_percent(rate->value, row[5]);
  gc_cell_range(rate, row[6]);
  return 0;
}

int gc_caches_table(const struct gc_kernel_prediction *kernel, struct gc_table *table)
{
  static const char *const titles[] = {"CACHE",  "SECTORS",  "HITS", "HITS ON MISS",
                                       "MISSES", "HIT RATE", "RANGE"};
  int failed = gc_table_start(table, titles, 7, 0x7e);

  if (!failed)
    failed = add_cache(table, "L1", &kernel->counts.l1_loads, &kernel->rates[GC_RATE_L1]) ||
             add_cache(table, "L2", &kernel->counts.l2_loads, &kernel->rates[GC_RATE_L2]);
  gc_table_drop_empty(table, "RANGE");
  return failed;
}

static int add_load(struct gc_table *table, const struct gc_load_prediction *load)
{
  char(*row)[GC_CELL] = gc_table_row(table);
  const char *file = load->file, *slash = file ? strrchr(file, '/') : NULL;

  if (!row)
    return -1;
  if (load->pc == GC_TRACE_ELSEWHERE)
    snprintf(row[0], GC_CELL, "other functions");
  else
    snprintf(row[0], GC_CELL, "0x%04" PRIx32, load->pc);
  snprintf(row[1], GC_CELL, "%" PRIu64, load->l1.accesses);
  snprintf(row[2], GC_CELL, "%" PRIu64, load->l1.misses);
  gc_cell_percent(load->hit_rate.value, row[3]);
  gc_cell_range(&load->hit_rate, row[4]);
  snprintf(row[5], GC_CELL, "%s", gc_main_reason(load->misses));
  if (slash)
    file = slash + 1;
  if (file)
    snprintf(row[6], GC_CELL, "%.*s:%u", (int)gc_whole_characters(file, GC_CELL - 16), file,
             load->line);
  return 0;
}

int gc_loads_table(const struct gc_kernel_prediction *kernel, struct gc_table *table, size_t *shown)
{
  static const char *const titles[] = {"LOAD AT", "SECTORS", "MISSES", "L1 HIT RATE",
                                       "RANGE",   "MOSTLY",  "SOURCE"};
  const struct gc_load_prediction **loads = worst_loads(kernel, shown);
  int failed = gc_table_start(table, titles, 7, 0x1e);

  if (!loads)
    failed = -1;
  for (size_t i = 0; i < *shown && !failed; i++)
    failed = add_load(table, loads[i]);
  free(loads);
  gc_table_drop_empty(table, "RANGE");
  gc_table_drop_empty(table, "SOURCE");
  return failed;
}

static int add_distances(struct gc_table *table, const char *distance, uint64_t loads, double sum)
{
  char(*row)[GC_CELL] = gc_table_row(table);

  if (!row)
    return -1;
  snprintf(row[0], GC_CELL, "%s", distance);
  snprintf(row[1], GC_CELL, "%" PRIu64, loads);
  gc_cell_percent((double)loads / sum, row[2]);
  return 0;
}

static void name_bin(unsigned bin, char text[48])
{
  if (bin < 2)
    snprintf(text, 48, "%u", bin);
  else
    snprintf(text, 48, "%" PRIu64 " to %" PRIu64, gc_reuse_bin_low(bin), gc_reuse_bin_high(bin));
}

int gc_distances_table(const struct gc_reuse_bins *bins, uint32_t line_bytes,
                       struct gc_table *table)
{
  static const char *const titles[] = {"REUSE DISTANCE", "LOADS OF A LINE", "SHARE", "LRU CACHE OF",
                                       "HIT RATE"};
  const double sum = (double)gc_reuse_bins_loads(bins);
  int failed = gc_table_start(table, titles, 5, 0x1f);
  uint64_t hits = 0;
  char text[48];

  for (unsigned i = 0; i < gc_reuse_bins_used(bins) && !failed; i++) {
    name_bin(i, text);
    failed = add_distances(table, text, bins->loads[i], sum);
    hits += bins->loads[i];
    if (failed)
      break;
    gc_format_bytes((UINT64_C(1) << i) * line_bytes, table->cells[table->rows - 1][3], GC_CELL);
    gc_cell_percent((double)hits / sum, table->cells[table->rows - 1][4]);
  }
  return failed ? failed : add_distances(table, "first load", bins->first, sum);
}
