/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A record for people: a line about the GPU, the two tables, and below them a few lines
 * (show_brief.c) or all notes (show_notes.c, show_absent.c).
 */
#include "tool/describe/gpu.h"

#include "tool/describe/absent.h"
#include "tool/describe/brief.h"
#include "tool/describe/notes.h"
#include "tool/describe/table.h"
#include "tool/gpus/earlier_record.h"
#include "tool/print/messages.h"
#include "tool/print/terminal.h"
#include "util/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void print_heading(const struct gc_record *record, const char *gpu, bool colour)
{
  const struct gc_infos *infos = &record->infos;
  char text[640] = "  ", clock[32] = "", driver[96] = "";
  const char *sms = gc_infos_get(infos, "SMs"), *when = gc_infos_get(infos, "Measured");
  uint64_t khz;

  if (!gc_infos_get_u64(infos, "SMClockKHz", &khz))
    snprintf(clock, sizeof clock, " at %" PRIu64 " MHz", khz / 1000);
  if (record->identity.driver[0])
    snprintf(driver, sizeof driver, ", driver %s", record->identity.driver);
  snprintf(text, sizeof text, "%s: %s%s%s%s%s%s%s%.60s%s", gpu,
           record->identity.model[0] ? record->identity.model : record->identity.id,
           sms ? ", " : "", sms ? sms : "", sms ? " " : "", sms ? gc_record_unit(record) : "",
           sms ? "s" : "", clock, driver, when ? ", measured " : "");
  if (when)
    snprintf(text + strlen(text), sizeof text - strlen(text), "%.60s", when);
  gc_make_printable(text);
  gc_terminal_print(text, colour ? GC_BOLD : NULL);
}

/* Confidences below this one are dim. */
#define LOW_CONFIDENCE 0.9

static bool is_dim(size_t column, const char *cell)
{
  return !strcmp(cell, "-") || !strcmp(cell, "absent") ||
         (column == GC_SHOW_CONFIDENCE && atof(cell) < LOW_CONFIDENCE);
}

static void print_tables(struct gc_table *holds, struct gc_table *fast, bool colour)
{
  char left_out[200] = "";

  holds->colour = fast->colour = colour;
  holds->is_dim = fast->is_dim = is_dim;
  gc_table_narrow(holds, "  ", left_out, sizeof left_out);
  gc_table_narrow(fast, "  ", left_out, sizeof left_out);
  if (holds->rows > 1) {
    gc_table_print(holds, "  ");
    if (fast->rows > 1)
      putchar('\n');
  }
  if (fast->rows > 1)
    gc_table_print(fast, "  ");
  free(holds->cells);
  free(fast->cells);
  gc_table_print_left_out(left_out);
}

/* All notes but the absent values. */
static void write_notes(const struct gc_record *record, unsigned only, FILE *out)
{
  char provisional[640];

  gc_keep_describe(record, provisional, sizeof provisional);
  if (*provisional)
    fprintf(out, "  %s\n", provisional);
  gc_show_notes(record, only, out);
}

static int print_notes(void write(const struct gc_record *, unsigned, FILE *),
                       const struct gc_record *record, unsigned only, const char *style)
{
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  int failed = !out;

  if (out) {
    write(record, only, out);
    failed = fclose(out);
  }
  if (!failed)
    gc_terminal_print(text, style);
  free(text);
  return failed;
}

int gc_show_gpu(const struct gc_record *record, const char *gpu, const struct gc_tool *tool)
{
  const bool colour = gc_terminal_colour(tool->color);
  struct gc_table holds, fast;
  int failed = gc_show_make(record, tool->elements, &holds, &fast);

  if (!failed) {
    print_heading(record, gpu, colour);
    print_tables(&holds, &fast, colour);
    if (tool->all)
      failed = print_notes(write_notes, record, tool->elements, NULL) ||
               print_notes(gc_show_absent, record, tool->elements, colour ? GC_DIM : NULL);
    else
      failed = print_notes(gc_show_brief, record, tool->elements, NULL);
  }
  if (failed)
    gc_say(gpu, "out of memory");
  return failed ? GC_EXIT_FAILED : GC_EXIT_DONE;
}
