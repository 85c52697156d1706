/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The CSV file of MT4G 0.1: twelve lines. GPUscout-GUI reads the fields of each line by position,
 * sys-sage's ParseMt4g_v0_1 by name. Therefore each line always has all fields. An unknown field
 * has the value "absent", and its name gets the suffix "_absent", so that sys-sage ignores it.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include "tool/export/formats.h"
#include "tool/export/look_up.h"

#include <hwloc/gpucache.h>

#include <inttypes.h>
#include <limits.h>
#include <string.h>

/* In quotes; a semicolon would begin a new field. */
static void put_text(FILE *out, const char *text)
{
  fputs("; \"", out);
  for (; *text; text++)
    fputc(*text == ';' || *text == '"' || (unsigned char)*text < ' ' ? '_' : *text, out);
  fputc('"', out);
}

static void put_absent(FILE *out, const char *title, unsigned fields)
{
  fprintf(out, "; %s_absent; \"absent\"", title);
  while (--fields)
    fputs("; \"\"", out);
}

/* A number without loss: bytes / 2^30 has at most 30 digits after the point. */
static void put_bytes(FILE *out, uint64_t bytes, const char *relation)
{
  static const struct {
    unsigned shift;
    const char *name;
  } units[] = {{30, "GiB"}, {20, "MiB"}, {10, "KiB"}, {0, "B"}};
  char text[64];
  size_t unit = 0, length;

  while (bytes < UINT64_C(1) << units[unit].shift && units[unit].shift)
    unit++;
  snprintf(text, sizeof text, "%.30f", (double)bytes / (double)(UINT64_C(1) << units[unit].shift));
  for (length = strlen(text); text[length - 1] == '0' && text[length - 2] != '.'; length--)
    ;
  fprintf(out, "; Size; %.*s; %s; \"%s\"", (int)length, text, units[unit].name, relation);
}

/* Three fields: title, number, unit. */
static void put_number(FILE *out, const char *title, const struct gc_element *element,
                       const char *key, const char *unit)
{
  const char *text = gc_number_text(element, key);

  if (text)
    fprintf(out, "; %s; %s; \"%s\"", title, text, unit);
  else
    put_absent(out, title, 2);
}

/* 0 or 1: whether both are in the same storage. */
static void put_shared(FILE *out, const char *title, const struct gc_element *element,
                       const char *subtype)
{
  const char *source =
      gc_infos_get(&element->infos, HWLOC_GPUCACHE_SHARED_WITH HWLOC_GPUCACHE_SOURCE_SUFFIX);

  if (gc_infos_get(&element->infos, HWLOC_GPUCACHE_SHARED_WITH) ||
      (source && !strcmp(source, HWLOC_GPUCACHE_SOURCE_MEASURED)))
    fprintf(out, "; %s; %d", title, gc_shares(element, subtype));
  else
    put_absent(out, title, 1);
}

static void put_count(FILE *out, const char *title, const struct gc_element *element,
                      const char *key)
{
  const char *text = gc_number_text(element, key);

  if (text)
    fprintf(out, "; %s; %s", title, text);
  else
    put_absent(out, title, 1);
}

/* A line of a memory or cache, as a table: which fields follow "Shared_On". */
struct line {
  const char *name;
  enum gc_kind kind;
  bool is_cache;     /* has a line size */
  bool on_gpu;       /* shared by the GPU, not inside an SM */
  const char *count; /* title of the number of instances, or NULL */
  struct {
    const char *title, *subtype;
  } shares[3];
};

#define WITH_L1                                                                                    \
  {                                                                                                \
    "Share_Cache_With_L1_Data", HWLOC_GPUCACHE_L1                                                  \
  }
#define WITH_TEXTURE                                                                               \
  {                                                                                                \
    "Share_Cache_With_Texture", HWLOC_GPUCACHE_TEXTURE                                             \
  }
#define WITH_READ_ONLY                                                                             \
  {                                                                                                \
    "Share_Cache_With_Read-Only", HWLOC_GPUCACHE_READ_ONLY                                         \
  }
#define WITH_CONSTANT_L1                                                                           \
  {                                                                                                \
    "Share_Cache_With_ConstantL1", HWLOC_GPUCACHE_CONSTANT_L1                                      \
  }
#define PER_SM "Caches_Per_SM"

static const struct line lines[] = {
    {"L1_DATA_CACHE", GC_L1, true, false, PER_SM, {WITH_TEXTURE, WITH_READ_ONLY, WITH_CONSTANT_L1}},
    {"L2_DATA_CACHE", GC_L2, true, true, "Caches_Per_GPU", {{0}}},
    {"TEXTURE_CACHE", GC_TEXTURE, true, false, PER_SM, {WITH_L1, WITH_READ_ONLY}},
    {"READ-ONLY_CACHE", GC_READ_ONLY, true, false, PER_SM, {WITH_L1, WITH_TEXTURE}},
    {"CONSTANT_L1_CACHE", GC_CONSTANT_L1, true, false, PER_SM, {WITH_L1}},
    {"CONST_L1_5_CACHE", GC_CONSTANT_L15, true, false, NULL, {{0}}},
    {"MAIN_MEMORY", GC_DEVICE_MEMORY, false, true, NULL, {{0}}},
    {"SHARED_MEMORY", GC_SHARED_MEMORY, false, false, NULL, {{0}}},
};

/* Outside of the SMs the size is what the vendor states, as in MT4G. Returns how the size relates
 * to the number, or NULL if it is unknown. */
static const char *find_size(const struct line *line, const struct gc_element *element,
                             uint64_t *bytes)
{
  if ((line->on_gpu && gc_whole(element, HWLOC_GPUCACHE_NOMINAL_BYTES, bytes)) ||
      gc_whole(element, HWLOC_GPUCACHE_CAPACITY_BYTES, bytes))
    return "=";
  return gc_whole(element, HWLOC_GPUCACHE_CAPACITY_AT_LEAST_BYTES, bytes) ? ">=" : NULL;
}

/* The line of an element that is not there, or whose size is unknown: sys-sage skips a line with
 * another name. */
static void put_empty_line(FILE *out, const struct line *line)
{
  put_absent(out, "Size", 3);
  if (line->is_cache)
    put_absent(out, "Cache_Line_Size", 2);
  put_absent(out, "Load_Latency", 2);
  put_absent(out, "Load_Latency", 2);
  put_absent(out, "Shared_On", 1);
  for (size_t i = 0; i < 3 && line->shares[i].title; i++)
    put_absent(out, line->shares[i].title, 1);
  if (line->count)
    put_absent(out, line->count, 1);
  fputc('\n', out);
}

static void put_line(FILE *out, const struct line *line, const struct gc_element *element)
{
  uint64_t bytes;
  const char *relation = find_size(line, element, &bytes);

  if (!relation) {
    fprintf(out, "%s_ABSENT", line->name);
    put_empty_line(out, line);
    return;
  }
  fputs(line->name, out);
  put_bytes(out, bytes, relation);
  if (line->is_cache)
    put_number(out, "Cache_Line_Size", element, HWLOC_GPUCACHE_LINE_BYTES, "B");
  put_number(out, "Load_Latency", element, HWLOC_GPUCACHE_LATENCY_CYCLES, "cycles");
  put_number(out, "Load_Latency", element, HWLOC_GPUCACHE_LATENCY_NS, "nanoseconds");
  fprintf(out, "; Shared_On; \"%s\"", line->on_gpu ? "GPU-level" : "SM-level");
  for (size_t i = 0; i < 3 && line->shares[i].title; i++)
    put_shared(out, line->shares[i].title, element, line->shares[i].subtype);
  if (line->count)
    put_count(out, line->count, element,
              line->on_gpu ? HWLOC_GPUCACHE_INSTANCES : HWLOC_GPUCACHE_PER_SM);
  fputc('\n', out);
}

/* The first four lines: the whole GPU. */
static int put_gpu(FILE *out, const struct gc_record *record, struct gc_error *err)
{
  struct gc_missing missing = {""};
  const uint64_t sms = gc_fact(record, "SMs", INT16_MAX, &missing);
  const uint64_t cores = gc_cores_per_sm(record);
  const uint64_t block = gc_fact(record, "RegistersPerBlock", INT_MAX, &missing);
  const uint64_t registers = gc_fact(record, "RegistersPerSM", INT_MAX, &missing);
  const uint64_t memory = gc_fact(record, "MemoryClockKHz", INT_MAX, &missing);
  const uint64_t bus = gc_fact(record, "MemoryBusBits", INT_MAX, &missing);
  const uint64_t clock = gc_fact(record, "SMClockKHz", INT_MAX, &missing);
  unsigned major = 0, minor = 0;

  if (!record->identity.model[0])
    gc_missing_add(&missing, "GPUCacheModel");
  if (!cores)
    gc_missing_add(&missing, "GPUCacheCoresPerSM");
  if (!gc_architecture(record, &major, &minor))
    gc_missing_add(&missing, "GPUCacheComputeCapability");
  if (missing.names[0])
    return gc_missing_status(&missing, "mt4g-csv", err);
  fputs("GPU_INFORMATION; GPU_vendor; \"Nvidia\"; GPU_name", out);
  put_text(out, record->identity.model);
  fprintf(out,
          "\nCOMPUTE_RESOURCE_INFORMATION; CUDA_compute_capability; \"%u.%u0\"; "
          "Number_of_streaming_multiprocessors; %" PRIu64 "; Number_of_cores_in_GPU; %" PRIu64
          "; Number_of_cores_per_SM; %" PRIu64 "\n",
          major, minor, sms, sms * cores, cores);
  fprintf(out,
          "REGISTER_INFORMATION; Registers_per_thread_block; %" PRIu64 "; \"32-bit registers\"; "
          "Registers_per_SM; %" PRIu64 "; \"32-bit registers\"\n",
          block, registers);
  fprintf(
      out,
      "ADDITIONAL_INFORMATION; Memory_Clock_Frequency; %.6f; \"GHz\"; Memory_Bus_Width; %" PRIu64
      "; \"bit\"; GPU_Clock_Rate; %.6f; \"GHz\"\n",
      (double)memory / 1e6, bus, (double)clock / 1e6);
  return 0;
}

int gc_format_mt4g_csv(const struct gc_record *record, const char *gpu, FILE *out,
                       struct gc_error *err)
{
  const int status = put_gpu(out, record, err);

  (void)gpu;
  for (size_t i = 0; !status && i < sizeof lines / sizeof *lines; i++)
    put_line(out, &lines[i], gc_record_find(record, lines[i].kind));
  return status;
}
