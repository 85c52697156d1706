/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/doctor/linker_cache.h"

#include "util/regular.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Large systems have some hundred kilobytes. */
#define MOST_BYTES (16u << 20)
#define MAGIC "glibc-ld.so.cache1.1"

/* As ldconfig writes them since glibc 2.2, after the older format or alone. */
struct header {
  char magic[sizeof MAGIC - 1];
  uint32_t count, strings_size;
  uint32_t unused[5];
};

struct entry {
  int32_t flags;
  uint32_t name, path; /* from the start of the header on */
  uint32_t os_version;
  uint64_t hwcap; /* 0: for all processors */
};

void gc_linker_cache_parse(char *text, size_t length, struct gc_linker_cache *cache)
{
  struct header header;
  size_t most;

  *cache = (struct gc_linker_cache){.text = text};
  cache->start = memmem(text, length, MAGIC, strlen(MAGIC));
  if (!cache->start || (size_t)(text + length - cache->start) < sizeof header)
    return;
  cache->length = (size_t)(text + length - cache->start);
  memcpy(&header, cache->start, sizeof header);
  most = (cache->length - sizeof header) / sizeof(struct entry);
  cache->count = header.count < most ? header.count : most;
}

void gc_linker_cache_read(struct gc_linker_cache *cache)
{
  char *text;
  size_t length;

  memset(cache, 0, sizeof *cache);
  if (!gc_regular_load("/etc/ld.so.cache", MOST_BYTES, &text, &length, NULL))
    gc_linker_cache_parse(text, length, cache);
}

void gc_linker_cache_free(struct gc_linker_cache *cache)
{
  free(cache->text);
}

/* The text ends with a NUL, so a string ends there at the latest. */
static const char *string_at(const struct gc_linker_cache *cache, uint32_t offset)
{
  return offset < cache->length ? cache->start + offset : "";
}

const char *gc_linker_cache_next(const struct gc_linker_cache *cache, const char *name,
                                 size_t *entry)
{
  struct entry found;

  while (*entry < cache->count) {
    memcpy(&found, cache->start + sizeof(struct header) + (*entry)++ * sizeof found, sizeof found);
    if (!found.hwcap && !strcmp(string_at(cache, found.name), name))
      return string_at(cache, found.path);
  }
  return NULL;
}
