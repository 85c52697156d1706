/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpus/kfd.h"

#include "gpus/tree.h"
#include "util/number.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* A file in sysfs has at most one page. */
#define TEXT_BYTES 4097

struct field {
  const char *word;
  size_t offset; /* of a uint64_t */
};

static const struct field node_fields[] = {
    {"simd_count", offsetof(struct gc_kfd_node, simds)},
    {"simd_per_cu", offsetof(struct gc_kfd_node, simds_per_cu)},
    {"max_waves_per_simd", offsetof(struct gc_kfd_node, waves_per_simd)},
    {"wave_front_size", offsetof(struct gc_kfd_node, wave_threads)},
    {"lds_size_in_kb", offsetof(struct gc_kfd_node, lds_kib)},
    {"caches_count", offsetof(struct gc_kfd_node, caches)},
    {"mem_banks_count", offsetof(struct gc_kfd_node, banks)},
    {"num_xcc", offsetof(struct gc_kfd_node, xccs)},
    {"gfx_target_version", offsetof(struct gc_kfd_node, gfx)},
    {"vendor_id", offsetof(struct gc_kfd_node, vendor)},
    {"device_id", offsetof(struct gc_kfd_node, device)},
    {"domain", offsetof(struct gc_kfd_node, domain)},
    {"location_id", offsetof(struct gc_kfd_node, location)},
    {"drm_render_minor", offsetof(struct gc_kfd_node, render_minor)},
    {"max_engine_clk_fcompute", offsetof(struct gc_kfd_node, clock_mhz)},
    {"unique_id", offsetof(struct gc_kfd_node, unique_id)},
    {NULL, 0},
};

static const struct field cache_fields[] = {
    {"processor_id_low", offsetof(struct gc_kfd_cache, processor)},
    {"level", offsetof(struct gc_kfd_cache, level)},
    {"size", offsetof(struct gc_kfd_cache, kib)},
    {"cache_line_size", offsetof(struct gc_kfd_cache, line_bytes)},
    {"type", offsetof(struct gc_kfd_cache, type)},
    {NULL, 0},
};

static const struct field bank_fields[] = {
    {"heap_type", offsetof(struct gc_kfd_bank, heap)},
    {"size_in_bytes", offsetof(struct gc_kfd_bank, bytes)},
    {"width", offsetof(struct gc_kfd_bank, bus_bits)},
    {"mem_clk_max", offsetof(struct gc_kfd_bank, clock_mhz)},
    {NULL, 0},
};

/* The number that fills the rest of the line, or 0. */
static uint64_t number(const char *text)
{
  uint64_t value;
  const char *end = gc_number_digits(text, &value);

  return end && (!*end || *end == '\n') ? value : 0;
}

/* The rest of the line that begins with this word and a space, or NULL. */
static const char *after(const char *line, const char *word)
{
  size_t length = strlen(word);

  return strncmp(line, word, length) || line[length] != ' ' ? NULL : line + length + 1;
}

static void parse(const char *text, const struct field *fields, void *into)
{
  for (const char *line = text, *rest; line; line = strchr(line, '\n')) {
    line += *line == '\n';
    for (const struct field *field = fields; field->word; field++) {
      rest = after(line, field->word);
      if (rest) {
        *(uint64_t *)((char *)into + field->offset) = number(rest);
        break;
      }
    }
  }
}

/* "1,0,1,…": the number of ones; 0 when the text is something else. */
static unsigned count_ones(const char *map)
{
  unsigned ones = 0;

  for (; *map && *map != '\n'; map++) {
    if (*map != '0' && *map != '1' && *map != ',')
      return 0;
    ones += *map == '1';
  }
  return ones;
}

bool gc_kfd_read_node(int dir, unsigned number, struct gc_kfd_node *node)
{
  char path[40], text[TEXT_BYTES];

  memset(node, 0, sizeof(*node));
  snprintf(path, sizeof(path), "%u/properties", number);
  if (gc_gpus_read(dir, path, text, sizeof(text)) < 0)
    return false;
  parse(text, node_fields, node);
  return true;
}

bool gc_kfd_read_cache(int dir, unsigned index, struct gc_kfd_cache *cache)
{
  char path[40], text[TEXT_BYTES];
  const char *map;

  memset(cache, 0, sizeof(*cache));
  snprintf(path, sizeof(path), "caches/%u/properties", index);
  if (gc_gpus_read(dir, path, text, sizeof(text)) < 0)
    return false;
  parse(text, cache_fields, cache);
  map = strstr(text, "\nsibling_map ");
  if (map)
    cache->cus = count_ones(after(map + 1, "sibling_map"));
  return true;
}

bool gc_kfd_read_bank(int dir, unsigned index, struct gc_kfd_bank *bank)
{
  char path[40], text[TEXT_BYTES];

  memset(bank, 0, sizeof(*bank));
  snprintf(path, sizeof(path), "mem_banks/%u/properties", index);
  if (gc_gpus_read(dir, path, text, sizeof(text)) < 0)
    return false;
  parse(text, bank_fields, bank);
  return true;
}
