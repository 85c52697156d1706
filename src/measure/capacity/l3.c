/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The capacity of L3 (walk/l3.h explains how it is reached). Its nominal size comes from the tables
 * of the kernel driver; without it there is no search. doc/methods.md, "L3 capacity".
 */
#include "measure/capacity/capacity.h"
#include "measure/capacity/search.h"
#include "measure/walk/chase.h"
#include "measure/walk/l3.h"

#define SAMPLE 2048     /* timed loads of each size */
#define STEPS_OF_L3 256 /* capacities are multiples of the nominal size divided by this */
#define OUTLIERS 1e-3

/* Walks ascending sizes. Reading an array continues where the previous one ended, and each size has
 * its own lines to time. All rings are laid first, because laying a ring writes its lines. */
static int walk_ascending(struct gc_measurement *m, const struct gc_path *path,
                          const struct gc_binning *binning, struct gc_run *runs, size_t n)
{
  struct gc_l3_ring rings[GC_L3_RINGS];
  int status = 0;

  for (size_t i = 0; i < n && !status; i++)
    status = gc_l3_lay_ring(&m->bench, i, runs[i].bytes / GC_L3_EARLY, SAMPLE, &rings[i]);
  for (size_t i = 0; i < n && !status; i++) {
    const struct gc_sample sample = {.start = rings[i].start, .loads = SAMPLE};

    if (!(status = gc_l3_read_array(m, i ? runs[i - 1].bytes : 0, runs[i].bytes)))
      status = gc_chase_sample(&m->bench, path, binning, &sample, &runs[i].seen);
  }
  return status;
}

static int walk(void *data, const struct gc_path *path, const struct gc_binning *binning,
                struct gc_run *runs, size_t n)
{
  int status = 0;

  for (size_t i = 0, next; i < n && !status; i = next) {
    for (next = i + 1;
         next < n && next - i < GC_L3_RINGS && runs[next].bytes > runs[next - 1].bytes;)
      next++;
    status = walk_ascending(data, path, binning, runs + i, next - i);
  }
  return status;
}

/* Capacities are multiples of this. */
static uint32_t step_of(const struct gc_measurement *m)
{
  return (uint32_t)(m->bench.properties.l3_bytes / STEPS_OF_L3 / GC_L3_LINE * GC_L3_LINE);
}

/* 3/8 of the nominal size. */
static uint64_t smallest(const struct gc_measurement *m)
{
  return (uint64_t)(STEPS_OF_L3 * 3 / 8) * step_of(m);
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
      .step = step_of(m),
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
