/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Counts of distances: one for each distance below GC_REUSE_EXACT, then 128 buckets of equal
 * width for each power of two.
 */
#include "predict/distance/distance.h"

#include <stdlib.h>

#define EXACT_BITS 12
#define BUCKET_BITS 7 /* 128 buckets from one power of two to the next */
#define BUCKETS ((64u - EXACT_BITS) << BUCKET_BITS)

_Static_assert(GC_REUSE_EXACT == 1 << EXACT_BITS, "buckets begin where the exact part ends");

struct gc_reuse_histogram {
  uint64_t accesses, first;
  uint64_t counts[GC_REUSE_EXACT + BUCKETS];
};

struct gc_reuse_histogram *gc_reuse_histogram_new(void)
{
  return calloc(1, sizeof(struct gc_reuse_histogram));
}

void gc_reuse_histogram_free(struct gc_reuse_histogram *histogram)
{
  free(histogram);
}

/* The distances of a bucket agree in this number of bits less. */
static unsigned width_bits(uint64_t distance)
{
  return 63 - (unsigned)__builtin_clzll(distance) - BUCKET_BITS;
}

static size_t bucket(uint64_t distance)
{
  const unsigned width = width_bits(distance);

  /* The highest bit adds 1 << BUCKET_BITS. */
  return GC_REUSE_EXACT + ((size_t)(width - (EXACT_BITS - BUCKET_BITS)) << BUCKET_BITS) +
         (size_t)(distance >> width) - (1 << BUCKET_BITS);
}

void gc_reuse_histogram_add(struct gc_reuse_histogram *histogram, uint64_t distance)
{
  histogram->accesses++;
  if (distance < GC_REUSE_EXACT)
    histogram->counts[distance]++;
  else if (distance == GC_DISTANCE_INFINITE)
    histogram->first++;
  else
    histogram->counts[bucket(distance)]++;
}

void gc_reuse_histogram_merge(struct gc_reuse_histogram *histogram,
                              const struct gc_reuse_histogram *other)
{
  histogram->accesses += other->accesses;
  histogram->first += other->first;
  for (size_t i = 0; i < sizeof(other->counts) / sizeof(*other->counts); i++)
    histogram->counts[i] += other->counts[i];
}

uint64_t gc_reuse_histogram_accesses(const struct gc_reuse_histogram *histogram)
{
  return histogram->accesses;
}

uint64_t gc_reuse_histogram_first(const struct gc_reuse_histogram *histogram)
{
  return histogram->first;
}

/* The number of a count is that of its lowest distance, or grows with it; the buckets begin anew
 * with each power of two. */
static size_t count_of(uint64_t distance)
{
  return distance < GC_REUSE_EXACT ? (size_t)distance : bucket(distance);
}

void gc_reuse_histogram_bins(const struct gc_reuse_histogram *histogram, struct gc_reuse_bins *bins)
{
  for (unsigned i = 0; i < GC_REUSE_BINS; i++) {
    const size_t end = count_of(UINT64_C(1) << i);

    bins->loads[i] = 0;
    for (size_t k = i ? count_of(UINT64_C(1) << (i - 1)) : 0; k < end; k++)
      bins->loads[i] += histogram->counts[k];
  }
  bins->first = histogram->first;
}

uint64_t gc_reuse_bins_loads(const struct gc_reuse_bins *bins)
{
  uint64_t sum = bins->first;

  for (unsigned i = 0; i < GC_REUSE_BINS; i++)
    sum += bins->loads[i];
  return sum;
}

unsigned gc_reuse_bins_used(const struct gc_reuse_bins *bins)
{
  unsigned used = GC_REUSE_BINS;

  while (used && !bins->loads[used - 1])
    used--;
  return used;
}

double gc_reuse_histogram_hits(const struct gc_reuse_histogram *histogram, uint64_t lines)
{
  const size_t end = count_of(lines);
  uint64_t below = 0, width;
  double part;

  for (size_t i = 0; i < end; i++)
    below += histogram->counts[i];
  if (lines < GC_REUSE_EXACT)
    return (double)below;
  width = UINT64_C(1) << width_bits(lines);
  part = (double)(lines % width) / (double)width;
  return (double)below + part * (double)histogram->counts[end];
}
