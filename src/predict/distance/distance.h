/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Exact reuse distances (stack distances) of a stream of accesses: the number of different lines
 * accessed since the last access to the same line (Bennett and Kruskal 1975; Mattson et al. 1970).
 * An access with distance d hits in every fully associative LRU cache with more than d lines.
 *
 * Time O(log m) per access, memory O(m), where m is the number of different lines; the length of
 * the stream does not matter. One object belongs to one thread.
 */
#ifndef GC_PREDICT_DISTANCE_DISTANCE_H
#define GC_PREDICT_DISTANCE_DISTANCE_H

#include <stddef.h>
#include <stdint.h>

struct gc_distance;

/* The distance of the first access to a line. */
#define GC_DISTANCE_INFINITE UINT64_MAX

/* NULL: no memory. */
struct gc_distance *gc_distance_new(void);
void gc_distance_free(struct gc_distance *distance);

/* Forgets all accesses; keeps the memory. Constant time. */
void gc_distance_clear(struct gc_distance *distance);

/* Notes an access to a line (any number) and stores its distance in *value. 0; or -ENOMEM: the
 * access is not noted, and may be repeated. The limit is 2^28 different lines. */
int gc_distance_access(struct gc_distance *distance, uint64_t line, uint64_t *value);

/* A hint without effect on results: gc_distance_access will soon get this line. If there are more
 * than 100,000 lines, hints about 12 accesses ahead make a stream up to three times as fast. */
void gc_distance_prefetch(const struct gc_distance *distance, uint64_t line);

/* How often each distance occurred: exact below GC_REUSE_EXACT, then in buckets whose width is
 * at most 1/128 of the distance. */
#define GC_REUSE_EXACT 4096
struct gc_reuse_histogram;

/* NULL: no memory. */
struct gc_reuse_histogram *gc_reuse_histogram_new(void);
void gc_reuse_histogram_free(struct gc_reuse_histogram *histogram);
void gc_reuse_histogram_add(struct gc_reuse_histogram *histogram, uint64_t distance);
uint64_t gc_reuse_histogram_accesses(const struct gc_reuse_histogram *histogram);
uint64_t
gc_reuse_histogram_first(const struct gc_reuse_histogram *histogram); /* with infinite distance */

/* Exact counts for people: of distance 0 in loads[0], from 2^(i-1) to 2^i - 1 in loads[i]. No
 * distance is larger than the last bin allows, because there are at most 2^28 lines. */
#define GC_REUSE_BINS 29
struct gc_reuse_bins {
  uint64_t loads[GC_REUSE_BINS];
  uint64_t first; /* with infinite distance */
};
void gc_reuse_histogram_bins(const struct gc_reuse_histogram *histogram,
                             struct gc_reuse_bins *bins);

/* All loads, with first; and the number of bins up to the last one that is not empty. */
uint64_t gc_reuse_bins_loads(const struct gc_reuse_bins *bins);
unsigned gc_reuse_bins_used(const struct gc_reuse_bins *bins);

/* The shortest and the longest distance of a bin. */
static inline uint64_t gc_reuse_bin_low(unsigned bin)
{
  return bin ? UINT64_C(1) << (bin - 1) : 0;
}

static inline uint64_t gc_reuse_bin_high(unsigned bin)
{
  return (UINT64_C(1) << bin) - 1;
}

/* Adds all counts of the other histogram. */
void gc_reuse_histogram_merge(struct gc_reuse_histogram *histogram,
                              const struct gc_reuse_histogram *other);

/* Accesses that hit in a fully associative LRU cache with this number of lines. Inside a bucket, a
 * linear interpolation. */
double gc_reuse_histogram_hits(const struct gc_reuse_histogram *histogram, uint64_t lines);

#endif
