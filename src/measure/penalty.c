/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What a miss adds: loads that miss an element and hit the next one behind it, less loads that hit
 * it. Both are timed alone, through the same path and in the same way, so that what the clock reads
 * add cancels out.
 *
 * - L1, texture, read-only: caches of the SM are empty when a launch starts. The first load of a
 *   pair of neighbours misses and finds its line in L2; the second hits. All SMs load the same
 *   lines, which are near to each of them after the first, discarded repetition.
 * - Constant L1: hits as above; misses are a ring that it cannot hold and the L1.5 can.
 * - Constant L1.5: hits are that ring, misses first loads as above.
 * - Scalar L1: hits as above, but each SM has lines of its own, for it may share the cache with others;
 *   misses are a ring that it cannot hold.
 * - L2: lines that were pushed out, to L3 where there is one, and the same lines once more.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/known.h"
#include "measure/layout.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define NEIGHBOURS 16 /* bytes: a pair of slots that no transfer is too small for */
#define PAIRS 64
#define CONSTANT_PAIRS 128 /* each loaded by one SM only */
#define CONSTANT_ROUNDS 2  /* that is few: once more in each repetition */
#define RING_SMS 32
#define SCALAR_RING 131072
#define SCALAR_STRIDE 128 /* at least the line */
#define RING_LOADS 96
#define MEMORY_SLOTS 16381 /* prime: every multiplier scatters */
#define MEMORY_LINE 128
#define MEMORY_SMS 16
#define MEMORY_LOADS 96
#define MEMORY_FIT 16 /* what is walked twice in a repetition is so small a part of L2 that it stays there */
#define LINE_MAX 256
_Static_assert((GC_LEVEL_REPEATS + 1) * MEMORY_SMS * MEMORY_LOADS <= MEMORY_SLOTS,
               "no slot is met twice");
#define CYCLES_MAX 4096
#define CLEAR 1.25 /* misses take so many times as long as hits, or are none */
#define TOLERANCE 0.02

const char gc_levels_alike[] =
    "loads of new lines take no longer than others: misses cannot be told from hits";

/* Latencies, counted: there are thousands of them. */
struct counts {
  uint64_t cycles[CYCLES_MAX];
};

static void count(struct counts *counts, const uint32_t *trace, size_t n, size_t first, size_t step)
{
  for (size_t i = first; i < n; i += step)
    counts->cycles[trace[i] < CYCLES_MAX ? trace[i] : CYCLES_MAX - 1]++;
}

/* The mean of the quartiles: the median of whatever is symmetric, and steady where that is not.
 * Half of an H200's memory is near (550 cycles) and half is far (770): its median is in the gap
 * between, and jumps. */
static double midhinge(const struct counts *counts)
{
  return (gc_histogram_quantile(counts->cycles, CYCLES_MAX, 0, 1, 0.25) +
          gc_histogram_quantile(counts->cycles, CYCLES_MAX, 0, 1, 0.75)) /
         2;
}

/* Cold pairs of neighbours: the first loads and the second ones, in so many rounds a repetition. */
static int walk_pairs(struct gc_bench *bench, const struct gc_path *path, unsigned repeats,
                      unsigned rounds, double *firsts, double *seconds)
{
  const uint32_t reach = NEIGHBOURS;
  struct gc_pairs pairs;
  int status = gc_pairs_open(&pairs, bench, path, &reach, 1,
                             path->form == GC_FORM_CONSTANT || path->alone ? CONSTANT_PAIRS
                                                                           : PAIRS);

  if (!status)
    status = gc_pairs_run(&pairs); /* warms up what lies behind */
  for (unsigned r = 0; r < repeats && !status; r++) {
    const size_t n = (size_t)pairs.sms * pairs.each * 2;
    struct counts first = {{0}}, second = {{0}};

    for (unsigned round = 0; round < rounds && !(status = gc_pairs_run(&pairs)); round++) {
      count(&first, pairs.trace, n, 0, 2);
      count(&second, pairs.trace, n, 1, 2);
    }
    firsts[r] = midhinge(&first);
    seconds[r] = midhinge(&second);
  }
  gc_pairs_close(&pairs);
  return status;
}

/* n SMs walk a ring that is in place. */
static int walk_ring(struct gc_bench *bench, const struct gc_path *path, const uint64_t *starts,
                     uint32_t n, uint32_t warm, uint32_t loads, double *middle)
{
  uint32_t *trace = malloc((size_t)n * loads * sizeof(*trace));
  int status = trace ? gc_bench_trace(bench, path, starts, n, warm, loads, trace)
                     : gc_fail(bench->err, -ENOMEM, "out of memory");

  if (!status) {
    struct counts counts = {{0}};

    count(&counts, trace, (size_t)n * loads, 0, 1);
    *middle = midhinge(&counts);
  }
  free(trace);
  return status;
}

/* Four times the constant L1, where that is known: no more than has to be, as the L1.5 may be small. */
static uint64_t beyond_constant_l1(const struct gc_bench *bench)
{
  const struct gc_path *path = gc_path_of(GC_CONSTANT_L15);
  const struct gc_element *l1 = gc_record_find(bench->record, GC_CONSTANT_L1);
  uint64_t bytes;

  if (!l1 || gc_infos_get_u64(&l1->infos, HWLOC_GPUCACHE_CAPACITY_BYTES, &bytes))
    return path->latency_bytes;
  bytes = 4 * bytes > path->min ? 4 * bytes / path->latency_stride * path->latency_stride : path->min;
  return bytes < path->latency_bytes ? bytes : path->latency_bytes;
}

/* The ring that the constant L1 cannot hold and the L1.5 can. */
static int walk_l15(struct gc_bench *bench, unsigned repeats, double *middles)
{
  const struct gc_path *path = gc_path_of(GC_CONSTANT_L15);
  const uint64_t bytes = beyond_constant_l1(bench);
  const uint32_t slots = (uint32_t)(bytes / path->latency_stride);
  const uint32_t n = bench->properties.sms < RING_SMS ? bench->properties.sms : RING_SMS;
  uint64_t starts[RING_SMS];
  double discarded;
  int status = gc_bench_ring(bench, path->form, bytes, path->latency_stride, 1);

  for (uint32_t i = 0; i < n; i++)
    starts[i] = gc_bench_address(bench, path->form, 0);
  for (unsigned r = 0; r <= repeats && !status; r++)
    status =
        walk_ring(bench, path, starts, n, 2 * slots, RING_LOADS, r ? &middles[r - 1] : &discarded);
  return status;
}

/* A ring that no scalar L1 can hold, and whatever is behind it can. One SM: others may share the cache. */
static int walk_behind_scalar(struct gc_bench *bench, unsigned repeats, double *middles)
{
  const struct gc_path *path = gc_path_of(GC_SCALAR_L1);
  const uint64_t start = gc_bench_address(bench, path->form, 0);
  const uint32_t warm = 2 * SCALAR_RING / SCALAR_STRIDE;
  int status = gc_bench_ring(bench, path->form, SCALAR_RING, SCALAR_STRIDE, 1);

  for (unsigned r = 0; r < repeats && !status; r++)
    status = walk_ring(bench, path, &start, 1, warm, RING_LOADS, &middles[r]);
  return status;
}

/* Half of the arena; less of it where there is an L3 behind the L2, which has to keep it. */
static uint64_t ring_room(const struct gc_bench *bench)
{
  const uint64_t half = bench->arena_bytes / 2, l3 = bench->properties.l3_bytes / 4;

  return l3 && l3 < half ? l3 : half;
}

/* Each SM has its own part of the ring, so that nobody brings lines in for others, and walks on
 * from repetition to repetition over slots that are still cold. The first, discarded one brings
 * address translations in, which keeps TLB misses out of the others. Each part is walked twice:
 * from memory, then from L2. */
static int walk_memory(struct gc_bench *bench, unsigned repeats, struct gc_levels *levels)
{
  const struct gc_path *path = gc_path_of(GC_L2);
  const uint64_t room = ring_room(bench), scatter = gc_bench_scatter(MEMORY_SLOTS);
  const uint64_t stride = gc_ring_stride(room, MEMORY_SLOTS, MEMORY_LINE);
  const uint64_t each = (repeats + 1) * MEMORY_LOADS;
  const uint64_t fit = bench->properties.l2_bytes / MEMORY_FIT / (MEMORY_LOADS * LINE_MAX) + 1;
  const uint32_t most = fit < MEMORY_SMS ? (uint32_t)fit : MEMORY_SMS;
  const uint32_t n = bench->properties.sms < most ? bench->properties.sms : most;
  uint64_t starts[MEMORY_SMS];
  double unused;
  int status;

  if ((status =
           gc_bench_ring(bench, path->form, MEMORY_SLOTS * stride, (uint32_t)stride, scatter)) ||
      (bench->properties.l3_bytes &&
       (status = gc_bench_read(bench, 0, room, MEMORY_LINE / 2, 1, GPU_ANY_SM))) ||
      (status = gc_empty_l2(bench)))
    return status;
  for (unsigned r = 0; r <= repeats && !status; r++) {
    double *miss = r ? &levels->miss[r - 1] : &unused, *hit = r ? &levels->hit[r - 1] : &unused;

    for (uint64_t i = 0; i < n; i++)
      starts[i] = gc_bench_address(bench, path->form,
                                   (i * each + r * MEMORY_LOADS) * scatter % MEMORY_SLOTS * stride);
    if (!(status = walk_ring(bench, path, starts, n, 0, MEMORY_LOADS, miss)))
      status = walk_ring(bench, path, starts, n, 0, MEMORY_LOADS, hit);
  }
  return status;
}

int gc_find_levels(struct gc_bench *bench, enum gc_kind kind, unsigned repeats,
                   struct gc_levels *levels)
{
  const struct gc_path *path = gc_path_of(kind);
  double unused[GC_LEVEL_REPEATS];
  int status;

  switch (kind) {
  case GC_L2:
    return walk_memory(bench, repeats, levels);
  case GC_CONSTANT_L1:
    if ((status = walk_pairs(bench, path, repeats, 1, unused, levels->hit)))
      return status;
    return walk_l15(bench, repeats, levels->miss);
  case GC_CONSTANT_L15:
    if ((status = walk_pairs(bench, path, repeats, CONSTANT_ROUNDS, levels->miss, unused)))
      return status;
    return walk_l15(bench, repeats, levels->hit);
  case GC_SCALAR_L1:
    if ((status = walk_pairs(bench, path, repeats, 1, unused, levels->hit)))
      return status;
    return walk_behind_scalar(bench, repeats, levels->miss);
  default:
    return walk_pairs(bench, path, repeats, 1, levels->miss, levels->hit);
  }
}

double gc_levels_threshold(const struct gc_levels *levels)
{
  return levels->miss[0] > CLEAR * levels->hit[0] ? sqrt(levels->hit[0] * levels->miss[0]) : 0;
}

int gc_step_miss_penalty(struct gc_bench *bench, struct gc_element *element)
{
  double penalties[GC_LEVEL_REPEATS], penalty, confidence;
  struct gc_levels levels;
  int status;

  if (element->kind == GC_L2 && gc_l2_stays(bench))
    return gc_put_absent(element, HWLOC_GPUCACHE_MISS_PENALTY, gc_l2_stays(bench));
  if ((element->kind == GC_CONSTANT_L1 || element->kind == GC_CONSTANT_L15) &&
      !gc_passes_constant_l1(bench, beyond_constant_l1(bench)))
    return gc_put_absent(element, HWLOC_GPUCACHE_MISS_PENALTY, gc_constant_l1_hides);
  if ((status = gc_find_levels(bench, element->kind, GC_LEVEL_REPEATS, &levels)))
    return status;
  for (int r = 0; r < GC_LEVEL_REPEATS; r++)
    penalties[r] = levels.miss[r] - levels.hit[r];
  penalty = gc_median(penalties, GC_LEVEL_REPEATS);
  if (gc_levels_threshold(&levels) <= 0)
    return gc_put_absent(element, HWLOC_GPUCACHE_MISS_PENALTY, gc_levels_alike);
  confidence = gc_median_confidence(penalties, GC_LEVEL_REPEATS, penalty, TOLERANCE * penalty);
  status = gc_infos_setf(&element->infos, HWLOC_GPUCACHE_MISS_PENALTY_CYCLES, "%.1f", penalty);
  return status ? status : gc_put_known(element, HWLOC_GPUCACHE_MISS_PENALTY, confidence);
}
