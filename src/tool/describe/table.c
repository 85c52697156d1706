/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The tables of a record: what its elements hold, and how fast they are.
 */
#include "tool/describe/table.h"

#include "tool/describe/notes.h"
#include "tool/print/format.h"

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

/* The properties in these tables, except what the vendor states. */
static const char *const properties[] = {
    HWLOC_GPUCACHE_CAPACITY,     HWLOC_GPUCACHE_CENSUS,       HWLOC_GPUCACHE_LINE,
    HWLOC_GPUCACHE_FETCH,        HWLOC_GPUCACHE_PER_SM,       HWLOC_GPUCACHE_INSTANCES,
    HWLOC_GPUCACHE_REACH,        HWLOC_GPUCACHE_LATENCY,      HWLOC_GPUCACHE_NEAR_LATENCY,
    HWLOC_GPUCACHE_FAR_LATENCY,  HWLOC_GPUCACHE_MISS_PENALTY, HWLOC_GPUCACHE_READ,
    HWLOC_GPUCACHE_WRITE,        HWLOC_GPUCACHE_SHARED_WITH};

bool gc_show_tables_have(const char *property, size_t length)
{
  for (size_t i = 0; i < sizeof properties / sizeof *properties; i++)
    if (strlen(properties[i]) == length && !strncmp(properties[i], property, length))
      return true;
  return false;
}

/* The lowest confidence of the element's values in these tables. */
static void confidence_cell(const struct subject *subject, char *cell)
{
  char key[GC_RECORD_MAX_NAME];
  const char *weakest = NULL;

  for (size_t i = 0; i < sizeof properties / sizeof *properties; i++) {
    const char *value;

    snprintf(key, sizeof key, "%s" HWLOC_GPUCACHE_CONFIDENCE_SUFFIX, properties[i]);
    value = get(subject, key);
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
    {"CONFIDENCE", true, .fill = confidence_cell},
    {"SOURCE", .fill = source_cell}, /* the first one that a narrow terminal lacks */
};

static const struct column how_fast_it_is[] = {
    {"ELEMENT", .fill = name_cell},
    {"CYCLES", true, .value = HWLOC_GPUCACHE_LATENCY_CYCLES},
    {"NS", true, .value = HWLOC_GPUCACHE_LATENCY_NS},
    {"MISS", true, .fill = miss_cell},
    {"READ", true, .fill = read_cell},
    {"WRITE", true, .fill = write_cell},
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
_Static_assert(COUNT(what_it_holds) == GC_SHOW_CONFIDENCE + 2, "the last column but one");

/* A source that only says "absent" is no value. */
static bool is_filled(const char *cell)
{
  return *cell && strcmp(cell, "absent");
}

/* Adds a row if it has values beside the name. */
static int add_row(struct gc_table *table, const struct column *columns,
                   const struct subject *subject)
{
  char(*row)[GC_CELL] = gc_table_row(table);
  bool filled = false;

  if (!row)
    return -1;
  for (size_t c = 0; c < table->columns; c++) {
    fill(&columns[c], subject, row[c]);
    filled |= c && is_filled(row[c]);
  }
  if (!filled)
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
    if (add_row(table, columns, &(struct subject){record, i, ""}) ||
        (parts && (add_row(table, columns, &(struct subject){record, i, "Near"}) ||
                   add_row(table, columns, &(struct subject){record, i, "Far"}))))
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
