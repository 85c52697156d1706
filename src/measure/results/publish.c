/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes results as the attributes of a record.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/results/publish.h"

#include "device/device.h"
#include "record/per_sm.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT(member) offsetof(struct gc_measured, member)

enum format { WHOLE, TENTHS, RATE };

/* The numbers of each property, and, of GC_PROPERTY_COUNT, those without one. A real number of 0
 * means that there is no value. */
static const struct row {
  enum gc_property property;
  enum format format;
  const char *key;
  size_t at;
} rows[] = {
#define NUMBER(id, key, format, least, member, words) {GC_##id, format, key, AT(member)},
#define LOOSE(key, least, member, words) {GC_PROPERTY_COUNT, WHOLE, key, AT(member)},
#include "record/property_table.h"
};

static int put_number(const struct row *row, const struct gc_measured *from, struct gc_infos *infos)
{
  const void *at = (const char *)from + row->at;
  const double real = row->format == WHOLE ? 0 : *(const double *)at;

  if (row->format == WHOLE)
    return gc_infos_set_u64(infos, row->key, *(const uint64_t *)at);
  if (real == 0)
    return 0;
  return gc_infos_setf(infos, row->key, "%.*f",
                       row->format == TENTHS ? 1
                       : real < 100          ? 2
                       : real < 1000         ? 1
                                             : 0,
                       real);
}

/* --- values that are no numbers ------------------------------------------------------------- */

/* "0:222208,12:189440,default:222208": the L1 from each percentage on, and without a preference. */
static void write_carveouts(FILE *out, const struct gc_carveouts *carveouts)
{
  for (size_t i = 0; i < GC_CARVEOUTS; i++)
    if (i == 0 || carveouts->bytes[i] != carveouts->bytes[i - 1])
      fprintf(out, "%s%zu:%" PRIu64, i ? "," : "", i, carveouts->bytes[i]);
  fprintf(out, ",default:%" PRIu64, carveouts->by_default);
}

static void write_shared_with(FILE *out, uint32_t kinds)
{
  const char *before = "";

  for (int kind = 0; kind < GC_KIND_COUNT; kind++)
    if (kinds & 1u << kind) {
      fprintf(out, "%s%s", before, gc_kinds[kind].subtype);
      before = ",";
    }
  if (kinds & 1u << GC_KIND_COUNT)
    fprintf(out, "%s" HWLOC_GPUCACHE_HOST_MEMORY, before);
}

/* "60,72": the number of SMs of each partition. */
static void write_partition_sms(FILE *out, const struct gc_measured *from)
{
  for (size_t i = 0; i < from->partitions && i < GC_PARTITIONS_MAX; i++)
    fprintf(out, "%s%" PRIu32, i ? "," : "", from->partition_sms[i]);
}

void gc_group_sizes_text(const struct gc_groups *groups, uint32_t sms, char *text, size_t size)
{
  uint32_t sizes[GC_SMS_MAX] = {0};
  size_t length = 0;

  for (uint32_t i = 0; i < sms; i++)
    sizes[groups->of[i]]++;
  *text = '\0';
  for (uint32_t of = sms; of > 0; of--) {
    uint32_t count = 0;

    for (uint32_t g = 0; g < groups->count; g++)
      count += sizes[g] == of;
    if (count && length + 24 < size)
      length += (size_t)snprintf(text + length, size - length, "%s%" PRIu32 "x%" PRIu32,
                                 length ? "," : "", count, of);
  }
}

static void write_group_sizes(FILE *out, const struct gc_results *results,
                              const struct gc_measured *from)
{
  char text[128];

  gc_group_sizes_text(&from->cu_groups, results->sm_count, text, sizeof(text));
  fputs(text, out);
}

/* "1,2 3,4,5": the numbers of the SMs in each group. */
static void write_groups(FILE *out, const struct gc_results *results,
                         const struct gc_groups *groups)
{
  for (uint32_t g = 0; g < groups->count; g++) {
    const char *between = g ? " " : "";

    for (uint32_t i = 0; i < results->sm_count; i++)
      if (groups->of[i] == g) {
        fprintf(out, "%s%" PRIu32, between, results->sm_number[i]);
        between = ",";
      }
  }
}

/* "0,1,0": the L2 partition of each GPC. */
static void write_sides(FILE *out, const struct gc_results *results)
{
  for (uint32_t g = 0; g < results->gpc.count; g++)
    fprintf(out, "%s%u", g ? "," : "", results->gpc_side[g]);
}

/* "0x2080,0x4100" */
static void write_masks(FILE *out, const struct gc_measured *from)
{
  for (uint32_t i = 0; i < from->mask_count; i++)
    fprintf(out, "%s0x%" PRIx64, i ? "," : "", from->masks[i]);
}

/* "0.167,0.500,0.167,0.167" */
static void write_shares(FILE *out, const struct gc_measured *from)
{
  for (uint32_t i = 0; i < from->shares; i++)
    fprintf(out, "%s%.3f", i ? "," : "", from->victim_share[i]);
}

/* "434:0.968,868:0.793" */
static void write_curve(FILE *out, const struct gc_measured *from)
{
  for (uint32_t i = 0; i < from->points; i++)
    fprintf(out, "%s%" PRIu64 ":%.3f", i ? "," : "", from->curve[i].fills,
            from->curve[i].survives);
}

/* Four significant digits, never with an exponent, which no reader of records knows. */
static void write_value(FILE *out, double value)
{
  if (value < 9999.5)
    fprintf(out, "%.4g", value < 1e-4 ? 0 : value);
  else
    fprintf(out, "%.0f", value);
}

/* "0:51.2,1:33.9" */
static void write_by_node(FILE *out, const struct gc_by_node *values)
{
  for (uint32_t i = 0; i < values->count; i++) {
    fprintf(out, "%s%" PRIu32 ":", i ? "," : "", values->node[i]);
    write_value(out, values->value[i]);
  }
}

/* "GPU-1c5a…:389.1,GPU-99d0…:388.7" */
static void write_by_peer(FILE *out, const struct gc_results *results,
                          const struct gc_by_node *values)
{
  for (uint32_t i = 0; i < values->count; i++) {
    fprintf(out, "%s%s:", i ? "," : "", results->peers[values->node[i]]);
    write_value(out, values->value[i]);
  }
}

/* "GPU-1c5a…:NVLink,GPU-99d0…:PCIe" */
static void write_paths(FILE *out, const struct gc_results *results,
                        const struct gc_by_node *paths)
{
  static const char *const names[] = {
      [GC_PEER_BY_HOST] = "Host", [GC_PEER_BY_PCIE] = "PCIe", [GC_PEER_BY_NVLINK] = "NVLink"};

  for (uint32_t i = 0; i < paths->count; i++)
    fprintf(out, "%s%s:%s", i ? "," : "", results->peers[paths->node[i]],
            names[(size_t)paths->value[i]]);
}

/* "0:383.2,1640:396.5" */
static void write_by_load(FILE *out, const struct gc_by_load *values)
{
  for (uint32_t i = 0; i < values->count; i++) {
    fputs(i ? "," : "", out);
    write_value(out, values->gbps[i]);
    putc(':', out);
    write_value(out, values->ns[i]);
  }
}

/* "222.1,279.4,338.7" */
static void write_by_sm(FILE *out, const struct gc_by_sm *cycles)
{
  fprintf(out, "%.1f,%.1f,%.1f", cycles->least, cycles->middle, cycles->most);
}

static const char *const replacements[GC_REPLACES_COUNT] = {
    [GC_REPLACES_OTHER] = "other", [GC_REPLACES_LRU] = "lru",   [GC_REPLACES_FIFO] = "fifo",
    [GC_REPLACES_SLRU] = "slru",   [GC_REPLACES_PLRU] = "plru", [GC_REPLACES_RANDOM] = "random",
};

static const char *const warp_orders[GC_WARP_ORDERS] = {
    [GC_WARPS_OTHER] = "other",
    [GC_WARPS_OLDEST] = "oldest",
    [GC_WARPS_IN_TURN] = "round-robin",
    [GC_WARPS_READY] = "ready",
};

static const char *const allocates[GC_ALLOCATES] = {
    [GC_ALLOCATE_UNKNOWN] = "",
    [GC_ALLOCATE_NONE] = "none",
    [GC_ALLOCATE_SECTOR] = "sector",
    [GC_ALLOCATE_LINE] = "line",
};

/* Returns the key of a property whose value is no number, and writes the value; NULL: it is one. */
static const char *write_text(FILE *out, const struct gc_results *results,
                              const struct gc_measured *from, enum gc_property property)
{
  switch (property) {
#define TEXT(id, key, pattern, between, write, words)                                              \
  case GC_##id:                                                                                    \
    write;                                                                                         \
    return key;
#include "record/property_table.h"
  default:
    return NULL;
  }
}

/* *fits: false if the text is too long for a record, so that the property must be left out. */
static int put_text(const struct gc_results *results, const struct gc_measured *from,
                    enum gc_property property, struct gc_infos *infos, bool *fits)
{
  size_t length = 0;
  char *text = NULL;
  FILE *out = open_memstream(&text, &length);
  const char *key = out ? write_text(out, results, from, property) : NULL;
  const bool failed = !out || ferror(out);
  int status = (out && fclose(out)) || failed ? -ENOMEM : 0;

  *fits = length < GC_RECORD_MAX_VALUE;
  if (!status && key && *fits && length)
    status = gc_infos_set(infos, key, text);
  free(text);
  return status;
}

/* Whether the text begins with this word, and not with a longer one. */
static bool starts_with(const char *text, const char *word)
{
  return !strncmp(text, word, strlen(word)) && !isalnum((unsigned char)text[strlen(word)]);
}

/* Writes the text with "a CU" and "CUs" in place of "an SM" and "SMs". */
static void write_cus(FILE *out, const char *text)
{
  static const char *const words[][2] = {
      {"an SM", "a CU"}, {"SM", "CU"}, {"An SM", "A CU"}, {"SMs", "CUs"}};
  const size_t count = sizeof(words) / sizeof(*words);

  for (bool begins = true; *text; begins = !isalnum((unsigned char)text[-1])) {
    size_t i = 0;

    while (i < count && !(begins && starts_with(text, words[i][0])))
      i++;
    if (i < count)
      fputs(words[i][1], out);
    else
      putc(*text, out);
    text += i < count ? strlen(words[i][0]) : 1;
  }
}

static int put_absent(const char *name, const char *why, const char *unit, struct gc_infos *infos)
{
  char *text = NULL;
  size_t length;
  FILE *out;
  int status;

  if (strcmp(unit, "CU"))
    return gc_infos_setf(infos, name, HWLOC_GPUCACHE_SOURCE_ABSENT "%s", why);
  if (!(out = open_memstream(&text, &length)))
    return -ENOMEM;
  fputs(HWLOC_GPUCACHE_SOURCE_ABSENT, out);
  write_cus(out, why);
  status = fclose(out) ? -ENOMEM : gc_infos_set(infos, name, text);
  free(text);
  return status;
}

/* unit: "SM" or "CU". */
static int put_source(const struct gc_finding *finding, enum gc_property property, const char *unit,
                      struct gc_infos *infos)
{
  char name[80];
  int status = 0;

  snprintf(name, sizeof(name), "%s" HWLOC_GPUCACHE_SOURCE_SUFFIX, gc_properties_names[property]);
  switch (finding->origin) {
  case GC_UNKNOWN:
    break;
  case GC_STATED:
    return gc_infos_set(infos, name, HWLOC_GPUCACHE_SOURCE_API);
  case GC_TABULATED:
    return gc_infos_set(infos, name, HWLOC_GPUCACHE_SOURCE_TABLE);
  case GC_ABSENT:
    return put_absent(name, finding->why, unit, infos);
  case GC_MEASURED:
    status = gc_infos_set(infos, name, HWLOC_GPUCACHE_SOURCE_MEASURED);
    snprintf(name, sizeof(name), "%s" HWLOC_GPUCACHE_CONFIDENCE_SUFFIX,
             gc_properties_names[property]);
    if (!status)
      status = gc_infos_setf(infos, name, "%.4f", finding->confidence);
  }
  return status;
}

static int put_property(const struct gc_results *results, const struct gc_measured *from,
                        enum gc_property property, const char *unit, struct gc_infos *infos)
{
  bool fits = true;
  int status = 0;

  if (gc_found(from, property)) {
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows) && !status; i++)
      if (rows[i].property == property)
        status = put_number(&rows[i], from, infos);
    if (!status)
      status = put_text(results, from, property, infos, &fits);
  }
  return status || !fits ? status : put_source(&from->found[property], property, unit, infos);
}

static int put_element(const struct gc_results *results, const struct gc_measured *from,
                       const char *unit, struct gc_infos *infos)
{
  int status = 0;

  if (from->carveout_blocks)
    status = gc_infos_set_u64(infos, HWLOC_GPUCACHE_CARVEOUT_PERCENT, 0);
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows) && !status; i++)
    if (rows[i].property == GC_PROPERTY_COUNT &&
        *(const uint64_t *)((const char *)from + rows[i].at))
      status = put_number(&rows[i], from, infos);
  for (int property = 0; property < GC_PROPERTY_COUNT && !status; property++)
    status = put_property(results, from, (enum gc_property)property, unit, infos);
  return status;
}

int gc_publish(const struct gc_results *results, struct gc_record *record)
{
  const char *unit = gc_record_unit(record);
  int status = 0;

  for (int kind = 0; kind < GC_KIND_COUNT && !status; kind++) {
    const struct gc_measured *from = &results->element[kind];
    struct gc_element *element;

    if (!from->tried)
      continue;
    if (!(element = gc_record_find(record, from->kind)))
      element = gc_record_add(record, from->kind);
    status = element ? put_element(results, from, unit, &element->infos) : -ENOMEM;
  }
  return status ? status
                : put_element(results, &results->element[GC_WHOLE_GPU], unit, &record->infos);
}
