/* SPDX-License-Identifier: BSD-3-Clause */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include "tool/predict/print.h"

#include "predict/demangle.h"
#include "tool/predict/cells.h"
#include "tool/predict/sentences.h"
#include "tool/predict/summary.h"
#include "tool/print/format.h"
#include "tool/print/messages.h"
#include "tool/print/table.h"
#include "tool/print/terminal.h"
#include "tool/tool.h"

#include <hwloc/gpucache.h>

#include <inttypes.h>
#include <stdio.h>

static void print_gpu(const struct gc_source *source)
{
  printf("GPU: %s, %s\n", source->record->identity.model, source->name);
}

static void print_number(size_t number, const struct gc_source *source)
{
  printf("GPU %zu: %s, %s\n", number, source->record->identity.model, source->name);
}

static void print_name(const struct gc_trace_launch *launch)
{
  char line[GC_NAME + 32], name[GC_NAME];

  gc_demangle(launch->name, name, sizeof name);
  snprintf(line, sizeof line, "kernel %" PRIu64 ": %s", launch->number,
           *name ? name : "(no name)");
  gc_terminal_print(line, NULL);
}

static void print_sentences(const struct gc_kernel_prediction *kernel, int from, int to)
{
  char line[GC_SENTENCE + 2] = "  ";

  for (int i = from; i < to; i++) {
    gc_predict_sentence(kernel, (enum gc_predict_sentences)i, line + 2);
    if (line[2])
      gc_terminal_print(line, NULL);
  }
}

/* Of one kernel. */
static void print_table(struct gc_table *table)
{
  char left_out[GC_LEFT_OUT] = "";

  gc_table_narrow(table, "  ", left_out, sizeof left_out);
  gc_table_print(table, "  ");
  gc_table_print_left_out(left_out);
}

static int print_loads(const struct gc_kernel_prediction *kernel)
{
  struct gc_table table;
  size_t shown = 0;
  int failed;

  if (!kernel->load_count)
    return 0;
  failed = gc_loads_table(kernel, &table, &shown);
  print_table(&table);
  if (shown < kernel->load_count)
    printf("  %zu loads with as many misses or fewer are not shown (--json has them)\n",
           kernel->load_count - shown);
  return failed;
}

static int print_distances(const struct gc_kernel_prediction *kernel)
{
  struct gc_table table;
  int failed;

  if (!kernel->has_distances || !gc_reuse_bins_loads(&kernel->distances))
    return 0;
  failed = gc_distances_table(&kernel->distances, kernel->gpu.l1_line_bytes, &table);
  print_table(&table);
  return failed;
}

static int print_kernel(const struct gc_kernel_prediction *kernel)
{
  struct gc_table table;
  int failed;

  print_name(&kernel->launch);
  print_sentences(kernel, 0, GC_SENTENCES_BEFORE);
  if (kernel->cannot_run)
    return 0;
  failed = gc_caches_table(kernel, &table);
  print_table(&table);
  if (failed)
    return failed;
  print_sentences(kernel, GC_SENTENCES_BEFORE, GC_SENTENCES);
  return print_loads(kernel) || print_distances(kernel) ? -1 : 0;
}

static void print_assumptions_of(const struct gc_assumptions *assumptions, bool of_record,
                                 const char *title)
{
  char line[300];

  for (size_t i = 0; i < assumptions->count; i++) {
    if (assumptions->array[i].of_record != of_record)
      continue;
    if (title)
      gc_terminal_print(title, NULL);
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
  char text[GC_SENTENCE];

  for (int i = 0; i < GC_IGNORED_SENTENCES; i++) {
    gc_ignored_sentence(ignored, i, text);
    if (*text)
      gc_terminal_print(text, NULL);
  }
}

static void print_recorded(const struct gc_prediction *prediction)
{
  char text[GC_SENTENCE];

  gc_recorded_sentence(prediction, text);
  if (*text)
    gc_terminal_print(text, NULL);
}

static int print_gpu_of(const struct gc_predicted *predicted)
{
  const struct gc_prediction *prediction = predicted->prediction;

  print_gpu(predicted->source);
  if (prediction->count > 1) {
    char left_out[GC_LEFT_OUT] = "";
    struct gc_table table;
    const int failed = gc_summary_table(prediction, &table, left_out);

    gc_table_print(&table, "");
    gc_table_print_left_out(left_out);
    if (failed)
      return gc_no_memory();
  }
  print_recorded(prediction);
  for (size_t i = 0; i < prediction->count; i++)
    if (print_kernel(&prediction->kernels[i]))
      return gc_no_memory();
  print_ignored(&prediction->ignored);
  print_assumptions(&prediction->assumptions);
  return GC_EXIT_DONE;
}

static int print_side_by_side(const struct gc_predicted *predicted, size_t count)
{
  char left_out[GC_LEFT_OUT] = "";
  struct gc_table table;
  size_t next = 0;
  int more;

  for (size_t i = 0; i < count; i++)
    if (!predicted[i].failed)
      print_number(i + 1, predicted[i].source);
  while ((more = gc_side_by_side_table(predicted, count, &next, &table, left_out)) > 0) {
    gc_table_print(&table, "");
    gc_table_print_left_out(left_out);
    *left_out = '\0';
  }
  return more;
}

int gc_predict_print(const struct gc_predicted *predicted, size_t count)
{
  int status = GC_EXIT_DONE;

  if (count > 1 && print_side_by_side(predicted, count))
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
    if (selection->unreadable[i].number)
      gc_say(NULL, "kernel %" PRIu64 " is left out: %s", selection->unreadable[i].number,
             selection->unreadable[i].why.text);
    else
      gc_say(NULL, "%s", selection->unreadable[i].why.text);
  if (count > GC_REASONS_MOST)
    gc_say(NULL, "%zu more kernels are left out", count - GC_REASONS_MOST);
  return count ? GC_EXIT_FAILED : GC_EXIT_DONE;
}

int gc_predict_name_cannot_run(const struct gc_prediction *prediction, const char *gpu)
{
  size_t count = 0;

  for (size_t i = 0; i < prediction->count; i++) {
    const struct gc_kernel_prediction *kernel = &prediction->kernels[i];
    char name[100];

    if (!kernel->cannot_run || count++ >= GC_REASONS_MOST)
      continue;
    gc_demangle(kernel->launch.name, name, sizeof name);
    gc_say(gpu, "kernel %" PRIu64 " (%s) cannot run: %s", kernel->launch.number, name,
           kernel->cannot_run);
  }
  if (count > GC_REASONS_MOST)
    gc_say(gpu, "%zu more kernels cannot run", count - GC_REASONS_MOST);
  return count ? GC_EXIT_FAILED : GC_EXIT_DONE;
}

/* A point of a sweep in the table of one kernel. */
static int add_point(struct gc_table *table, const struct gc_sweep *sweep, size_t i, size_t kernel)
{
  const struct gc_sweep_point *point = &sweep->points[i];
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
  if (predicted->gpu.loads_in_l1)
    gc_format_bytes(predicted->gpu.l1_bytes, row[1], GC_CELL);
  else
    snprintf(row[1], GC_CELL, "-");
  for (int rate = 0; rate < GC_RATE_COUNT; rate++) {
    gc_cell_percent(predicted->rates[rate].value, row[2 + 2 * rate]);
    gc_cell_range(&predicted->rates[rate], row[3 + 2 * rate]);
  }
  if (sweep->size && predicted->gpu.loads_in_l1)
    sweep->size(&predicted->gpu, row[6]);
  else if (sweep->size)
    snprintf(row[6], GC_CELL, "-");
  return 0;
}

/* Why L1 is larger or smaller than the factor says. */
static void print_rounded(const struct gc_sweep_point *point, size_t kernel)
{
  const struct gc_gpu_summary *gpu =
      point->prediction ? &point->prediction->kernels[kernel].gpu : NULL;
  char line[200], wanted[32], got[32];

  if (!gpu || !gc_gpu_summary_is_rounded(gpu))
    return;
  gc_format_bytes(gpu->l1_wanted_bytes, wanted, sizeof wanted);
  gc_format_bytes(gpu->l1_bytes, got, sizeof got);
  snprintf(line, sizeof line, "  %s: %s became %s: each of %u sets has a whole number of lines",
           point->label, wanted, got, gpu->l1_sets);
  gc_terminal_print(line, NULL);
}

static int print_sweep_of(const struct gc_sweep *sweep, const struct gc_prediction *any,
                          size_t kernel)
{
  const char *const titles[] = {"VALUE",       "L1",    "L1 HIT RATE", "RANGE",
                                "L2 HIT RATE", "RANGE", sweep->column};
  struct gc_table table;
  int failed;

  print_name(&any->kernels[kernel].launch);
  print_sentences(&any->kernels[kernel], GC_SAY_CANNOT, GC_SENTENCES_BEFORE);
  if (any->kernels[kernel].cannot_run)
    return 0;
  failed = gc_table_start(&table, titles, sweep->size ? 7 : 6, 0x3f);
  for (size_t i = 0; i < sweep->count && !failed; i++)
    failed = add_point(&table, sweep, i, kernel);
  gc_table_drop_empty(&table, "RANGE");
  print_table(&table);
  for (size_t i = 0; i < sweep->count; i++)
    print_rounded(&sweep->points[i], kernel);
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
