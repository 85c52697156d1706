/* SPDX-License-Identifier: BSD-3-Clause */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include "tool/predict/print.h"

#include "tool/predict/cells.h"
#include "tool/predict/helps.h"
#include "tool/predict/reasons.h"
#include "tool/predict/summary.h"
#include "tool/print/demangle.h"
#include "tool/print/format.h"
#include "tool/print/messages.h"
#include "tool/print/table.h"
#include "tool/print/terminal.h"
#include "tool/tool.h"

#include <hwloc/gpucache.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Load instructions in a table; those with most misses come first. */
#define MOST_LOADS 20

static void print_gpu(const struct gc_source *source)
{
  printf("GPU: %s, %s\n", source->record->identity.model, source->name);
}

static void print_number(size_t number, const struct gc_source *source)
{
  printf("GPU %zu: %s, %s\n", number, source->record->identity.model, source->name);
}

/* "1024 blocks of ", "": a number that a trace can lack. */
static void append_count(char *line, size_t size, const char *format, uint64_t count)
{
  const size_t used = strlen(line);

  if (count)
    snprintf(line + used, size - used, format, count);
}

static void print_name(const struct gc_trace_launch *launch)
{
  char line[700], name[600];

  gc_demangle(launch->name, name, sizeof name);
  snprintf(line, sizeof line, "kernel %" PRIu64 ": %s", launch->number,
           *name ? name : "(no name)");
  gc_terminal_print(line, NULL);
}

/* How the order of loads was found: it decides about many hits. */
static void print_rule(const struct gc_trace_launch *launch)
{
  if (launch->registers)
    puts("  a warp waits for a load where the trace uses its registers");
  else if (launch->loads_at_once > 1)
    printf("  a warp issues up to %u loads at once, as the trace says\n", launch->loads_at_once);
  else
    puts("  a warp waits for each load: the trace does not show which are issued at once");
}

static void print_launch(const struct gc_kernel_prediction *kernel)
{
  const struct gc_trace_launch *launch = &kernel->launch;
  char line[700], l1[32];

  print_name(launch);
  snprintf(line, sizeof line, "  ");
  append_count(line, sizeof line, "%" PRIu64 " blocks, ", launch->blocks);
  append_count(line, sizeof line, "%" PRIu64 " threads a block, ", launch->threads_per_block);
  append_count(line, sizeof line, "%" PRIu64 " registers a thread, ", launch->registers_per_thread);
  append_count(line, sizeof line, "%" PRIu64 " bytes of shared memory a block, ",
               launch->shared_bytes);
  append_count(line, sizeof line, "%" PRIu64 " blocks on an SM at the same time, ",
               kernel->blocks_per_sm);
  gc_format_bytes(kernel->gpu.l1_bytes, l1, sizeof l1);
  snprintf(line + strlen(line), sizeof line - strlen(line), "%s%s",
           kernel->gpu.loads_in_l1 ? "L1 of " : "no global loads in L1",
           kernel->gpu.loads_in_l1 ? l1 : "");
  gc_terminal_print(line, NULL);
  if (launch->launched_blocks > launch->blocks)
    printf("  the trace has %" PRIu64 " of the %" PRIu64
           " launched blocks: all counts are of the blocks in the trace\n",
           launch->blocks, launch->launched_blocks);
  print_rule(launch);
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

static int print_caches(const struct gc_kernel_prediction *kernel)
{
  static const char *const titles[] = {"CACHE",  "SECTORS",  "HITS", "HITS ON MISS",
                                       "MISSES", "HIT RATE", "RANGE"};
  struct gc_table table;
  int failed = gc_table_start(&table, titles, 7, 0x7e);

  if (!failed)
    failed = add_cache(&table, "L1", &kernel->counts.l1_loads, &kernel->rates[GC_RATE_L1]) ||
             add_cache(&table, "L2", &kernel->counts.l2_loads, &kernel->rates[GC_RATE_L2]);
  gc_table_print(&table, "  ");
  return failed;
}

/* Prints the L2 hit rate that a profiler shows, if partitions make a difference. */
static void print_near(const struct gc_kernel_prediction *kernel)
{
  char line[2 * GC_CELL + 200], rate[GC_CELL], least_to_most[GC_CELL] = "";

  if (!kernel->counts.l2_loads_far)
    return;
  gc_cell_percent(kernel->l2_near_rate.value, rate);
  gc_cell_range(&kernel->l2_near_rate, least_to_most);
  snprintf(line, sizeof line,
           "  L2 without %" PRIu64 " hits in the far partition, as profilers count: %s (%s)",
           kernel->counts.l2_loads_far, rate, least_to_most);
  gc_terminal_print(line, NULL);
}

/* Bytes, and how well the threads of a warp use the sectors. */
static void print_traffic(const struct gc_kernel_prediction *kernel)
{
  const struct gc_counts *counts = &kernel->counts;
  char l2[32], memory[32];

  gc_format_bytes(kernel->l2_read_bytes, l2, sizeof l2);
  gc_format_bytes(counts->memory_read_bytes, memory, sizeof memory);
  printf("  read from L2: %s, from memory: %s", l2, memory);
  if (counts->l1_load_instructions)
    printf("; sectors for each load of a warp: %.1f",
           (double)counts->l1_loads.accesses / (double)counts->l1_load_instructions);
  puts("");
}

static void print_reasons(const struct gc_kernel_prediction *kernel)
{
  const uint64_t all = kernel->counts.l1_loads.misses;
  bool first = true;

  for (int i = 0; i < GC_MISS_COUNT && all; i++) {
    if (!kernel->misses[i])
      continue;
    printf("%s%s %.1f %%", first ? "  misses in L1: " : ", ", gc_miss_names[i],
           100.0 * (double)kernel->misses[i] / (double)all);
    first = false;
  }
  if (!first)
    puts("");
}

static void print_help(const struct gc_kernel_prediction *kernel)
{
  const struct gc_helps helps = gc_helps_kernel(kernel);

  if (helps.remedy >= 0)
    printf("  helps most: %s: L1 hit rate %.1f %%, %.1f points more\n", gc_helps_sentence(&helps),
           100 * (kernel->rates[GC_RATE_L1].value + helps.gain), 100 * helps.gain);
}

static void print_tlbs(const struct gc_kernel_prediction *kernel)
{
  static const char *const names[GC_TLB_LEVELS] = {HWLOC_GPUCACHE_L1_TLB, HWLOC_GPUCACHE_L2_TLB};
  bool first = true;

  for (int i = 0; i < GC_TLB_LEVELS; i++) {
    const struct gc_tlb_counts *tlb = &kernel->counts.tlbs[i];

    if (!tlb->lookups)
      continue;
    printf("%s%s %" PRIu64 " of %" PRIu64 " look-ups (%.1f %%)", first ? "  TLB misses: " : ", ",
           names[i], tlb->misses, tlb->lookups, 100.0 * (double)tlb->misses / (double)tlb->lookups);
    first = false;
  }
  if (!first)
    puts("");
}

static int add_load(struct gc_table *table, const struct gc_load_prediction *load)
{
  char(*row)[GC_CELL] = gc_table_row(table);

  if (!row)
    return -1;
  snprintf(row[0], GC_CELL, "0x%04" PRIx32, load->pc);
  snprintf(row[1], GC_CELL, "%" PRIu64, load->l1.accesses);
  snprintf(row[2], GC_CELL, "%" PRIu64, load->l1.misses);
  gc_cell_percent(load->hit_rate.value, row[3]);
  gc_cell_range(&load->hit_rate, row[4]);
  snprintf(row[5], GC_CELL, "%s", gc_main_reason(load->misses));
  return 0;
}

/* The loads with most misses, in the order of the kernel. */
static int print_loads(const struct gc_kernel_prediction *kernel)
{
  static const char *const titles[] = {"LOAD AT",     "SECTORS", "MISSES",
                                       "L1 HIT RATE", "RANGE",   "MOSTLY"};
  size_t shown;
  const struct gc_load_prediction **loads = gc_worst_loads(kernel, MOST_LOADS, &shown);
  struct gc_table table;
  int failed;

  if (!loads || !shown) {
    free(loads);
    return loads ? 0 : -1;
  }
  failed = gc_table_start(&table, titles, 6, 0x1e);
  for (size_t i = 0; i < shown && !failed; i++)
    failed = add_load(&table, loads[i]);
  free(loads);
  gc_table_print(&table, "  ");
  if (shown < kernel->load_count)
    printf("  %zu loads with as many misses or fewer are not shown (--json has them)\n",
           kernel->load_count - shown);
  return failed;
}

static void print_assumptions_of(const struct gc_assumptions *assumptions, bool of_record,
                                 const char *title)
{
  char line[300];

  for (size_t i = 0; i < assumptions->count; i++) {
    if (assumptions->array[i].of_record != of_record)
      continue;
    if (title)
      puts(title);
    title = NULL;
    snprintf(line, sizeof line, "  %s: %s", assumptions->array[i].what,
             assumptions->array[i].assumed);
    gc_terminal_print(line, NULL);
  }
}

static void print_assumptions(const struct gc_assumptions *assumptions)
{
  print_assumptions_of(
      assumptions, true,
      "The record lacks these values, or they cannot be used; the prediction assumes:");
  print_assumptions_of(assumptions, false, "The model also assumes:");
}

static void print_ignored(const struct gc_trace_ignored *ignored)
{
  if (ignored->textures)
    printf("Not modelled: warp instructions that read textures or access surfaces: %" PRIu64 "\n",
           ignored->textures);
  if (ignored->copies)
    printf("Not modelled: copies from the host, which can fill L2: %" PRIu64 "\n", ignored->copies);
}

static int print_gpu_of(const struct gc_predicted *predicted)
{
  const struct gc_prediction *prediction = predicted->prediction;

  print_gpu(predicted->source);
  if (prediction->count > 1 && gc_predict_print_summary(prediction))
    return gc_no_memory();
  for (size_t i = 0; i < prediction->count; i++) {
    const struct gc_kernel_prediction *kernel = &prediction->kernels[i];

    print_launch(kernel);
    if (print_caches(kernel))
      return gc_no_memory();
    print_near(kernel);
    print_traffic(kernel);
    print_reasons(kernel);
    print_help(kernel);
    print_tlbs(kernel);
    if (print_loads(kernel))
      return gc_no_memory();
  }
  print_ignored(&prediction->ignored);
  print_assumptions(&prediction->assumptions);
  return GC_EXIT_DONE;
}

int gc_predict_print(const struct gc_predicted *predicted, size_t count)
{
  int status = GC_EXIT_DONE;

  for (size_t i = 0; i < count && count > 1; i++)
    if (!predicted[i].failed)
      print_number(i + 1, predicted[i].source);
  if (count > 1 && gc_predict_print_side_by_side(predicted, count))
    return gc_no_memory();
  for (size_t i = 0; i < count && status == GC_EXIT_DONE; i++)
    if (!predicted[i].failed)
      status = print_gpu_of(&predicted[i]);
  return status;
}

int gc_predict_name_left_out(const struct gc_prediction *prediction)
{
  const struct gc_selection *selection = &prediction->selection;
  const size_t count = selection->unreadable_count;

  for (size_t i = 0; i < count && i < GC_REASONS_MOST; i++)
    gc_say(NULL, "kernel %" PRIu64 " is left out: %s", selection->unreadable[i].number,
           selection->unreadable[i].why.text);
  if (count > GC_REASONS_MOST)
    gc_say(NULL, "%zu more kernels are left out", count - GC_REASONS_MOST);
  return count ? GC_EXIT_FAILED : GC_EXIT_DONE;
}

/* A point of a sweep in the table of one kernel. */
static int add_point(struct gc_table *table, const struct gc_sweep_point *point, size_t kernel)
{
  const struct gc_kernel_prediction *predicted =
      point->prediction ? &point->prediction->kernels[kernel] : NULL;
  char(*row)[GC_CELL] = gc_table_row(table);

  if (!row)
    return -1;
  snprintf(row[0], GC_CELL, "%s", point->label);
  if (!predicted) {
    snprintf(row[1], GC_CELL, "-");
    return 0;
  }
  gc_format_bytes(predicted->gpu.l1_bytes, row[1], GC_CELL);
  for (int rate = 0; rate < GC_RATE_COUNT; rate++) {
    gc_cell_percent(predicted->rates[rate].value, row[2 + 2 * rate]);
    gc_cell_range(&predicted->rates[rate], row[3 + 2 * rate]);
  }
  return 0;
}

static int print_sweep_of(const struct gc_sweep *sweep, const struct gc_prediction *any,
                          size_t kernel)
{
  static const char *const titles[] = {"VALUE", "L1",          "L1 HIT RATE",
                                       "RANGE", "L2 HIT RATE", "RANGE"};
  struct gc_table table;
  int failed = gc_table_start(&table, titles, 6, 0x3f);

  print_name(&any->kernels[kernel].launch);
  for (size_t i = 0; i < sweep->count && !failed; i++)
    failed = add_point(&table, &sweep->points[i], kernel);
  gc_table_print(&table, "  ");
  return failed;
}

static int print_sweep(const struct gc_predicted *predicted)
{
  const struct gc_sweep *sweep = &predicted->sweep;
  const struct gc_prediction *any = gc_sweep_any(sweep);

  print_gpu(predicted->source);
  printf("varied: %s\n", sweep->title);
  for (size_t kernel = 0; kernel < any->count; kernel++)
    if (print_sweep_of(sweep, any, kernel))
      return gc_no_memory();
  for (size_t i = 0; i < sweep->count; i++)
    if (!sweep->points[i].prediction)
      printf("%s: %s\n", sweep->points[i].label, sweep->points[i].why.text);
  print_ignored(&any->ignored);
  print_assumptions(&any->assumptions);
  return GC_EXIT_DONE;
}

int gc_predict_print_sweeps(const struct gc_predicted *predicted, size_t count)
{
  int status = GC_EXIT_DONE;

  for (size_t i = 0; i < count && status == GC_EXIT_DONE; i++)
    if (!predicted[i].failed)
      status = print_sweep(&predicted[i]);
  return status;
}
