/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Options of GPGPU-Sim that this project cannot fill in completely: they are comments with the
 * reason and with what is known.
 *
 * The form of a cache is <N or S>:<sets>:<line>:<ways>,<replacement>:<write>:<allocation>:<write
 * allocation>:<set index>,<MSHR form>:<entries>:<merges>,<miss queue>. Line, sectors and, in
 * records that have them, sets, ways and policies are filled in. The MSHRs and queues are never
 * known.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include "tool/export/accelsim.h"

#include <hwloc/gpucache.h>

#include <string.h>

void gc_accelsim_why(const struct gc_element *element, const char *subtype, const char *property,
                     FILE *out)
{
  const size_t prefix = strlen(HWLOC_GPUCACHE_SOURCE_ABSENT);
  char name[64];
  const char *source;

  snprintf(name, sizeof name, "%s" HWLOC_GPUCACHE_SOURCE_SUFFIX, property);
  source = element ? gc_infos_get(&element->infos, name) : NULL;
  if (!element)
    fprintf(out, "the record has no %s\n", subtype);
  else if (source && !strncmp(source, HWLOC_GPUCACHE_SOURCE_ABSENT, prefix))
    fprintf(out, "no %s of %s: %s\n", property, subtype, source + prefix);
  else
    fprintf(out, "no usable %s of %s\n", property, subtype);
}

static const char *text_or(const struct gc_element *element, const char *key, const char *other)
{
  const char *text = element ? gc_infos_get(&element->infos, key) : NULL;

  return text ? text : other;
}

/* The letter of GPGPU-Sim for a value of ours, or its placeholder. */
static const char *letter(const struct gc_element *element, const char *key,
                          const char *const (*letters)[2], const char *placeholder)
{
  const char *text = text_or(element, key, "");

  for (; (*letters)[0]; letters++)
    if (!strcmp((*letters)[0], text))
      return (*letters)[1];
  return placeholder;
}

static const char *const replacements[][2] = {{"lru", "L"}, {"fifo", "F"}, {NULL, NULL}};
static const char *const writes[][2] = {{"through", "T"}, {"back", "B"}, {NULL, NULL}};
static const char *const allocations[][2] = {{"none", "N"}, {NULL, NULL}};

/* The known values that the string cannot hold. */
static void put_known(const struct gc_element *element, FILE *out)
{
  static const char *const keys[] = {
      HWLOC_GPUCACHE_NOMINAL_BYTES,
      HWLOC_GPUCACHE_CAPACITY_BYTES,
      HWLOC_GPUCACHE_TOTAL_BYTES,
      HWLOC_GPUCACHE_LINE_BYTES,
      HWLOC_GPUCACHE_FETCH_BYTES,
      HWLOC_GPUCACHE_PER_SM,
      HWLOC_GPUCACHE_INSTANCES,
      "Replacement",
      "Slices",
  };
  const char *separator = "#   known: ";

  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    const char *text = text_or(element, keys[i], NULL);

    if (!text)
      continue;
    fprintf(out, "%s%s %s", separator, keys[i], text);
    separator = ", ";
  }
  if (*separator == ',')
    fputc('\n', out);
}

static void put_cache(const struct gc_record *record, const char *option, enum gc_kind kind,
                      FILE *out)
{
  const struct gc_element *element = gc_record_find(record, kind);
  uint64_t line = 0, fetch = 0;
  const char *type = "<N|S>";

  if (!element) {
    fprintf(out, "#-%s  # the record has no %s\n", option, gc_kinds[kind].subtype);
    return;
  }
  if (gc_whole(element, HWLOC_GPUCACHE_LINE_BYTES, &line) &&
      gc_whole(element, HWLOC_GPUCACHE_FETCH_BYTES, &fetch))
    type = fetch < line ? "S" : "N";
  fprintf(out, "#-%s %s:%s:%s:%s,%s:%s:<allocation>:%s:<index>,<MSHRs>,<queue>\n", option, type,
          text_or(element, "Sets", "<sets>"), text_or(element, HWLOC_GPUCACHE_LINE_BYTES, "<line>"),
          text_or(element, "Ways", "<ways>"), letter(element, "Replacement", replacements, "<L|F>"),
          letter(element, "WritePolicy", writes, "<write>"),
          letter(element, "WriteAllocate", allocations, "<write allocation>"));
  put_known(element, out);
}

void gc_accelsim_clocks(const struct gc_record *record, FILE *out)
{
  const char *clock = gc_infos_get(&record->infos, "MeasuredSMClockMHz");
  const uint64_t memory = gc_fact(record, "MemoryClockKHz", UINT32_MAX, NULL);

  fprintf(out, "#-gpgpu_clock_domains %s:<interconnect>:<L2>:", clock ? clock : "<core>");
  if (memory)
    fprintf(out, "%.1f", (double)memory / 1000);
  else
    fputs("<DRAM>", out);
  fputs("  # MHz; the clocks of L2 and of the interconnect are not measured\n", out);
}

void gc_accelsim_caches(const struct gc_record *record, FILE *out)
{
  fputs("\n# caches: the number and the merging of outstanding misses (MSHRs) and the set index\n"
        "# function are not determined; sets, ways and policies only where a number or letter is.\n"
        "# S: sectors, which have 32 bytes in GPGPU-Sim\n",
        out);
  put_cache(record, "gpgpu_cache:dl1", GC_L1, out);
  put_cache(record, "gpgpu_cache:dl2", GC_L2, out);
  fputs("#   of one slice: there are gpgpu_n_mem * gpgpu_n_sub_partition_per_mchannel slices\n",
        out);
  put_cache(record, "gpgpu_tex_cache:l1", GC_TEXTURE, out);
  put_cache(record, "gpgpu_const_cache:l1", GC_CONSTANT_L1, out);
  put_cache(record, "gpgpu_cache:il1", GC_INSTRUCTION_CACHE, out);
}

void gc_accelsim_memory(const struct gc_record *record, FILE *out)
{
  const struct gc_element *memory = gc_record_find(record, GC_DEVICE_MEMORY);
  const struct gc_element *l2 = gc_record_find(record, GC_L2);
  const uint64_t bits = gc_fact(record, "MemoryBusBits", UINT32_MAX, NULL);
  const char *latency = gc_number_text(memory, HWLOC_GPUCACHE_LATENCY_CYCLES);
  const char *l2_latency = gc_number_text(l2, HWLOC_GPUCACHE_LATENCY_CYCLES);
  const char *read = gc_number_text(memory, HWLOC_GPUCACHE_READ_GBPS);

  fputs(
      "\n# device memory\n"
      "#-gpgpu_n_mem, -gpgpu_n_sub_partition_per_mchannel, -gpgpu_dram_buswidth  # the number of\n"
      "#   memory channels is not measured",
      out);
  if (bits)
    fprintf(out, "; the whole bus has %u bits", (unsigned)bits);
  if (read)
    fprintf(out, "; measured: ReadGBps of DeviceMemory is %s", read);
  fputs("\n#-dram_latency  # the DRAM timing that you choose adds to it", out);
  if (latency && l2_latency)
    fprintf(out, ";\n#   a load takes %s cycles from device memory, and %s from L2", latency,
            l2_latency);
  fputc('\n', out);
}
