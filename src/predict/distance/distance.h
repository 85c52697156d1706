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

/* Forgets all accesses; keeps the memory. */
void gc_distance_clear(struct gc_distance *distance);

/* Notes an access to a line (any number) and stores its distance in *value. 0 or -ENOMEM. */
int gc_distance_access(struct gc_distance *distance, uint64_t line, uint64_t *value);

/* How often each distance occurred: exact below GC_HISTOGRAM_EXACT, then in buckets whose width is at
 * most 1/128 of the distance. */
#define GC_HISTOGRAM_EXACT 4096
struct gc_histogram;

struct gc_histogram *gc_histogram_new(void);
void gc_histogram_free(struct gc_histogram *histogram);
void gc_histogram_add(struct gc_histogram *histogram, uint64_t distance);
uint64_t gc_histogram_accesses(const struct gc_histogram *histogram);
uint64_t gc_histogram_first(const struct gc_histogram *histogram); /* with infinite distance */

/* Accesses that hit in a fully associative LRU cache with this number of lines. Between two buckets,
 * a linear interpolation. */
double gc_histogram_hits(const struct gc_histogram *histogram, uint64_t lines);

#endif
