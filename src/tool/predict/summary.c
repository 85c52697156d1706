/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All kernels in one table.
 */
#include "tool/predict/summary.h"

#include "tool/predict/reasons.h"
#include "tool/print/demangle.h"
#include "tool/print/format.h"
#include "tool/print/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME 24 /* bytes of a name: the complete one is above the tables of its launches */

/* The launches of one kernel. */
struct sum {
  const char *name;
  uint64_t launches, l1_loads, l1_misses, l2_loads, l2_misses, l2_bytes, memory_bytes;
  uint64_t misses[GC_MISS_COUNT];
};

static void add(struct sum *sum, const struct gc_kernel_prediction *kernel)
{
  sum->name = kernel->launch.name;
  sum->launches++;
  sum->l1_loads += kernel->counts.l1_loads.accesses;
  sum->l1_misses += kernel->counts.l1_loads.misses;
  sum->l2_loads += kernel->counts.l2_loads.accesses;
  sum->l2_misses += kernel->counts.l2_loads.misses;
  sum->l2_bytes += kernel->l2_read_bytes;
  sum->memory_bytes += kernel->counts.memory_read_bytes;
  for (int i = 0; i < GC_MISS_COUNT; i++)
    sum->misses[i] += kernel->misses[i];
}

static void hit_rate(uint64_t loads, uint64_t misses, char cell[GC_CELL])
{
  if (loads)
    snprintf(cell, GC_CELL, "%.1f %%", 100 * (double)(loads - misses) / (double)loads);
  else
    snprintf(cell, GC_CELL, "-");
}

/* "f" for "f(int)": the parentheses that end the name. */
static void cut_parameters(char *name)
{
  size_t at = strlen(name);
  unsigned open = 0;

  if (!at || name[at - 1] != ')')
    return;
  do {
    at--;
    open += name[at] == ')';
    open -= name[at] == '(';
  } while (open && at);
  if (at)
    name[at] = '\0';
}

static int add_row(struct gc_table *table, const struct sum *sum)
{
  char(*row)[GC_CELL] = gc_table_row(table), name[GC_CELL];

  if (!row)
    return -1;
  gc_demangle(sum->name, name, sizeof name);
  cut_parameters(name);
  snprintf(row[0], GC_CELL, "%.*s%s", NAME, *name ? name : "(no name)",
           strlen(name) > NAME ? "..." : "");
  snprintf(row[1], GC_CELL, "%" PRIu64, sum->launches);
  snprintf(row[2], GC_CELL, "%" PRIu64, sum->l1_loads);
  hit_rate(sum->l1_loads, sum->l1_misses, row[3]);
  hit_rate(sum->l2_loads, sum->l2_misses, row[4]);
  gc_format_bytes(sum->l2_bytes, row[5], GC_CELL);
  gc_format_bytes(sum->memory_bytes, row[6], GC_CELL);
  snprintf(row[7], GC_CELL, "%s", gc_main_reason(sum->misses));
  return 0;
}

int gc_predict_print_summary(const struct gc_prediction *prediction)
{
  static const char *const titles[] = {"KERNEL",  "LAUNCHES", "SECTORS", "L1 HITS",
                                       "L2 HITS", "FROM L2",  "MEMORY",  "MOSTLY"};
  struct sum *sums = calloc(prediction->count, sizeof *sums);
  size_t count = 0, k;
  struct gc_table table;
  int failed;

  if (!sums)
    return -1;
  for (size_t i = 0; i < prediction->count; i++) {
    for (k = 0; k < count && strcmp(sums[k].name, prediction->kernels[i].launch.name); k++)
      ;
    add(&sums[k], &prediction->kernels[i]);
    count += k == count;
  }
  failed = gc_table_start(&table, titles, 8, 0x7e);
  for (k = 0; k < count && !failed; k++)
    failed = add_row(&table, &sums[k]);
  gc_table_print(&table, "");
  free(sums);
  return failed;
}
