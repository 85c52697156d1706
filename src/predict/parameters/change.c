/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict/parameters/change.h"

#include "predict/model/coalesce.h"
#include "predict/model/random.h"

#include <errno.h>
#include <math.h>

/* value * factor, if that is a whole number; else 0. */
static uint32_t whole(uint32_t value, double factor)
{
  const double product = value * factor;

  return product >= 1 && product <= UINT32_MAX && product == floor(product) ? (uint32_t)product : 0;
}

static unsigned lowest_bit(uint64_t mask)
{
  return (unsigned)__builtin_ctzll(mask);
}

/* The mask that begins with the highest bit; there is one. */
static uint32_t last_mask(const struct gc_cache_geometry *cache)
{
  uint32_t last = 0;

  for (uint32_t i = 1; i < cache->mask_count; i++)
    if (lowest_bit(cache->masks[i]) > lowest_bit(cache->masks[last]))
      last = i;
  return last;
}

static void remove_mask(struct gc_cache_geometry *cache, uint32_t mask)
{
  for (uint32_t i = mask + 1; i < cache->mask_count; i++)
    cache->masks[i - 1] = cache->masks[i];
  cache->mask_count--;
}

/* The bits of the hash above those with which its masks begin. */
static uint64_t upper_bits(const struct gc_cache_geometry *cache)
{
  const unsigned last = lowest_bit(cache->masks[last_mask(cache)]);
  uint64_t bits = 0;

  for (uint32_t i = 0; i < cache->mask_count; i++)
    bits |= cache->masks[i];
  return bits >> last >> 1 << last << 1;
}

/* A mask that begins with this bit. */
static bool add_mask(struct gc_cache_geometry *cache, unsigned bit)
{
  const uint64_t mask = UINT64_C(1) << bit;
  const uint64_t above = upper_bits(cache) & ~mask & gc_mix(bit + 1);

  if (cache->mask_count == GC_INDEX_BITS)
    return false;
  cache->masks[cache->mask_count++] = mask | above;
  return true;
}

/* Removes the mask that begins with a bit, and the bit from all others. */
static void remove_bit(struct gc_cache_geometry *cache, unsigned bit)
{
  uint32_t found = last_mask(cache);

  for (uint32_t i = 0; i < cache->mask_count; i++)
    if (lowest_bit(cache->masks[i]) == bit)
      found = i;
  remove_mask(cache, found);
  for (uint32_t i = 0; i < cache->mask_count; i++)
    cache->masks[i] &= ~(UINT64_C(1) << bit);
}

/* Doubles or halves the sets until there are so many. False: that is not possible. */
static bool set_sets(struct gc_cache_geometry *cache, uint32_t sets, unsigned line_bit,
                     bool of_line)
{
  for (; cache->mask_count && UINT32_C(1) << cache->mask_count < sets; line_bit--)
    if (!add_mask(cache, of_line ? line_bit - 1 : lowest_bit(cache->masks[last_mask(cache)]) + 1))
      return false;
  for (; cache->mask_count && UINT32_C(1) << cache->mask_count > sets; line_bit++)
    if (of_line)
      remove_bit(cache, line_bit);
    else
      remove_mask(cache, last_mask(cache));
  cache->sets = sets;
  return !cache->mask_count || sets == UINT32_C(1) << cache->mask_count;
}

static int fail_sets(const struct gc_cache_geometry *cache, double factor, struct gc_error *err)
{
  return gc_fail(err, -ERANGE, "L1 has %u sets with %u ways, which cannot vary by the factor %g",
                 cache->sets, cache->ways, factor);
}

int gc_change_line(struct gc_cache_geometry *cache, double factor, struct gc_error *err)
{
  const unsigned line_bit = lowest_bit(cache->line_bytes);
  const uint32_t bytes = whole(cache->line_bytes, factor), sets = whole(cache->sets, 1 / factor);

  if (bytes && bytes < cache->sector_bytes)
    cache->sector_bytes = bytes;
  if (bytes < GC_LINE_BYTES_MIN || bytes & (bytes - 1) || bytes / cache->sector_bytes > 32)
    return gc_fail(err, -ERANGE,
                   "a cache line of %g bytes with sectors of %u bytes cannot be modelled",
                   cache->line_bytes * factor, cache->sector_bytes);
  if (cache->sets == 1)
    cache->ways = cache->ways / factor >= 1 ? (uint32_t)(cache->ways / factor) : 1;
  else if (!sets || !set_sets(cache, sets, line_bit, true))
    return fail_sets(cache, factor, err);
  cache->line_bytes = bytes;
  cache->limit = (uint32_t)(cache->limit / factor);
  for (uint32_t i = 0; i < cache->survival_count; i++)
    cache->fills[i] /= factor;
  return 0;
}

int gc_change_ways(struct gc_cache_geometry *cache, double factor, struct gc_error *err)
{
  const uint32_t ways = whole(cache->ways, factor), sets = whole(cache->sets, 1 / factor);

  if (cache->sets == 1)
    return gc_fail(err, -ERANGE,
                   "the record does not have the sets of L1, so its ways cannot vary");
  if (!ways || !sets || (cache->limit && ways > GC_LINES_SCAN) ||
      !set_sets(cache, sets, lowest_bit(cache->line_bytes), false))
    return fail_sets(cache, factor, err);
  cache->ways = ways;
  return 0;
}
