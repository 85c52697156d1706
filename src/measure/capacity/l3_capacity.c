/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The capacity of L3 (walk/l3.h explains how it is reached). Its nominal size comes from the tables
 * of the kernel driver; without it there is no search. doc/methods.md, "L3 capacity".
 */
#include "measure/capacity/capacity.h"
#include "measure/capacity/search.h"
#include "measure/walk/l3.h"

#define SAMPLE 2200 /* pairs of each size; about 2048 loads count */
#define OUTLIERS 1e-3

/* Walks ascending sizes. Reading an array continues where the previous one ended, and each size has
 * its own lines to time. All rings are laid first, because laying a ring writes its lines. */
static int walk_ascending(struct gc_measurement *m, const struct gc_binning *binning,
                          struct gc_run *runs, size_t n)
{
  struct gc_l3_ring rings[GC_L3_RINGS];
  int status = 0;

  for (size_t i = 0; i < n && !status; i++)
    status = gc_l3_lay_ring(m, i, runs[i].bytes / GC_L3_EARLY, SAMPLE, &rings[i]);
  for (size_t i = 0; i < n && !status; i++) {
    if (!(status = gc_l3_read_array(m, i ? runs[i - 1].bytes : 0, runs[i].bytes)))
      status = gc_l3_sample(&m->bench, &rings[i], binning, &runs[i].seen);
  }
  return status;
}

static int walk(void *data, const struct gc_path *path, const struct gc_binning *binning,
                struct gc_run *runs, size_t n)
{
  const struct gc_measurement *m = data;
  int status = 0;

  (void)path; /* always that of L3 */
  for (size_t i = 0, next; i < n && !status; i = next) {
    const size_t most = gc_l3_rings(m->results, runs[i].bytes / GC_L3_EARLY, SAMPLE);

    for (next = i + 1; next < n && next - i < most && runs[next].bytes > runs[next - 1].bytes;)
      next++;
    status = walk_ascending(data, binning, runs + i, next - i);
  }
  return status;
}

/* 3/8 of the nominal size. */
static uint64_t smallest(const struct gc_measurement *m)
{
  return (uint64_t)(GC_L3_STEPS * 3 / 8) * gc_l3_step(&m->bench.properties);
}

uint64_t gc_needs_l3_capacity(const struct gc_measurement *m, enum gc_kind kind)
{
  (void)kind;
  return 4 * smallest(m);
}

int gc_step_l3_capacity(struct gc_measurement *m, struct gc_measured *element)
{
  const struct gc_search search = {
      .path = *gc_path_of(GC_L3),
      .min = smallest(m),
      .max = 4 * smallest(m),
      .step = gc_l3_step(&m->bench.properties),
      .sizes = 15,
      .repeats = 1,
      .confirm = 4,
      .outliers = OUTLIERS,
      .walk = walk,
      .data = m,
  };

  if (search.min < GC_L3_LEAST_L2S * m->bench.properties.l2_bytes)
    return gc_set_absent(element, GC_CAPACITY, GC_L3_TOO_SMALL);
  return gc_put_capacity(m, &search, element);
}
