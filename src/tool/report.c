/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A record as a table for people: a line about the GPU, one row per element, and below them what
 * the values depend on and why some are missing.
 */
#include "tool/tool.h"

#include <hwloc/gpucache.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENT, CAPACITY, NOMINAL, CYCLES, NS, READ, WRITE, PER_SM, IN_ALL, SOURCE, CONFIDENCE };

static const char *const heads[GC_TABLE_COLUMNS] = {
  "ELEMENT", "CAPACITY", "NOMINAL", "CYCLES", "NS", "READ", "WRITE",
  "PER SM", "IN ALL", "SOURCE", "CONFIDENCE",
};

/* 222208 -> "217 KiB"; what is no multiple keeps two digits after the point. */
static void bytes_cell(const struct gc_infos *infos, const char *key, const char *before,
                       char *cell)
{
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  uint64_t bytes, unit = 1;
  size_t i = 0;

  if (gc_infos_get_u64(infos, key, &bytes))
    return;
  while (i + 1 < sizeof units / sizeof *units && bytes / unit >= 1024) {
    unit *= 1024;
    i++;
  }
  if (bytes % unit)
    snprintf(cell, GC_CELL, "%s%.2f %s", before, (double)bytes / (double)unit, units[i]);
  else
    snprintf(cell, GC_CELL, "%s%" PRIu64 " %s", before, bytes / unit, units[i]);
}

static void text_cell(const struct gc_infos *infos, const char *key, char *cell)
{
  const char *value = gc_infos_get(infos, key);

  if (value)
    snprintf(cell, GC_CELL, "%s", value);
}

/* Of the whole GPU, or of an SM. */
static void rate_cell(const struct gc_infos *infos, const char *gbps, const char *per_cycle,
                      char *cell)
{
  const char *chip = gc_infos_get(infos, gbps), *own = gc_infos_get(infos, per_cycle);

  if (chip || own)
    snprintf(cell, GC_CELL, "%s %s", chip ? chip : own, chip ? "GB/s" : "B/cycle");
}

static bool is_absent(const char *source)
{
  return !strncmp(source, HWLOC_GPUCACHE_SOURCE_ABSENT, strlen(HWLOC_GPUCACHE_SOURCE_ABSENT));
}

/* The weakest of the row: a row is as sure as its least sure value. */
static void confidence_cell(const struct gc_infos *infos, char *cell)
{
  const char *weakest = NULL;

  for (size_t i = 0; i < infos->count; i++) {
    const char *name = infos->array[i].name, *value = infos->array[i].value;
    size_t length = strlen(name), tail = strlen(HWLOC_GPUCACHE_CONFIDENCE_SUFFIX);

    if (length > tail && !strcmp(name + length - tail, HWLOC_GPUCACHE_CONFIDENCE_SUFFIX) &&
        (!weakest || atof(value) < atof(weakest)))
      weakest = value;
  }
  if (weakest)
    snprintf(cell, GC_CELL, "%s", weakest);
}

/* Where the values of the row come from, each source once. That a nominal one comes from the vendor
 * goes without saying. */
static void source_cell(const struct gc_infos *infos, char *cell)
{
  static const char *const keys[] = {"CapacitySource", "LatencySource"};

  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    const char *source = gc_infos_get(infos, keys[i]);

    if (source && !is_absent(source) && !strstr(cell, source))
      snprintf(cell + strlen(cell), GC_CELL - strlen(cell), "%s%s", *cell ? "+" : "", source);
  }
  if (!*cell)
    strcpy(cell, "absent");
}

static int depth(const struct gc_record *record, size_t i)
{
  int levels = 0;

  for (long parent = gc_record_parent(record, i); parent >= 0 && levels < GC_KIND_COUNT;
       parent = gc_record_parent(record, (size_t)parent))
    levels++;
  return levels;
}

static void heading(const struct gc_record *record, const char *gpu)
{
  const struct gc_infos *infos = &record->infos;
  const char *sms = gc_infos_get(infos, "SMs"), *when = gc_infos_get(infos, "Measured");
  uint64_t khz;

  printf("%s: %s", gpu, record->identity.model[0] ? record->identity.model : record->identity.id);
  if (sms)
    printf(", %s SMs", sms);
  if (!gc_infos_get_u64(infos, "SMClockKHz", &khz))
    printf(" at %" PRIu64 " MHz", khz / 1000);
  if (record->identity.driver[0])
    printf(", driver %s", record->identity.driver);
  if (when)
    printf(", measured %s", when);
  putchar('\n');
}

/* What a value depends on, and why values are missing: a line each. */
static void notes(const struct gc_record *record)
{
  for (size_t i = 0; i < record->count; i++) {
    const struct gc_infos *infos = &record->elements[i].infos;
    const char *subtype = gc_kinds[record->elements[i].kind].subtype;
    const char *carveout = gc_infos_get(infos, HWLOC_GPUCACHE_CARVEOUT_PERCENT);
    const char *blocks = gc_infos_get(infos, HWLOC_GPUCACHE_CARVEOUT_BLOCKS);

    if (carveout)
      printf("  Capacity of %s: with a carve-out of %s %% for shared memory%s%s%s\n", subtype,
             carveout, blocks ? " and room for " : "", blocks ? blocks : "",
             blocks ? " blocks in an SM" : "");
    for (size_t j = 0; j < infos->count; j++) {
      const char *name = infos->array[j].name, *value = infos->array[j].value;
      size_t length = strlen(name), tail = strlen(HWLOC_GPUCACHE_SOURCE_SUFFIX);

      if (length > tail && !strcmp(name + length - tail, HWLOC_GPUCACHE_SOURCE_SUFFIX) &&
          is_absent(value)) {
        value += strlen(HWLOC_GPUCACHE_SOURCE_ABSENT);
        value += strspn(value, " ");
        printf("  no %.*s of %s: %s\n", (int)(length - tail), name, subtype, value);
      }
    }
  }
}

int gc_report(const struct gc_record *record, const char *gpu)
{
  struct gc_table table = {.columns = GC_TABLE_COLUMNS};
  char (*row)[GC_CELL] = gc_table_row(&table);

  table.right = 1u << CAPACITY | 1u << NOMINAL | 1u << CYCLES | 1u << NS | 1u << READ |
                1u << WRITE | 1u << PER_SM | 1u << IN_ALL;
  for (size_t i = 0; row && i < GC_TABLE_COLUMNS; i++)
    strcpy(row[i], heads[i]);
  for (size_t i = 0; row && i < record->count; i++) {
    const struct gc_element *element = &record->elements[i];
    const struct gc_infos *infos = &element->infos;

    if (!infos->count) /* only there to hold the others */
      continue;
    row = gc_table_row(&table);
    if (!row)
      break;
    snprintf(row[ELEMENT], GC_CELL, "%*s%s", 2 * depth(record, i), "",
             gc_kinds[element->kind].subtype);
    bytes_cell(infos, HWLOC_GPUCACHE_CAPACITY_AT_LEAST_BYTES, ">= ", row[CAPACITY]);
    bytes_cell(infos, HWLOC_GPUCACHE_CAPACITY_BYTES, "", row[CAPACITY]);
    bytes_cell(infos, HWLOC_GPUCACHE_NOMINAL_BYTES, "", row[NOMINAL]);
    text_cell(infos, HWLOC_GPUCACHE_LATENCY_CYCLES, row[CYCLES]);
    text_cell(infos, HWLOC_GPUCACHE_LATENCY_NS, row[NS]);
    rate_cell(infos, HWLOC_GPUCACHE_READ_GBPS, HWLOC_GPUCACHE_READ_BYTES_PER_CYCLE, row[READ]);
    rate_cell(infos, HWLOC_GPUCACHE_WRITE_GBPS, HWLOC_GPUCACHE_WRITE_BYTES_PER_CYCLE, row[WRITE]);
    text_cell(infos, HWLOC_GPUCACHE_PER_SM, row[PER_SM]);
    text_cell(infos, HWLOC_GPUCACHE_INSTANCES, row[IN_ALL]);
    source_cell(infos, row[SOURCE]);
    confidence_cell(infos, row[CONFIDENCE]);
  }
  if (row) {
    heading(record, gpu);
    gc_table_print(&table, "  ");
    notes(record);
    return 0;
  }
  free(table.cells);
  gc_say(gpu, "out of memory");
  return GC_EXIT_FAILED;
}
