/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A record for people: a line about the GPU, a table of the capacities of its elements, a table of
 * their speeds, and below them the notes (show_notes.c).
 */
#include "tool/show_table.h"

#include "tool/format.h"
#include "tool/keep.h"
#include "tool/show_notes.h"
#include "tool/say.h"
#include "tool/terminal.h"
#include "util/error.h"

#include <hwloc/gpucache.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The subject of a row: an element, or the partitions of an L2 that are near to an SM or far
 * from it. */
struct subject {
  const struct gc_record *record;
  size_t i;
  const char *part; /* "Near", "Far", or "" */
};

static const struct gc_element *element_of(const struct subject *subject)
{
  return &subject->record->elements[subject->i];
}

/* The attribute of the element, or of a part of it. */
static const char *get(const struct subject *subject, const char *key)
{
  char name[GC_RECORD_MAX_NAME];

  snprintf(name, sizeof name, "%s%s", subject->part, key);
  return gc_infos_get(&element_of(subject)->infos, name);
}

static void put_bytes(const struct subject *subject, const char *key, const char *before,
                      char *cell)
{
  char text[32];
  uint64_t bytes;

  if (*subject->part || gc_infos_get_u64(&element_of(subject)->infos, key, &bytes))
    return;
  gc_format_bytes(bytes, text, sizeof text);
  snprintf(cell, GC_CELL, "%s%s", before, text);
}

static void put(const struct subject *subject, const char *key, const char *unit, char *cell)
{
  const char *value = get(subject, key);

  if (value)
    snprintf(cell, GC_CELL, "%s%s", value, unit);
}

/* --- columns that do not show the value of one key -------------------------------------------- */

static void name_cell(const struct subject *subject, char *cell)
{
  int depth = *subject->part ? 1 : 0;

  for (long parent = gc_record_parent(subject->record, subject->i);
       parent >= 0 && depth < GC_KIND_COUNT;
       parent = gc_record_parent(subject->record, (size_t)parent))
    depth++;
  snprintf(cell, GC_CELL, "%*s%s", 2 * depth, "",
           !*subject->part                  ? gc_kinds[element_of(subject)->kind].subtype
           : !strcmp(subject->part, "Near") ? "near partition"
                                            : "far partition");
}

/* The capacity; of a TLB, its reach. */
static void capacity_cell(const struct subject *subject, char *cell)
{
  put_bytes(subject, HWLOC_GPUCACHE_CAPACITY_AT_LEAST_BYTES, ">= ", cell);
  put_bytes(subject, HWLOC_GPUCACHE_CAPACITY_BYTES, "", cell);
  put_bytes(subject, HWLOC_GPUCACHE_REACH_BYTES, "", cell);
}

/* The sources of the element's values, each source once. Those of nominal values are left out: they
 * are always the vendor's. */
static void source_cell(const struct subject *subject, char *cell)
{
  static const char *const keys[] = {"CapacitySource", "LatencySource", "ReachSource"};

  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    const char *source = get(subject, keys[i]);

    if (source && !gc_is_absent(source) && !strstr(cell, source))
      snprintf(cell + strlen(cell), GC_CELL - strlen(cell), "%s%s", *cell ? "+" : "", source);
  }
  if (!*cell && element_of(subject)->infos.count)
    strcpy(cell, "absent");
}

/* The lowest confidence of the element's values in these tables. */
static void confidence_cell(const struct subject *subject, char *cell)
{
#define CONFIDENCE(property) HWLOC_GPUCACHE_##property HWLOC_GPUCACHE_CONFIDENCE_SUFFIX
  static const char *const keys[] = {
      CONFIDENCE(CAPACITY),     CONFIDENCE(CENSUS),       CONFIDENCE(LINE),
      CONFIDENCE(FETCH),        CONFIDENCE(PER_SM),       CONFIDENCE(INSTANCES),
      CONFIDENCE(LATENCY),      CONFIDENCE(NEAR_LATENCY), CONFIDENCE(FAR_LATENCY),
      CONFIDENCE(MISS_PENALTY), CONFIDENCE(READ),         CONFIDENCE(WRITE),
      CONFIDENCE(SHARED_WITH)};
#undef CONFIDENCE
  const char *weakest = NULL;

  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    const char *value = get(subject, keys[i]);

    if (value && (!weakest || atof(value) < atof(weakest)))
      weakest = value;
  }
  if (weakest)
    snprintf(cell, GC_CELL, "%s", weakest);
}

static void miss_cell(const struct subject *subject, char *cell)
{
  const char *cycles = get(subject, HWLOC_GPUCACHE_MISS_PENALTY_CYCLES);

  if (cycles)
    snprintf(cell, GC_CELL, "+%s", cycles);
}

/* GB/s of the whole GPU, or bytes per cycle of an SM. */
static void read_cell(const struct subject *subject, char *cell)
{
  put(subject, HWLOC_GPUCACHE_READ_BYTES_PER_CYCLE, " B/cycle", cell);
  put(subject, HWLOC_GPUCACHE_READ_GBPS, " GB/s", cell);
}

static void write_cell(const struct subject *subject, char *cell)
{
  put(subject, HWLOC_GPUCACHE_WRITE_BYTES_PER_CYCLE, " B/cycle", cell);
  put(subject, HWLOC_GPUCACHE_WRITE_GBPS, " GB/s", cell);
}

/* The elements in the same storage, with their short names; "none" where that was measured. */
static void shared_cell(const struct subject *subject, char *cell)
{
  const char *list = get(subject, HWLOC_GPUCACHE_SHARED_WITH);
  const char *source = get(subject, HWLOC_GPUCACHE_SHARED_WITH HWLOC_GPUCACHE_SOURCE_SUFFIX);
  char word[GC_RECORD_MAX_NAME];

  if (!list && source && !gc_is_absent(source))
    strcpy(cell, "none");
  for (size_t length; list && *list; list += length + (list[length] == ',')) {
    enum gc_kind kind;

    length = strcspn(list, ",");
    snprintf(word, sizeof word, "%.*s", (int)length, list);
    kind = gc_kind_by_subtype(word);
    snprintf(cell + strlen(cell), GC_CELL - strlen(cell), "%s%s", *cell ? ", " : "",
             kind == GC_INSTRUCTION_CACHE ? "instructions"
             : kind < GC_KIND_COUNT       ? gc_kinds[kind].label
                                          : word);
  }
}

/* --- the tables ------------------------------------------------------------------------------- */

struct column {
  const char *head;          /* %s: SM or CU */
  bool right;                /* flush right */
  const char *bytes, *value; /* the key of bytes, or of a value printed unchanged, or NULL */
  void (*fill)(const struct subject *subject, char *cell);
};

static const struct column what_it_holds[] = {
    {"ELEMENT", .fill = name_cell},
    {"CAPACITY", true, .fill = capacity_cell},
    {"NOMINAL", true, .bytes = HWLOC_GPUCACHE_NOMINAL_BYTES},
    {"LINE", true, .bytes = HWLOC_GPUCACHE_LINE_BYTES},
    {"FETCH", true, .bytes = HWLOC_GPUCACHE_FETCH_BYTES},
    {"PER %s", true, .value = HWLOC_GPUCACHE_PER_SM},
    {"IN ALL", true, .value = HWLOC_GPUCACHE_INSTANCES},
    {"SOURCE", .fill = source_cell},
    {"CONFIDENCE", true, .fill = confidence_cell},
};

static const struct column how_fast_it_is[] = {
    {"ELEMENT", .fill = name_cell},
    {"CYCLES", true, .value = HWLOC_GPUCACHE_LATENCY_CYCLES},
    {"NS", true, .value = HWLOC_GPUCACHE_LATENCY_NS},
    {"MISS", true, .fill = miss_cell},
    {"READ", true, .fill = read_cell},
    {"WRITE", true, .fill = write_cell},
    {"SHARED WITH", .fill = shared_cell},
};

static void fill(const struct column *column, const struct subject *subject, char *cell)
{
  if (column->bytes)
    put_bytes(subject, column->bytes, "", cell);
  else if (column->value)
    put(subject, column->value, "", cell);
  else
    column->fill(subject, cell);
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool has_something(const struct column *columns, size_t count, const struct subject *subject)
{
  char cell[GC_CELL] = "";

  for (size_t c = 1; c < count && !*cell; c++)
    fill(&columns[c], subject, cell);
  return *cell;
}

/* Whether the row of an element inside this one, which is indented below it, has values. */
static bool holds_others(const struct column *columns, size_t count, const struct subject *subject,
                         unsigned only)
{
  for (size_t k = subject->i + 1; !*subject->part && k < subject->record->count; k++) {
    long up = gc_record_parent(subject->record, k);

    while (up >= 0 && (size_t)up != subject->i)
      up = gc_record_parent(subject->record, (size_t)up);
    if (up >= 0 && gc_show_has(only, subject->record->elements[k].kind) &&
        has_something(columns, count, &(struct subject){subject->record, k, ""}))
      return true;
  }
  return false;
}

/* Adds a row if it has values beside the name, or rows indented below it. */
static int add_row(struct gc_table *table, const struct column *columns,
                   const struct subject *subject, unsigned only)
{
  char(*row)[GC_CELL] = gc_table_row(table);
  bool filled = false;

  if (!row)
    return -1;
  for (size_t c = 0; c < table->columns; c++) {
    fill(&columns[c], subject, row[c]);
    filled |= c && *row[c];
  }
  if (!filled && !holds_others(columns, table->columns, subject, only))
    table->rows--;
  return 0;
}

static int make_table(struct gc_table *table, const struct column *columns, size_t count,
                      const struct gc_record *record, unsigned only)
{
  const bool parts = columns == how_fast_it_is;
  char(*row)[GC_CELL] = gc_table_row(table);

  table->columns = count;
  for (size_t c = 0; row && c < count; c++) {
    snprintf(row[c], GC_CELL, columns[c].head, gc_record_unit(record));
    table->right |= (unsigned)columns[c].right << c;
  }
  for (size_t i = 0; row && i < record->count; i++) {
    if (!gc_show_has(only, record->elements[i].kind))
      continue;
    if (add_row(table, columns, &(struct subject){record, i, ""}, only) ||
        (parts && (add_row(table, columns, &(struct subject){record, i, "Near"}, only) ||
                   add_row(table, columns, &(struct subject){record, i, "Far"}, only))))
      return -1;
  }
  return row ? 0 : -1;
}

int gc_show_make(const struct gc_record *record, unsigned only, struct gc_table *holds,
                 struct gc_table *fast)
{
  memset(holds, 0, sizeof *holds);
  memset(fast, 0, sizeof *fast);
  if (!make_table(holds, what_it_holds, COUNT(what_it_holds), record, only) &&
      !make_table(fast, how_fast_it_is, COUNT(how_fast_it_is), record, only))
    return 0;
  free(holds->cells);
  free(fast->cells);
  return -ENOMEM;
}

/* --- printing --------------------------------------------------------------------------------- */

/* Confidences below this one are dim. */
#define LOW_CONFIDENCE 0.9

static bool is_dim(size_t column, const char *cell)
{
  return !strcmp(cell, "-") || !strcmp(cell, "absent") ||
         (column + 1 == COUNT(what_it_holds) && atof(cell) < LOW_CONFIDENCE);
}

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
  strcpy(text, "  ");
  gc_keep_describe(record, text + 2, sizeof text - 2);
  if (text[2])
    gc_terminal_print(text, NULL);
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

int gc_show_table(const struct gc_record *record, const char *gpu, const struct gc_tool *tool)
{
  const bool colour = gc_terminal_colour(tool->color);
  struct gc_table holds, fast;
  int failed = gc_show_make(record, tool->elements, &holds, &fast);

  if (!failed) {
    holds.colour = fast.colour = colour;
    holds.width = fast.width = GC_TEXT_WIDTH;
    holds.is_dim = fast.is_dim = is_dim;
    print_heading(record, gpu, colour);
    gc_table_print(&holds, "  ");
    if (fast.rows > 1) {
      putchar('\n');
      gc_table_print(&fast, "  ");
    }
    free(fast.cells);
    failed = print_notes(gc_show_notes, record, tool->elements, NULL) ||
             print_notes(gc_show_absent, record, tool->elements, colour ? GC_DIM : NULL);
  }
  if (failed)
    gc_say(gpu, "out of memory");
  return failed ? GC_EXIT_FAILED : GC_EXIT_DONE;
}
