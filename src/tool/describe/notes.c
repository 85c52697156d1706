/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All notes below the tables of a record: facts of the GPU, then those of each element.
 */
#include "tool/describe/notes.h"

#include "record/lists.h"
#include "tool/describe/structure.h"
#include "tool/print/format.h"
#include "tool/print/table.h"
#include "tool/print/terminal.h"

#include <hwloc/gpucache.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define CARVEOUTS_IN_A_LINE 8 /* fits GC_TEXT_WIDTH */
#define CARVEOUT_COLUMNS 10

/* --- facts of the GPU ------------------------------------------------------------------------- */

enum fact_form {
  PLAIN,
  BYTES,
  MHZ,
  ORDER,   /* of warps */
  SEVERAL, /* printed only when there is more than one */
  GROUPS   /* the first group only */
};

struct fact {
  const char *line, *key; /* facts of the same line follow each other */
  enum fact_form form;
  const char *before, *after;
};

static const struct fact facts[] = {
    {"the GPU", "GFX", PLAIN, "", ""},
    {"the GPU", "XCDs", SEVERAL, "", " XCDs"},
    {"the GPU", "GPCs", PLAIN, "", " GPCs"},
    {"groups of SMs", "GPCSMs", GROUPS, "a GPC has ", " ..."},
    {"groups of SMs", "CPCSMs", GROUPS, "a CPC ", " ..."},
    {"groups of SMs", "TPCSMs", GROUPS, "a TPC ", " ..."},
    {"L2 partition near each GPC", "GPCSides", PLAIN, "", ""},
    {"a cluster", "MaxClusterBlocks", PLAIN, "up to ", " blocks"},
    {"a cluster", "ClusterSMs", PLAIN, "such clusters reach ", " SMs"},
    {"an SM", "SIMDsPerSM", PLAIN, "", " SIMDs"},
    {"an SM", "ComputeCapability", PLAIN, "compute capability ", ""},
    {"an SM", "ThreadsPerSM", PLAIN, "", " threads"},
    {"an SM", "WarpThreads", PLAIN, "in warps of ", ""},
    {"an SM", "BlocksPerSM", PLAIN, "", " blocks"},
    {"an SM", "RegistersPerSM", PLAIN, "", " registers"},
    {"an SM", "CoresPerSM", PLAIN, "", " single-precision lanes"},
    {"if loads queue up", "WarpOrder", ORDER, "", ""},
    {"a block", "ThreadsPerBlock", PLAIN, "", " threads"},
    {"a block", "RegistersPerBlock", PLAIN, "", " registers"},
    {"a block", "SharedBytesPerBlock", BYTES, "", " of shared memory"},
    {"a block", "SharedReservedBytesPerBlock", BYTES, "", " more reserved by the driver"},
    {"the memory bus", "MemoryBusBits", PLAIN, "", " bits"},
    {"the memory bus", "MemoryClockKHz", MHZ, "", " MHz"},
    {"the memory bus", "ECC", PLAIN, "ECC ", ""},
    {"constant memory", "ConstantBytes", BYTES, "", ""},
    {"loads from device memory are cached in L1", "GlobalLoadsInL1", PLAIN, "", ""},
    {"local loads are cached in L1", "LocalLoadsInL1", PLAIN, "", ""},
    {"to flush all caches", "FlushBytes", BYTES, "read ", ""},
    {"measuring", "MeasuringMilliseconds", PLAIN, "", " ms"},
    {"measuring", "MeasuringLaunches", PLAIN, "", " launches"},
    {"measuring", "MeasuringDeviceBytes", BYTES, "", " of device memory"},
    {"measuring", "MeasuredSMClockMHz", PLAIN, "at ", " MHz"},
};

/* Writes the SMs of the first group. If they do not fit, only the first of them are written. */
static void first_group(const char *groups, char *text, size_t size)
{
  size_t length = strcspn(groups, " ");

  if (length >= size)
    for (length = size - 1; length && groups[length] != ',';)
      length--;
  snprintf(text, size, "%.*s", (int)length, groups);
}

static const char *warp_order(const char *value)
{
  return !strcmp(value, "oldest")        ? "the oldest warps go first"
         : !strcmp(value, "round-robin") ? "warps take turns"
         : !strcmp(value, "ready")       ? "the warps that became ready last go first"
                                         : "warps go in another order";
}

static bool fact_text(const struct gc_infos *infos, const struct fact *fact, char *text,
                      size_t size)
{
  const char *value = gc_infos_get(infos, fact->key);
  uint64_t number;

  const bool is_text = fact->form == PLAIN || fact->form == GROUPS || fact->form == ORDER;

  if (!value || (!is_text && gc_infos_get_u64(infos, fact->key, &number)))
    return false;
  if (fact->form == SEVERAL && number < 2)
    return false;
  if (fact->form == BYTES)
    gc_format_bytes(number, text, size);
  else if (fact->form == MHZ)
    snprintf(text, size, "%" PRIu64, number / 1000);
  else if (fact->form == GROUPS)
    first_group(value, text, size);
  else if (fact->form == ORDER)
    snprintf(text, size, "%s", warp_order(value));
  else
    snprintf(text, size, "%s", value);
  return true;
}

static void print_facts(const struct gc_record *record, FILE *out)
{
  const struct gc_infos *infos = &record->infos;
  const bool cu = !strcmp(gc_record_unit(record), "CU");
  const char *line = "";
  char text[256];

  for (size_t i = 0; i < COUNT(facts); i++) {
    if (!fact_text(infos, &facts[i], text, sizeof text))
      continue;
    if (strcmp(line, facts[i].line))
      fprintf(out, "%s  %s: ", *line ? "\n" : "",
              cu && !strcmp(facts[i].line, "an SM") ? "a CU" : facts[i].line);
    else
      fputs(", ", out);
    fprintf(out, "%s%s%s", facts[i].before, text, facts[i].after);
    line = facts[i].line;
  }
  if (*line)
    putc('\n', out);
}

/* --- conditions of values --------------------------------------------------------------------- */

static bool same_carveout(const struct gc_infos *a, const struct gc_infos *b)
{
  static const char *const keys[] = {HWLOC_GPUCACHE_CARVEOUT_PERCENT,
                                     HWLOC_GPUCACHE_CARVEOUT_BLOCKS};

  for (size_t i = 0; i < COUNT(keys); i++) {
    const char *one = gc_infos_get(a, keys[i]), *other = gc_infos_get(b, keys[i]);

    if (!one != !other || (one && strcmp(one, other)))
      return false;
  }
  return true;
}

void gc_show_carveout(const struct gc_record *record, size_t first, unsigned only, FILE *out)
{
  const struct gc_infos *infos = &record->elements[first].infos;
  const char *percent = gc_infos_get(infos, HWLOC_GPUCACHE_CARVEOUT_PERCENT);
  const char *blocks = gc_infos_get(infos, HWLOC_GPUCACHE_CARVEOUT_BLOCKS);

  for (size_t i = 0; i < first; i++)
    if (gc_show_has(only, record->elements[i].kind) &&
        same_carveout(&record->elements[i].infos, infos))
      return;
  fprintf(out, "  capacity of %s", gc_kinds[record->elements[first].kind].subtype);
  for (size_t i = first + 1; i < record->count; i++)
    if (gc_show_has(only, record->elements[i].kind) &&
        same_carveout(&record->elements[i].infos, infos))
      fprintf(out, ", %s", gc_kinds[record->elements[i].kind].subtype);
  fprintf(out, ": carve-out %s %%%s%s%s\n", percent, blocks ? ", with " : "", blocks ? blocks : "",
          blocks ? " resident blocks per SM" : "");
}

static void print_shares(const char *list, FILE *out)
{
  const size_t fit = (gc_terminal_text_width() - 4) / CARVEOUT_COLUMNS;
  const size_t most = fit < CARVEOUTS_IN_A_LINE ? fit : CARVEOUTS_IN_A_LINE;
  struct gc_carveout_entry entry;
  bool more = gc_carveout_next(&list, &entry);

  while (more) {
    struct gc_table table = {.right = (1u << CARVEOUTS_IN_A_LINE) - 1, .out = out};

    if (!gc_table_row(&table) || !gc_table_row(&table)) {
      free(table.cells);
      return;
    }
    for (; more && table.columns < most; more = gc_carveout_next(&list, &entry)) {
      gc_carveout_asked(&entry, table.cells[0][table.columns]);
      gc_format_bytes(entry.bytes, table.cells[1][table.columns++], GC_CELL);
    }
    gc_table_print(&table, "    ");
  }
}

/* The tables of larger blocks, if they differ from the first one. */
static void print_carveouts(const struct gc_element *element, FILE *out)
{
  static const struct {
    const char *key, *warps;
  } larger[] = {{HWLOC_GPUCACHE_CARVEOUT_TABLE_4_WARPS, "4"},
                {HWLOC_GPUCACHE_CARVEOUT_TABLE_32_WARPS, "32"}};
  const char *one = gc_infos_get(&element->infos, HWLOC_GPUCACHE_CARVEOUT_TABLE);

  if (!one)
    return;
  fprintf(out,
          "  %s capacity by carve-out for shared memory (a kernel asks for a percentage of the "
          "largest):\n",
          gc_kinds[element->kind].subtype);
  print_shares(one, out);
  for (size_t i = 0; i < sizeof larger / sizeof *larger; i++) {
    const char *entries = gc_infos_get(&element->infos, larger[i].key);

    if (!entries || !strcmp(entries, one))
      continue;
    fprintf(out, "    if blocks have %s warps:\n", larger[i].warps);
    print_shares(entries, out);
  }
}

void gc_show_partitions(const struct gc_element *element, FILE *out)
{
  const char *count = gc_infos_get(&element->infos, HWLOC_GPUCACHE_PARTITIONS);
  const char *sms = gc_infos_get(&element->infos, HWLOC_GPUCACHE_PARTITION_SMS);
  const size_t first = sms ? strcspn(sms, ",") : 0;
  bool equal = true;

  if (!count)
    return;
  fprintf(out, "  %s: %s partition%s", gc_kinds[element->kind].subtype, count,
          strcmp(count, "1") ? "s" : "");
  if (sms && sms[first]) {
    for (const char *at = sms + first; *at; at += 1 + strcspn(at + 1, ","))
      equal &= strcspn(at + 1, ",") == first && !strncmp(at + 1, sms, first);
    fputs(", ", out);
    for (size_t i = 0; equal ? i < first : sms[i]; i++)
      fprintf(out, sms[i] == ',' ? " + " : "%c", sms[i]);
    fprintf(out, " SMs near %s; a partition caches what its SMs read", equal ? "each" : "them");
  }
  putc('\n', out);
}

/* How many CUs share each instance. */
static void print_groups(const struct gc_element *element, FILE *out)
{
  const char *list = gc_infos_get(&element->infos, HWLOC_GPUCACHE_SHARED_BY_CUS);
  const char *before = ":";
  uint64_t caches, cus;

  if (!list)
    return;
  fprintf(out, "  %s", gc_kinds[element->kind].subtype);
  for (; gc_cu_group_next(&list, &caches, &cus); before = ",")
    fprintf(out,
            cus == 1 ? "%s %" PRIu64 " used by %" PRIu64 " CU"
                     : "%s %" PRIu64 " shared by %" PRIu64 " CUs each",
            before, caches, cus);
  putc('\n', out);
}

/* Values of the kernel driver's tables that differ from the measured ones. */
static void print_differences(const struct gc_element *element, FILE *out)
{
  static const char sysfs[] = HWLOC_GPUCACHE_SOURCE_SYSFS ":";
  const size_t tail = strlen(HWLOC_GPUCACHE_DIFFERS_SUFFIX);

  for (size_t i = 0; i < element->infos.count; i++) {
    const struct gc_info *info = &element->infos.array[i];
    const size_t length = strlen(info->name);

    if (length > tail && !strcmp(info->name + length - tail, HWLOC_GPUCACHE_DIFFERS_SUFFIX))
      fprintf(out,
              "  %s: %.*s is the measured value; the kernel driver's tables (sysfs) state %s\n",
              gc_kinds[element->kind].subtype, (int)(length - tail), info->name,
              info->value + (strncmp(info->value, sysfs, strlen(sysfs)) ? 0 : strlen(sysfs)));
  }
}

/* "  L2Cache: 95 % of loads take at most 311.0 cycles" */
static void print_tail(const struct gc_element *element, FILE *out)
{
  const char *cycles = gc_infos_get(&element->infos, HWLOC_GPUCACHE_LATENCY_P95_CYCLES);

  if (cycles)
    fprintf(out, "  %s: 95 %% of loads take at most %s cycles\n", gc_kinds[element->kind].subtype,
            cycles);
}

/* "  L2Cache: the census (second method) found 28.05 MiB, standard error 105.2 KiB" */
static void print_census(const struct gc_element *element, FILE *out)
{
  char found[32], error[32];
  uint64_t bytes;

  if (gc_infos_get_u64(&element->infos, HWLOC_GPUCACHE_CENSUS_BYTES, &bytes))
    return;
  gc_format_bytes(bytes, found, sizeof found);
  fprintf(out, "  %s: the census (second method) found %s", gc_kinds[element->kind].subtype, found);
  if (!gc_infos_get_u64(&element->infos, HWLOC_GPUCACHE_CENSUS_ERROR_BYTES, &bytes)) {
    gc_format_bytes(bytes, error, sizeof error);
    fprintf(out, ", standard error %s", error);
  }
  putc('\n', out);
}

/* "  host memory of NUMA node 0: reads 50.8 GB/s, stores 52.9 GB/s, copies to the GPU 55.4 GB/s, …,
 * latency 1079 ns": all values that there are of each node. */
static void print_hosts(const struct gc_element *element, FILE *out)
{
  static const struct {
    const char *key, *before, *unit;
  } values[] = {
      {HWLOC_GPUCACHE_HOST_READ_GBPS, "reads", "GB/s"},
      {HWLOC_GPUCACHE_HOST_WRITE_GBPS, "stores", "GB/s"},
      {HWLOC_GPUCACHE_HOST_COPY_TO_GBPS, "copies to the GPU", "GB/s"},
      {HWLOC_GPUCACHE_HOST_COPY_FROM_GBPS, "from the GPU", "GB/s"},
      {HWLOC_GPUCACHE_HOST_COPY_BOTH_GBPS, "both at once", "GB/s"},
      {HWLOC_GPUCACHE_HOST_LATENCY_NS, "latency", "ns"},
      {HWLOC_GPUCACHE_HOST_ATOMIC_LATENCY_NS, "of atomic operations", "ns"},
  };
  const size_t count = sizeof(values) / sizeof(*values);
  uint64_t nodes[16], node;
  size_t n = 0;
  double number;

  for (size_t i = 0; i < count; i++) {
    const char *list = gc_infos_get(&element->infos, values[i].key);

    while (gc_node_value_next(&list, &node, &number)) {
      size_t k = 0;

      while (k < n && nodes[k] != node)
        k++;
      if (k == n && n < sizeof(nodes) / sizeof(*nodes))
        nodes[n++] = node;
    }
  }
  for (size_t k = 0; k < n; k++) {
    const char *between = "";

    fprintf(out, "  host memory of NUMA node %llu: ", (unsigned long long)nodes[k]);
    for (size_t i = 0; i < count; i++) {
      const char *list = gc_infos_get(&element->infos, values[i].key);

      while (gc_node_value_next(&list, &node, &number))
        if (node == nodes[k]) {
          fprintf(out, "%s%s %.4g %s", between, values[i].before, number, values[i].unit);
          between = ", ";
        }
    }
    putc('\n', out);
  }
}

/* "  memory of GPU GPU-1c5a…: by NVLink, reads 378.9 GB/s, stores 388.8 GB/s, copies from it 400
 * GB/s, latency 1100 ns": all values that there are of each other GPU. */
static void print_peers(const struct gc_element *element, FILE *out)
{
  static const struct {
    const char *key, *before, *unit;
  } values[] = {
      {HWLOC_GPUCACHE_PEER_READ_GBPS, "reads", "GB/s"},
      {HWLOC_GPUCACHE_PEER_WRITE_GBPS, "stores", "GB/s"},
      {HWLOC_GPUCACHE_PEER_COPY_GBPS, "copies from it", "GB/s"},
      {HWLOC_GPUCACHE_PEER_LATENCY_NS, "latency", "ns"},
  };
  const char *list = gc_infos_get(&element->infos, HWLOC_GPUCACHE_PEER_PATH);
  struct gc_peer_entry peer, value;

  while (gc_peer_next(&list, &peer)) {
    fprintf(out, "  memory of GPU %s: by %s", peer.id, peer.text);
    for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
      if (gc_peer_find(gc_infos_get(&element->infos, values[i].key), peer.id, &value))
        fprintf(out, ", %s %s %s", values[i].before, value.text, values[i].unit);
    putc('\n', out);
  }
}

void gc_show_notes(const struct gc_record *record, unsigned only, FILE *out)
{
  if (!only)
    print_facts(record, out);
  for (size_t i = 0; i < record->count; i++) {
    const struct gc_element *element = &record->elements[i];

    if (!gc_show_has(only, element->kind))
      continue;
    print_census(element, out);
    print_tail(element, out);
    print_hosts(element, out);
    print_peers(element, out);
    gc_show_partitions(element, out);
    print_groups(element, out);
    gc_show_structure(element, gc_record_unit(record), out);
    print_differences(element, out);
    if (gc_infos_get(&element->infos, HWLOC_GPUCACHE_CARVEOUT_PERCENT))
      gc_show_carveout(record, i, only, out);
    print_carveouts(element, out);
  }
}
