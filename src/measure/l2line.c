/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The line of the L2. It has too many lines to load them one after the other (line.c), but all
 * threads of an SM together read them fast. One SM reads 1.6 times what it can keep, at a stride,
 * and then times a scattered sample of what it read. Strides up to the line take all lines of that
 * range, which do not fit; twice the line takes every other one, and 0.8 of the capacity fit.
 *
 * Large L2s spread addresses over slices and sets by a hash. On one that does not, every other line
 * may be one of half of the sets, and miss as all lines do: twice the line, or more, would be told.
 * So three quarters, five and seven eighths of the answer have to miss, too, where they would not if it
 * were two lines: as one and a half, one and a quarter, and one and three quarters, they leave lines out,
 * but no sets, unless the number of these is a multiple of 3, 5 and 7.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/layout.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define SPAN 1.6
#define SAMPLE 256
#define REPEATS 3 /* of the strides next to the answer */
#define CLEAR 0.2 /* share of loads that must miss more at the smallest stride than at the widest */

static const uint32_t strides[] = {32, 64, 128, 256, 512, 1024};
#define STRIDES (sizeof(strides) / sizeof(*strides))

/* For the eye. checked: an array of another size, to check the answer. */
static void note_share(const struct gc_bench *bench, uint32_t stride, double share, bool checked)
{
  gc_raw_row(bench->raw, "block with one load, bytes\tloads that miss, %\tof a shorter array, %",
             (double[]){stride, checked ? NAN : 100 * share, checked ? 100 * share : NAN});
}

/* Share of slow loads in a sample of the range read at a stride; which: another sample. */
static int missed(struct gc_bench *bench, uint64_t span, uint32_t stride, uint64_t which,
                  const struct gc_window *window, double *share)
{
  struct gc_run run = {.bytes = span / stride * stride};
  int status = gc_l2_sample(bench, gc_path_of(GC_L2), window, &run, stride, stride, SAMPLE, which);

  *share = status ? 0 : (double)run.seen.slow / run.seen.loads;
  return status;
}

/* Slower than all but one in a hundred loads of a range that is sure to fit. */
static int find_threshold(struct gc_bench *bench, uint64_t capacity, struct gc_window *window)
{
  struct gc_run run = {.bytes = capacity / 4 / 1024 * 1024};
  uint64_t histogram[GPU_HISTOGRAM_BINS];
  int status;

  *window = (struct gc_window){.shift = 3, .threshold = UINT32_MAX};
  if ((status = gc_l2_sample(bench, gc_path_of(GC_L2), window, &run, 128, 32, SAMPLE, 0)))
    return status;
  for (size_t b = 0; b < GPU_HISTOGRAM_BINS; b++)
    histogram[b] = run.seen.histogram[b];
  window->threshold =
      (uint32_t)(1.1 * gc_histogram_quantile(histogram, GPU_HISTOGRAM_BINS, 8, 8, 0.98));
  return 0;
}

/* The strides between the outer two, which say what missing and fitting is. Those on both sides of
 * the turn are measured again. */
static int compare(struct gc_bench *bench, uint64_t span, const struct gc_window *window,
                   const double *share, struct gc_evidence *evidence)
{
  const double third = (share[0] - share[STRIDES - 1]) / 3,
               middle = share[STRIDES - 1] + 1.5 * third;

  for (size_t i = 1; i < STRIDES - 1; i++) {
    const bool turns = (share[i] > middle) != (share[i - 1] > middle) ||
                       (share[i] > middle) != (share[i + 1] > middle);
    const unsigned repeats = turns ? REPEATS : 1;
    uint64_t fitting = 0;

    for (unsigned r = 0; r < repeats; r++) {
      double again = share[i];
      int status = r ? missed(bench, span, strides[i], r, window, &again) : 0;

      if (status)
        return status;
      if (r)
        note_share(bench, strides[i], again, false);
      /* in the outer third of the range, two votes; in between, one for each side */
      fitting += (again < share[0] - third) + (again < share[STRIDES - 1] + third);
    }
    /* ascending, strides turn from missing to fitting */
    gc_evidence_votes(&evidence[i - 1], fitting, 2 * repeats);
  }
  return 0;
}

/* Does an array miss with these strides below the line? fits: the share that misses where nothing does. */
static int check(struct gc_bench *bench, uint64_t capacity, uint32_t line, double fits,
                 const struct gc_window *window, bool *good)
{
  static const struct {
    uint32_t eighths; /* of the line */
    double span;      /* of the capacity; what it leaves, if these are half lines, fits */
  } checks[] = {{6, 1.35}, {5, 1.18}, {7, 1.58}};

  *good = true;
  for (size_t i = 0; i < sizeof(checks) / sizeof(*checks) && *good; i++) {
    const uint64_t span = (uint64_t)(checks[i].span * (double)capacity);
    const uint32_t stride = line / 8 * checks[i].eighths;
    double share;
    int status = missed(bench, span, stride, 0, window, &share);

    if (status)
      return status;
    note_share(bench, stride, share, true);
    *good = share > fits + CLEAR / 2;
  }
  return 0;
}

static int find_line(struct gc_bench *bench, struct gc_element *element)
{
  struct gc_evidence evidence[STRIDES - 2] = {0};
  struct gc_changepoint change;
  struct gc_window window;
  double share[STRIDES];
  uint64_t capacity, span;
  bool good = true;
  int status;

  if (gc_infos_get_u64(&element->infos, HWLOC_GPUCACHE_CAPACITY_BYTES, &capacity))
    return gc_put_absent(element, HWLOC_GPUCACHE_LINE,
                         "it takes the capacity to find it, which is absent");
  span = (uint64_t)(SPAN * (double)capacity) / 1024 * 1024;
  if (span > bench->arena_bytes)
    return gc_put_absent(element, HWLOC_GPUCACHE_LINE, "too little free device memory");
  if ((status = find_threshold(bench, capacity, &window)))
    return status;
  gc_raw_note(bench->raw, "threshold", window.threshold);
  for (size_t i = 0; i < STRIDES; i++) {
    if ((status = missed(bench, span, strides[i], 0, &window, &share[i])))
      return status;
    note_share(bench, strides[i], share[i], false);
  }
  if (share[0] - share[STRIDES - 1] < CLEAR)
    return gc_put_absent(element, HWLOC_GPUCACHE_LINE, "wider strides do not miss less");
  if ((status = compare(bench, span, &window, share, evidence)))
    return status;
  gc_changepoint_find(evidence, STRIDES - 2, NULL, &change);
  if (change.noise > 0.5)
    return gc_put_absent(element, HWLOC_GPUCACHE_LINE, "strides miss at random: noise");
  if (change.index && (status = check(bench, capacity, strides[change.index], share[STRIDES - 1],
                                      &window, &good)))
    return status;
  if (!good)
    return gc_put_absent(element, HWLOC_GPUCACHE_LINE, "wide strides leave sets unused");
  /* index 0: all but the smallest fit, so that one is the line */
  return gc_put_measured(element, HWLOC_GPUCACHE_LINE_BYTES, HWLOC_GPUCACHE_LINE,
                         strides[change.index], change.probability);
}

int gc_step_l2_line(struct gc_bench *bench, struct gc_element *element)
{
  const int status = find_line(bench, element);

  return status == -ENOTSUP ? gc_put_absent(element, HWLOC_GPUCACHE_LINE, GC_NOT_SAMPLED) : status;
}
