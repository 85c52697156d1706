/* SPDX-License-Identifier: BSD-3-Clause */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include "predict/parameters/geometry.h"

#include "predict/parameters/sets.h"

#include "predict/model/random.h"

#include "record/lists.h"
#include "util/number.h"

#include <hwloc/gpucache.h>

#include <string.h>

/* The largest number of sets and bytes of a line that a record may state. */
#define MOST_SETS (1u << GC_INDEX_BITS)
#define MOST_LINE 65536
#define ADDRESS_BITS 48

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

  while (count < GC_INDEX_BITS && gc_mask_next(&text, &masks[count]))
    count++;
  return text && !*text ? count : 0;
}

static uint64_t all_bits(const struct gc_cache_geometry *geometry)
{
  uint64_t bits = 0;

  for (uint32_t i = 0; i < geometry->mask_count; i++)
    bits |= geometry->masks[i];
  return bits;
}

/* The lowest address bit about which the masks say nothing, if a hash uses all bits below; else
 * ADDRESS_BITS: the set is a plain number in the address. */
static unsigned unknown_bit(const struct gc_cache_geometry *geometry)
{
  const uint64_t bits = all_bits(geometry);
  const bool plain = (unsigned)__builtin_popcountll(bits) <= geometry->mask_count;

  return plain || !bits ? ADDRESS_BITS : 64 - (unsigned)__builtin_clzll(bits);
}

/* Do so many sets of the measured ways hold more than the capacity? Then lines are limited in
 * another way, too: an H200's L1 has tags for 256 KiB and data for less. */
static bool hold_more(struct gc_cache_geometry *geometry, const struct gc_element *element,
                      uint64_t sets)
{
  uint64_t ways, bytes;

  if (!gc_number_whole(text_of(element, HWLOC_GPUCACHE_WAYS), &ways) || ways > GC_LINES_SCAN ||
      !gc_number_whole(text_of(element, HWLOC_GPUCACHE_CAPACITY_BYTES), &bytes) ||
      sets * ways <= bytes / geometry->line_bytes)
    return false;
  geometry->ways = (uint32_t)ways;
  geometry->limit = (uint32_t)(bytes / geometry->line_bytes);
  return true;
}

/* false: the record has no sets. */
static bool read_sets(struct gc_cache_geometry *geometry, const struct gc_element *element,
                      const char *subtype, struct gc_assumptions *assumptions)
{
  uint64_t sets, ways;

  geometry->sets = 1;
  if (!gc_number_whole(text_of(element, HWLOC_GPUCACHE_SETS), &sets) || !sets || sets > MOST_SETS)
    return false;
  geometry->sets = (uint32_t)sets;
  hold_more(geometry, element, sets);
  geometry->mask_count =
      read_masks(text_of(element, HWLOC_GPUCACHE_SET_INDEX_MASKS), geometry->masks);
  if (geometry->mask_count && sets == (uint64_t)1 << geometry->mask_count)
    return true;
  geometry->mask_count = 0;
  if (sets == 1)
    return true;
  if (gc_number_whole(text_of(element, HWLOC_GPUCACHE_WAYS), &ways) && ways <= UINT32_MAX)
    geometry->own_ways = (uint32_t)ways;
  gc_assume(assumptions, subtype, HWLOC_GPUCACHE_SET_INDEX_MASKS,
            "the number of the line, modulo the number of sets");
  return true;
}

/* "1024:0.998,2048:0.71": fills and the probability to survive them. */
static bool read_curve(struct gc_cache_geometry *geometry, const char *text)
{
  uint32_t n = 0;
  uint64_t fills;

  for (; n < GC_SURVIVAL_POINTS && gc_survival_next(&text, &fills, &geometry->survives[n]); n++) {
    geometry->fills[n] = (double)fills;
    if (n && (geometry->fills[n] <= geometry->fills[n - 1] ||
              geometry->survives[n] > geometry->survives[n - 1]))
      return false;
  }
  if (!n || *text)
    return false;
  geometry->survival_count = n;
  return true;
}

/* Without sets in the record, its survival curve may show them. */
static bool find_sets(struct gc_cache_geometry *geometry, const struct gc_element *element,
                      const char *subtype, struct gc_assumptions *assumptions)
{
  uint64_t bytes;

  if (!gc_number_whole(text_of(element, HWLOC_GPUCACHE_CAPACITY_BYTES), &bytes) ||
      !gc_sets_from_curve(geometry, bytes / geometry->line_bytes))
    return false;
  gc_assume(assumptions, subtype, HWLOC_GPUCACHE_SETS,
            "%u sets of %u ways, which have the survival curve; a hash of all address bits",
            geometry->sets, geometry->ways);
  return true;
}

static void read_replacement(struct gc_cache_geometry *geometry, const struct gc_element *element,
                             const char *subtype, bool has_sets, struct gc_assumptions *assumptions)
{
  const char *name = text_of(element, HWLOC_GPUCACHE_REPLACEMENT);
  const bool lru = name && !strcmp(name, "lru"), fifo = name && !strcmp(name, "fifo"),
             random = name && !strcmp(name, "random"),
             slru = name && !strcmp(name, "slru") && has_sets;
  const bool curve = read_curve(geometry, text_of(element, HWLOC_GPUCACHE_SURVIVAL_CURVE));

  geometry->policy = fifo     ? GC_POLICY_FIFO
                     : random ? GC_POLICY_RANDOM
                     : slru   ? GC_POLICY_SLRU
                              : GC_POLICY_LRU;
  if (!has_sets && !fifo && !random && curve)
    has_sets = find_sets(geometry, element, subtype, assumptions);
  if (!has_sets)
    gc_assume(assumptions, subtype, HWLOC_GPUCACHE_SETS, "1 set: the cache is fully associative");
  if (name && !lru && !fifo && !random && !slru && curve && !geometry->limit) {
    geometry->policy = GC_POLICY_SURVIVAL;
    geometry->sets = 1; /* the curve contains what sets do */
    geometry->own_ways = 0;
    geometry->mask_count = 0;
    return;
  }
  if (!lru && !fifo && !random && !slru)
    gc_assume(assumptions, subtype, HWLOC_GPUCACHE_REPLACEMENT, "least recently used");
}

static void read_stores(struct gc_cache_geometry *geometry, const struct gc_element *element,
                        const char *subtype, bool keeps_stores, struct gc_assumptions *assumptions)
{
  const char *allocate = text_of(element, HWLOC_GPUCACHE_WRITE_ALLOCATE);

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
  bool has_sets;

  memset(geometry, 0, sizeof *geometry);
  read_lines(geometry, element, subtype, line_bytes, assumptions);
  has_sets = read_sets(geometry, element, subtype, assumptions);
  read_replacement(geometry, element, subtype, has_sets, assumptions);
  read_stores(geometry, element, subtype, keeps_stores, assumptions);
}

void gc_geometry_draw_masks(struct gc_cache_geometry *geometry, const char *subtype, uint64_t seed,
                            struct gc_assumptions *assumptions)
{
  const unsigned first = unknown_bit(geometry);

  if (first < ADDRESS_BITS)
    gc_assume(assumptions, subtype, HWLOC_GPUCACHE_SET_INDEX_MASKS,
              "address bits from %u on are part of the hash; each run draws how", first);
  for (unsigned bit = first; bit < ADDRESS_BITS; bit++) {
    const uint64_t draw = gc_mix(seed * ADDRESS_BITS + bit + 1);

    for (uint32_t i = 0; i < geometry->mask_count; i++)
      geometry->masks[i] |= (draw >> i & 1) << bit;
  }
}

/* Sets the limit of lines. False: there would be more tags than the model has. */
static bool fit_limit(struct gc_cache_geometry *geometry, uint64_t lines)
{
  const uint64_t tags = (uint64_t)geometry->sets * geometry->ways;
  const uint64_t ways = (geometry->ways * lines + geometry->limit / 2) / geometry->limit;

  if (lines >= tags && (ways > GC_LINES_SCAN || ways * geometry->sets <= lines))
    return false;
  if (lines >= tags)
    geometry->ways = (uint32_t)ways;
  geometry->limit = lines ? (uint32_t)lines : 1;
  return true;
}

void gc_geometry_fit(struct gc_cache_geometry *geometry, uint64_t bytes, uint64_t measured)
{
  const uint64_t lines = bytes / geometry->line_bytes;
  uint64_t way, ways;

  geometry->wanted_bytes = bytes;
  if (geometry->limit && fit_limit(geometry, lines))
    return;
  if (geometry->own_ways) {
    const uint64_t sets = (lines + geometry->own_ways / 2) / geometry->own_ways;

    geometry->sets = !sets ? 1 : sets > MOST_SETS ? MOST_SETS : (uint32_t)sets;
  }
  way = (uint64_t)geometry->sets * geometry->line_bytes;
  ways = (bytes + way / 2) / way;
  geometry->limit = 0;
  geometry->ways = !ways ? 1 : ways > UINT32_MAX ? UINT32_MAX : (uint32_t)ways;
  for (uint32_t i = 0; measured && i < geometry->survival_count; i++)
    geometry->fills[i] *= (double)bytes / (double)measured;
}

uint64_t gc_geometry_bytes(const struct gc_cache_geometry *geometry)
{
  const uint64_t lines =
      geometry->limit ? geometry->limit : (uint64_t)geometry->sets * geometry->ways;

  return lines * geometry->line_bytes;
}
