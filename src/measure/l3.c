/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * L3 (AMD: Infinity Cache, MALL), which stands in front of the device memory and serves the whole chip. All
 * SMs together read an array, in order; then one of them times single lines of the part that was read
 * first. The L2 hold what came last, which all XCDs read once more; so these loads end in L3, or, where the
 * array does not fit, in memory. Its nominal size comes from the kernel driver's tables; without it
 * nothing is searched.
 *
 * The census (census.c): half as much again as was found is read, from another place on each time, and lines
 * of all of it are timed, among them those that an L2 has: they came last through L3. Pages lie anywhere in
 * memory, so some sets get more of an array than others: what first misses and the census say may differ by a
 * sixteenth.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/known.h"
#include "measure/layout.h"
#include "measure/looks.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define STRIDE 64       /* bytes: at most the line of any L3, unless an L2 always asks for more */
#define LINE 128        /* slots are a prime multiple of it apart */
#define SAMPLE 2048     /* timed loads a size */
#define EARLY 2         /* the sample is from the first half of the array */
#define STEPS_OF_L3 256 /* capacities are told in L3s divided by this */
#define LEAST_L2S 4     /* arrays of so many times one L2: its end is in the second half */
#define SLOTS 8191      /* prime: every multiplier scatters */
#define REPEATS 9
#define WARM 64
#define LOADS 512
#define SLOT 8u
#define RINGS (LINE / SLOT)
_Static_assert((REPEATS + 1) * (WARM + LOADS) <= SLOTS, "every slot is loaded once");
#define TOLERANCE 0.02
#define SPAN 1.5       /* a census reads so many times what was found, */
#define ROUNDS 4       /* so often */
#define SLACK 0.0625   /* one way in sixteen, see above */

static uint64_t start_of(const struct gc_bench *bench, size_t ring)
{
  return gc_bench_address(bench, GC_FORM_GLOBAL, ring * (LINE + SLOT));
}

/* A scattered ring of `slots` slots in the first `bytes` of the arena, in no step that is a power of two.
 * Up to RINGS of them may be there at a time: they have no slot in common, and next to no line. Returns
 * the distance of slots. */
static uint64_t lay_ring(struct gc_bench *bench, size_t which, uint64_t bytes, uint64_t slots,
                         int *status)
{
  const uint64_t stride = gc_ring_stride(bytes, slots, LINE), start = start_of(bench, which);
  const struct gpu_fill_args ring = {.base = start, .count = slots, .stride = stride,
                                     .multiplier = gc_bench_scatter(slots), .first = start,
                                     .step = stride, .slot_bytes = SLOT};

  *status = gc_bench_launch(bench, GC_KERNEL_fill, bench->properties.sms, 256, 0, &ring, sizeof(ring));
  return stride;
}

/* What comes through an L2 comes in pieces of its sector. */
static uint32_t stride_of(const struct gc_bench *bench)
{
  const struct gc_element *l2 = gc_record_find(bench->record, GC_L2);
  uint64_t sector;

  if (!l2 || gc_infos_get_u64(&l2->infos, HWLOC_GPUCACHE_FETCH_BYTES, &sector) || sector < STRIDE)
    return STRIDE;
  return (uint32_t)sector;
}

/* The array from `from` on, of which the L2 keep nothing but the end. */
static int read_array(struct gc_bench *bench, uint64_t from, uint64_t bytes)
{
  const uint64_t end = 2 * bench->properties.l2_bytes;
  const uint32_t stride = stride_of(bench);
  int status = gc_bench_read(bench, from, bytes - from, stride, 1, GPU_ANY_SM);

  return status ? status : gc_fill_l2(bench, bytes - end, end, stride, 1);
}

/* Ascending sizes: each goes on reading where the one before it stopped, and times lines of its own. All
 * rings are laid before, for that writes their lines. */
static int walk_ascending(struct gc_bench *bench, const struct gc_path *path,
                          const struct gc_window *window, struct gc_run *runs, size_t n)
{
  int status = 0;

  for (size_t i = 0; i < n && !status; i++)
    lay_ring(bench, i, runs[i].bytes / EARLY, SAMPLE, &status);
  for (size_t i = 0; i < n && !status; i++)
    if (!(status = read_array(bench, i ? runs[i - 1].bytes : 0, runs[i].bytes)))
      status = gc_bench_sample(bench, path, window, start_of(bench, i), 0, SAMPLE, &runs[i].seen);
  return status;
}

int gc_walk_l3(struct gc_bench *bench, const struct gc_path *path, const struct gc_window *window,
               struct gc_run *runs, size_t n)
{
  int status = 0;

  for (size_t i = 0, next; i < n && !status; i = next) {
    for (next = i + 1; next < n && next - i < RINGS && runs[next].bytes > runs[next - 1].bytes;)
      next++;
    status = walk_ascending(bench, path, window, runs + i, next - i);
  }
  return status;
}

/* Line and fetch granularity are the driver's tables', if anybody's. */
static int put_no_line(struct gc_bench *bench, struct gc_element *element)
{
  static const char why[] = "loads reach it through an L2, which asks it for lines of its own";

  return gc_put_absent(element, HWLOC_GPUCACHE_LINE, why) ||
                 gc_put_absent(element, HWLOC_GPUCACHE_FETCH, why)
             ? gc_fail(bench->err, -ENOMEM, "out of memory")
             : 0;
}

int gc_step_l3_capacity(struct gc_bench *bench, struct gc_element *element)
{
  const uint64_t nominal = bench->properties.l3_bytes;
  struct gc_path path = *gc_path_of(GC_L3);
  const int status = put_no_line(bench, element);

  if (status)
    return status;
  path.step = (uint32_t)(nominal / STEPS_OF_L3 / LINE * LINE);
  path.min = (uint64_t)(STEPS_OF_L3 * 3 / 8) * path.step;
  path.max = 4 * path.min;
  if (path.max > bench->arena_bytes)
    return gc_put_absent(element, HWLOC_GPUCACHE_CAPACITY, "too little free device memory");
  if (path.min < LEAST_L2S * bench->properties.l2_bytes)
    return gc_put_absent(element, HWLOC_GPUCACHE_CAPACITY, "it is too small to be seen behind the L2");
  return gc_put_capacity(bench, &path, element);
}

/* All of the array, the end of it at `at`: on from there, and then from its beginning. */
static int read_around(struct gc_bench *bench, uint64_t bytes, uint64_t at)
{
  const uint64_t l2s = 2 * bench->properties.l2_bytes, end = l2s < at ? l2s : at;
  const uint32_t stride = stride_of(bench);
  int status = at < bytes ? gc_bench_read(bench, at, bytes - at, stride, 1, GPU_ANY_SM) : 0;

  if (!status)
    status = gc_bench_read(bench, 0, at, stride, 1, GPU_ANY_SM);
  return status ? status : gc_fill_l2(bench, at - end, end, stride, 1);
}

/* *loads of lines all over the array, of which *slow were in memory. */
static int sample_rounds(struct gc_bench *bench, const struct gc_window *window, struct gc_run *run,
                         double *loads, double *slow)
{
  int status = 0;

  for (size_t i = 0; i < ROUNDS && !status; i++)
    lay_ring(bench, i, run->bytes, SAMPLE, &status);
  for (size_t i = 0; i < ROUNDS && !status; i++) {
    if ((status = read_around(bench, run->bytes, run->bytes / ROUNDS / LINE * LINE * (ROUNDS - i))) ||
        (status = gc_bench_sample(bench, gc_path_of(GC_L3), window, start_of(bench, i), 0, SAMPLE, &run->seen)))
      break;
    gc_raw_runs(bench->raw, "census", window, run, 1);
    *loads += run->seen.loads;
    *slow += run->seen.slow;
  }
  return status;
}

int gc_step_l3_census(struct gc_bench *bench, struct gc_element *element)
{
  const uint64_t capacity = gc_capacity_known(element);
  const struct gc_level *level = &bench->levels[GC_L3];
  const struct gc_window window = {.shift = 3, .threshold = (uint32_t)((level->hit + level->miss) / 2)};
  const uint64_t unit = ROUNDS * LINE;
  struct gc_run run = {.bytes = (uint64_t)(SPAN * (double)capacity) / unit * unit};
  struct gc_census census = {.slack = SLACK};
  double loads = 0, slow = 0;
  int status;

  if (!capacity)
    return 0;
  if (run.bytes > bench->arena_bytes || !(level->miss > 0)) {
    snprintf(census.absent, sizeof(census.absent), "%s",
             level->miss > 0 ? "too little free device memory" : "what a hit takes is not known any more");
    return gc_settle_census(bench, element, &census);
  }
  if ((status = sample_rounds(bench, &window, &run, &loads, &slow)))
    return status;
  gc_sample_conclude((double)run.bytes, loads, slow, &census);
  return gc_settle_census(bench, element, &census);
}

int gc_step_l3_latency(struct gc_bench *bench, struct gc_element *element)
{
  const struct gc_path *path = gc_path_of(GC_L3);
  const uint64_t bytes = bench->properties.l3_bytes / 2, scatter = gc_bench_scatter(SLOTS);
  double medians[REPEATS], cycles[LOADS];
  struct gc_latency latency;
  uint32_t trace[LOADS];
  uint64_t stride;
  int status;

  if (bytes < LEAST_L2S * bench->properties.l2_bytes || bytes > bench->arena_bytes)
    return gc_put_absent(element, HWLOC_GPUCACHE_LATENCY, "it is too small to be seen behind the L2");
  stride = lay_ring(bench, 0, bytes / EARLY, SLOTS, &status);
  if (!status)
    status = read_array(bench, 0, bytes);
  /* each repetition walks on where the last one stopped: what was timed is in L2 */
  for (uint64_t r = 0; r <= REPEATS && !status; r++) {
    const uint64_t first = r * (WARM + LOADS) * scatter % SLOTS * stride;
    const uint64_t start = gc_bench_address(bench, path->form, first);

    status = gc_bench_trace(bench, path, &start, 1, WARM, LOADS, trace);
    for (size_t i = 0; i < LOADS && !status; i++)
      cycles[i] = trace[i];
    if (!status)
      medians[r ? r - 1 : 0] = gc_median(cycles, LOADS) - bench->window_cycles;
  }
  if (status)
    return status;
  latency.cycles = gc_median(medians, REPEATS);
  latency.confidence =
    bench->window_confidence *
    gc_median_confidence(medians, REPEATS, latency.cycles, TOLERANCE * latency.cycles);
  return gc_put_latency(bench, element, &latency);
}

static double number(const struct gc_element *element, const char *key)
{
  const char *value = element ? gc_infos_get(&element->infos, key) : NULL;

  return value ? strtod(value, NULL) : 0;
}

/* Behind it is nothing but the memory, whose loads were timed in the same way. */
int gc_step_l3_penalty(struct gc_bench *bench, struct gc_element *element)
{
  const struct gc_element *memory = gc_record_find(bench->record, GC_DEVICE_MEMORY);
  const double hit = number(element, HWLOC_GPUCACHE_LATENCY_CYCLES);
  const double miss = number(memory, HWLOC_GPUCACHE_LATENCY_CYCLES);
  static const char confidence[] = HWLOC_GPUCACHE_LATENCY HWLOC_GPUCACHE_CONFIDENCE_SUFFIX;

  if (!(hit > 0 && miss > hit))
    return gc_put_absent(element, HWLOC_GPUCACHE_MISS_PENALTY,
                         "it takes the latencies of L3 and memory to find it");
  if (gc_infos_setf(&element->infos, HWLOC_GPUCACHE_MISS_PENALTY_CYCLES, "%.1f", miss - hit))
    return gc_fail(bench->err, -ENOMEM, "out of memory");
  return gc_put_known(element, HWLOC_GPUCACHE_MISS_PENALTY,
                      number(element, confidence) * number(memory, confidence));
}
