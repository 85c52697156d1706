/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The capacity of L2. The interface states its nominal size, but not how much of it one SM can use.
 * Large chips split the L2 into partitions and copy lines between them, so only a part is near to
 * an SM (misses begin at half of the nominal size). Arrays of many sizes are read, and samples
 * (walk/l2_sample.h) show how many of their lines are still in L2. doc/methods.md, "L2 capacity".
 */
#include "measure/capacity/capacity.h"
#include "measure/capacity/search.h"
#include "measure/walk/l2_sample.h"

#include <errno.h>

#define LINE 128        /* bytes: distance of slots, so that each is in a line of its own */
#define SAMPLE 2048     /* timed loads of each size */
#define STEPS_OF_L2 512 /* capacities are multiples of the nominal size divided by this */
#define OUTLIERS 5e-4

/* Each walk of the search takes another sample, also if sizes are walked one by one. Walks of one
 * size with the same sample would all miss the same few lines. */
struct walks {
  struct gc_measurement *m;
  uint64_t done;
};

static int walk(void *data, const struct gc_path *path, const struct gc_binning *binning,
                struct gc_run *runs, size_t n)
{
  struct walks *walks = data;
  int status = 0;

  for (size_t i = 0; i < n && !status; i++) {
    const struct gc_l2_sampling sample = {.stride = LINE,
                                          .read_stride = path->stride,
                                          .loads = SAMPLE,
                                          .which = walks->done++};

    status = gc_l2_sample(walks->m, &sample, binning, &runs[i]);
  }
  return status;
}

/* The least size of the largest array, in nominal sizes: it must not fit. */
#define LARGEST_MIN 1.25
#define LARGEST 2
#define DOUBLINGS 4 /* from the smallest array to the largest one */

uint64_t gc_needs_l2_capacity(const struct gc_measurement *m, enum gc_kind kind)
{
  (void)kind;
  return (uint64_t)(LARGEST_MIN * (double)m->bench.properties.l2_bytes);
}

int gc_step_l2_capacity(struct gc_measurement *m, struct gc_measured *element)
{
  const uint64_t nominal = m->bench.properties.l2_bytes, wanted = LARGEST * nominal;
  const uint64_t largest = wanted < m->bench.arena_bytes ? wanted : m->bench.arena_bytes;
  const uint64_t step = nominal / STEPS_OF_L2;
  struct walks walks = {.m = m};
  const struct gc_search search = {
      .path = *gc_path_of(GC_L2),
      .min = (largest >> DOUBLINGS) / LINE * LINE,
      .max = largest,
      .step = step > LINE ? (uint32_t)(step / LINE * LINE) : LINE,
      .wide_stride = LINE,
      .sizes = 12,
      .repeats = 1,
      .confirm = 6,
      .at_a_time = 1,
      .outliers = OUTLIERS,
      .walk = walk,
      .data = &walks,
  };
  int status;

  if (!nominal)
    return gc_set_absent(element, GC_CAPACITY, "the driver does not report a nominal size");
  status = gc_put_capacity(m, &search, element);
  element->fitting_bytes =
      gc_capacity(element) ? gc_capacity(element) : element->capacity_at_least_bytes;
  return status == -ENOTSUP ? gc_set_absent(element, GC_CAPACITY, GC_NOT_SAMPLED) : status;
}
