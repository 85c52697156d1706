/* SPDX-License-Identifier: BSD-3-Clause */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include "predict/parameters/geometry.h"

#include "util/number.h"

#include <hwloc/gpucache.h>

#include <stdlib.h>
#include <string.h>

/* The largest number of sets and bytes of a line that a record may state. */
#define MOST_SETS (1u << GC_INDEX_BITS)
#define MOST_LINE 65536

static const char *text_of(const struct gc_element *element, const char *key)
{
  return element ? gc_infos_get(&element->infos, key) : NULL;
}

static bool power_of_two(uint64_t value)
{
  return value && !(value & (value - 1));
}

static void read_lines(struct gc_cache_geometry *geometry, const struct gc_element *element,
                       const char *subtype, uint32_t line, struct gc_assumptions *assumptions)
{
  uint64_t bytes;

  geometry->line_bytes = line;
  if (gc_number_whole(text_of(element, HWLOC_GPUCACHE_LINE_BYTES), &bytes) && power_of_two(bytes) &&
      bytes >= 4 && bytes <= MOST_LINE)
    geometry->line_bytes = (uint32_t)bytes;
  else
    gc_assume(assumptions, subtype, HWLOC_GPUCACHE_LINE_BYTES, "%u bytes", line);
  geometry->sector_bytes = geometry->line_bytes < 32 ? geometry->line_bytes : 32;
  if (gc_number_whole(text_of(element, HWLOC_GPUCACHE_FETCH_BYTES), &bytes) &&
      power_of_two(bytes) && bytes >= 4 && bytes <= geometry->line_bytes)
    geometry->sector_bytes = (uint32_t)bytes;
  else
    gc_assume(assumptions, subtype, HWLOC_GPUCACHE_FETCH_BYTES, "%u bytes", geometry->sector_bytes);
  /* a line has at most 32 sectors in the model */
  while (geometry->line_bytes / geometry->sector_bytes > 32)
    geometry->sector_bytes *= 2;
}

/* "0x2080,0x4100": the masks, or 0 if the text has another form. */
static uint32_t read_masks(const char *text, uint64_t masks[GC_INDEX_BITS])
{
  uint32_t count = 0;

  while (text && count < GC_INDEX_BITS) {
    char *end;

    if (strncmp(text, "0x", 2))
      return 0;
    masks[count] = strtoull(text + 2, &end, 16);
    if (end == text + 2 || !masks[count])
      return 0;
    count++;
    if (!*end)
      return count;
    if (*end != ',')
      return 0;
    text = end + 1;
  }
  return 0;
}

/* Do so many sets of the measured ways hold more than the capacity? Then lines are limited in
 * another way, too: an H200's L1 has tags for 256 KiB and data for less. Lines that follow each
 * other all fit, as in one set. */
static bool hold_more(const struct gc_cache_geometry *geometry, const struct gc_element *element,
                      uint64_t sets)
{
  uint64_t ways, bytes;

  return gc_number_whole(text_of(element, HWLOC_GPUCACHE_WAYS), &ways) && ways < UINT32_MAX &&
         gc_number_whole(text_of(element, HWLOC_GPUCACHE_CAPACITY_BYTES), &bytes) &&
         sets * ways > bytes / geometry->line_bytes;
}

/* Returns whether the sets hold more than the capacity. */
static bool read_sets(struct gc_cache_geometry *geometry, const struct gc_element *element,
                      const char *subtype, struct gc_assumptions *assumptions)
{
  uint64_t sets;

  geometry->sets = 1;
  if (!gc_number_whole(text_of(element, HWLOC_GPUCACHE_SETS), &sets) || !sets || sets > MOST_SETS) {
    gc_assume(assumptions, subtype, HWLOC_GPUCACHE_SETS, "1 set: the cache is fully associative");
    return false;
  }
  if (hold_more(geometry, element, sets)) {
    gc_assume(assumptions, subtype, HWLOC_GPUCACHE_SETS,
              "1 set, because its sets hold more than its capacity");
    return true;
  }
  geometry->sets = (uint32_t)sets;
  geometry->mask_count =
      read_masks(text_of(element, HWLOC_GPUCACHE_SET_INDEX_MASKS), geometry->masks);
  if (geometry->mask_count && sets == (uint64_t)1 << geometry->mask_count)
    return false;
  geometry->mask_count = 0;
  gc_assume(assumptions, subtype, HWLOC_GPUCACHE_SET_INDEX_MASKS,
            "the number of the line, modulo %u sets", geometry->sets);
  return false;
}

/* "1024:0.998,2048:0.71": fills and the probability to survive them. */
static bool read_curve(struct gc_cache_geometry *geometry, const char *text)
{
  uint32_t n = 0;

  while (text && n < GC_SURVIVAL_POINTS) {
    const size_t length = strcspn(text, ",");
    uint64_t fills;
    const char *end = gc_number_digits(text, &fills);
    char value[32];

    if (!end || *end != ':' || (size_t)(text + length - end) >= sizeof value)
      return false;
    memcpy(value, end + 1, (size_t)(text + length - end - 1));
    value[text + length - end - 1] = '\0';
    if (!gc_number_read(value, &geometry->survives[n]) || geometry->survives[n] > 1 ||
        (n && ((double)fills <= geometry->fills[n - 1] ||
               geometry->survives[n] > geometry->survives[n - 1])))
      return false;
    geometry->fills[n++] = (double)fills;
    if (!text[length]) {
      geometry->survival_count = n;
      return true;
    }
    text += length + 1;
  }
  return false;
}

/* limited: the sets hold more than the capacity. Then the curve, which is of random lines, does not
 * describe lines that follow each other. */
static void read_replacement(struct gc_cache_geometry *geometry, const struct gc_element *element,
                             const char *subtype, bool limited, struct gc_assumptions *assumptions)
{
  const char *name = text_of(element, HWLOC_GPUCACHE_REPLACEMENT);

  geometry->policy = GC_POLICY_LRU;
  if (name && !strcmp(name, "lru"))
    return;
  if (name && !strcmp(name, "fifo")) {
    geometry->policy = GC_POLICY_FIFO;
  } else if (name && !strcmp(name, "random")) {
    geometry->policy = GC_POLICY_RANDOM;
  } else if (name && !limited &&
             read_curve(geometry, text_of(element, HWLOC_GPUCACHE_SURVIVAL_CURVE))) {
    geometry->policy = GC_POLICY_SURVIVAL;
    geometry->sets = 1; /* the curve contains what sets do */
    geometry->mask_count = 0;
  } else {
    gc_assume(assumptions, subtype, HWLOC_GPUCACHE_REPLACEMENT, "least recently used");
  }
}

static void read_stores(struct gc_cache_geometry *geometry, const struct gc_element *element,
                        const char *subtype, bool keeps_stores, struct gc_assumptions *assumptions)
{
  const char *allocate = text_of(element, HWLOC_GPUCACHE_WRITE_ALLOCATE);

  geometry->store_updates = true;
  geometry->store_miss = keeps_stores ? GC_ALLOCATE_SECTOR : GC_ALLOCATE_NONE;
  if (allocate && !strcmp(allocate, "none"))
    geometry->store_miss = GC_ALLOCATE_NONE;
  else if (allocate && !strcmp(allocate, "sector"))
    geometry->store_miss = GC_ALLOCATE_SECTOR;
  else if (allocate && !strcmp(allocate, "line"))
    geometry->store_miss = GC_ALLOCATE_LINE;
  else
    gc_assume(assumptions, subtype, HWLOC_GPUCACHE_WRITE_ALLOCATE,
              keeps_stores ? "sector" : "none");
}

void gc_geometry_read(struct gc_cache_geometry *geometry, const struct gc_element *element,
                      const char *subtype, uint32_t line_bytes, bool keeps_stores,
                      struct gc_assumptions *assumptions)
{
  bool limited;

  memset(geometry, 0, sizeof *geometry);
  read_lines(geometry, element, subtype, line_bytes, assumptions);
  limited = read_sets(geometry, element, subtype, assumptions);
  read_replacement(geometry, element, subtype, limited, assumptions);
  read_stores(geometry, element, subtype, keeps_stores, assumptions);
}

void gc_geometry_fit(struct gc_cache_geometry *geometry, uint64_t bytes, uint64_t measured)
{
  const uint64_t way = (uint64_t)geometry->sets * geometry->line_bytes;
  const uint64_t ways = (bytes + way / 2) / way;

  geometry->ways = !ways ? 1 : ways > UINT32_MAX ? UINT32_MAX : (uint32_t)ways;
  for (uint32_t i = 0; measured && i < geometry->survival_count; i++)
    geometry->fills[i] *= (double)bytes / (double)measured;
}

uint64_t gc_geometry_bytes(const struct gc_cache_geometry *geometry)
{
  return (uint64_t)geometry->sets * geometry->ways * geometry->line_bytes;
}
