/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Does the capacity of L2 end where the reach of a TLB ends? Beyond its reach, loads wait for the
 * translation of their address and are slow, although L2 has their lines. The search and the census
 * load lines in scattered order, so both take that for misses. But how many translations are
 * missing depends on the order of the loads, and how many lines are missing does not: of arrays
 * that are larger than the capacity, lines are sampled in scattered and in ascending order. In
 * ascending order, all loads of the part that one entry covers follow each other, and only the
 * first one waits. If far fewer loads are slow then, the capacity is that of a TLB, and it is
 * withheld. doc/methods.md, "L2 capacity".
 */
#include "measure/check/check.h"

#include "measure/walk/l2_sample.h"
#include "stats/sequential.h"
#include "stats/stats.h"

#include <errno.h>

#define LINE 128 /* bytes: distance of slots, so that each is in a line of its own */
/* Timed loads. In ascending order, a TLB is found out if it has fewer entries than an eighth and an
 * entry covers 64 KiB or more. */
#define LOADS 8192
/* If the array is hardly larger than L2, a probe that misses evicts what others would find. So
 * there is one for so many lines only. */
#define HARDLY 1.5
#define QUIET_LINES 64
#define CHANCE 1e-5 /* probability of so few slow loads in ascending order without a TLB */

static const char reach[] = "misses begin where the reach of a TLB ends, and L2 may hold more";

static int sample(struct gc_measurement *m, const struct gc_level *level, bool ascending,
                  uint64_t bytes, uint32_t loads, struct gpu_chase_result *seen)
{
  const struct gc_binning binning = {.shift = 3, .threshold = gc_l2_threshold(m)};
  const struct gc_l2_sampling sampling = {
      .stride = LINE, .read_stride = level->stride, .loads = loads, .ascending = ascending};
  struct gc_run run = {.bytes = bytes};
  const int status = gc_l2_sample(m, &sampling, &binning, &run);

  if (!status)
    gc_raw_runs(m->bench.raw, ascending ? "ascending" : "scattered", &binning, &run, 1);
  *seen = run.seen;
  return status;
}

/* *end: the reach of a TLB ends before this size: fewer loads are slow in ascending order; or, if
 * no census confirms the capacity, far fewer lines are missing than a cache of this size cannot
 * hold. *none: no TLB ends here: more than half as many loads are slow in ascending order. In
 * larger arrays, misses of L2 would hide those of a TLB even more. */
static int compare(struct gc_measurement *m, const struct gc_measured *l2, uint64_t bytes,
                   uint32_t loads, bool *end, bool *none)
{
  const double size = (double)bytes / (double)gc_capacity(l2), lack = 1 - 1 / size;
  struct gpu_chase_result scattered, ascending;
  double half, most;
  int status;

  if ((status = sample(m, &l2->level, false, bytes, loads, &scattered)) ||
      (status = sample(m, &l2->level, true, bytes, loads, &ascending)))
    return status;
  half = (double)scattered.slow / scattered.loads / 2;
  /* the true share may be more than what was seen */
  most = gc_share_bounds(scattered.slow, scattered.loads, GC_SEQUENTIAL_ERROR).high / 2;
  *none = gc_found(l2, GC_CENSUS) && gc_share_side(ascending.slow, ascending.loads, most, most,
                                                   GC_SEQUENTIAL_ERROR) == GC_SIDE_ABOVE;
  *end =
      gc_binomial_cdf(ascending.slow, ascending.loads, half) < CHANCE ||
      (!gc_found(l2, GC_CENSUS) && size >= HARDLY && scattered.slow < lack / 2 * scattered.loads);
  return 0;
}

int gc_step_l2_translation(struct gc_measurement *m, struct gc_measured *element)
{
  /* Sizes in capacities. Some lines of a small array may still be in L2; in a large one, misses of
   * L2 may hide those of a TLB. So several are tried. */
  static const double sizes[] = {1.1, 1.25, 1.5, 2, 3};
  const uint64_t arena = m->bench.arena_bytes / LINE * LINE;
  bool end = false, none = false;
  int status = 0;

  if (!gc_capacity(element) || !element->level.stride)
    return 0;
  for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes) && !end && !none && !status;
       i++) {
    const uint64_t bytes = (uint64_t)(sizes[i] * (double)gc_capacity(element)) / LINE * LINE;
    const uint64_t quiet = bytes / LINE / QUIET_LINES + 1;
    const bool few = sizes[i] < HARDLY && quiet < LOADS;

    status =
        compare(m, element, bytes < arena ? bytes : arena, few ? (uint32_t)quiet : LOADS, &end,
                     &none);
  }
  if (status == -ENOTSUP) /* the search could not sample either */
    return 0;
  return status || !end ? status : gc_withhold(m->results, GC_L2, GC_CAPACITY, reach);
}
