/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A record for people: a line about the GPU, the two tables, and below them a few lines (brief.c)
 * or all notes (notes.c, absent.c).
 */
#include "tool/describe/gpu.h"

#include "tool/describe/absent.h"
#include "tool/describe/brief.h"
#include "tool/describe/notes.h"
#include "tool/describe/sharing.h"
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

#define LEFT_OUT 200

/* Lists the columns that do not fit the terminal. */
static void print_tables(struct gc_table *holds, struct gc_table *fast, bool colour,
                         char left_out[LEFT_OUT])
{
  /* a narrow terminal has no column to spare */
  const char *indent = gc_terminal_text_width() < GC_TEXT_WIDTH ? "" : "  ";

  *left_out = '\0';
  holds->colour = fast->colour = colour;
  holds->is_dim = fast->is_dim = is_dim;
  gc_table_narrow(holds, indent, left_out, LEFT_OUT);
  gc_table_narrow(fast, indent, left_out, LEFT_OUT);
  if (holds->rows > 1) {
    gc_table_print(holds, indent);
    if (fast->rows > 1)
      putchar('\n');
  }
  if (fast->rows > 1)
    gc_table_print(fast, indent);
  free(holds->cells);
  free(fast->cells);
}

/* All notes but the absent values. */
static void write_notes(const struct gc_record *record, unsigned only, FILE *out)
{
  char provisional[640];

  gc_keep_describe(record, provisional, sizeof provisional);
  if (*provisional)
    fprintf(out, "  %s\n", provisional);
  gc_show_storage(record, only, out);
  gc_show_own_storage(record, only, out);
  gc_show_instances(record, only, out);
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

static int print_all(const struct gc_record *record, unsigned only, bool colour)
{
  char more[GC_TEXT_WIDTH];

  if (print_notes(write_notes, record, only, NULL) ||
      print_notes(gc_show_absent, record, only, colour ? GC_DIM : NULL))
    return -1;
  snprintf(more, sizeof more,
           "  more: show --json (all groups of %ss, each confidence, identity of the GPU)",
           gc_record_unit(record));
  gc_terminal_print(more, NULL);
  return 0;
}

int gc_show_gpu(const struct gc_record *record, const char *gpu, const struct gc_tool *tool)
{
  const bool colour = gc_terminal_colour(tool->color);
  char left_out[LEFT_OUT];
  struct gc_table holds, fast;
  int failed = gc_show_make(record, tool->elements, &holds, &fast);

  if (!failed) {
    print_heading(record, gpu, colour);
    print_tables(&holds, &fast, colour, left_out);
    if (tool->all)
      gc_table_print_left_out(left_out);
    failed = tool->all ? print_all(record, tool->elements, colour)
                       : gc_show_brief(record, tool->elements, left_out);
  }
  if (failed)
    gc_say(gpu, "out of memory");
  return failed ? GC_EXIT_FAILED : GC_EXIT_DONE;
}
