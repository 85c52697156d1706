/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The line of the L2. An L2 has too many lines to load them one after the other as line.c does, but
 * all threads of an SM together read them fast. One SM reads 1.6 times what it can keep, at a
 * stride, and then times a scattered sample of what it read. Strides up to the line touch all lines
 * of that range, which do not fit. A stride of two lines touches every other line, and these 0.8 of
 * the capacity fit.
 *
 * Large L2s distribute addresses over slices and sets by a hash. Without a hash, every other line
 * may be in one half of the sets and miss, as if all lines were read: the answer would be two
 * lines, or more. So strides of 3/4, 5/8 and 7/8 of the answer must miss as well. If the answer
 * were two lines, these would be strides of 1.5, 1.25 and 1.75 lines. Such strides skip lines, but
 * no sets (unless the number of sets is a multiple of 3, 5 and 7), and would not miss.
 * doc/methods.md, "Cache line".
 */
#include "measure/geometry/geometry.h"
#include "measure/walk/l2_sample.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>

#define SPAN 1.6    /* capacities that are read */
#define SAMPLE 256  /* timed loads */
#define REPEATS 3   /* repetitions of the strides next to the answer */
#define CLEAR 0.2   /* share of loads by which the smallest stride must miss more than the widest */
#define FIT_SHARE 4 /* the capacity divided by this is sure to fit */
#define FIT_QUANTILE 0.98
#define FIT_FACTOR 1.1 /* misses take longer than this many times that quantile of hits */

static const uint32_t strides[] = {32, 64, 128, 256, 512, 1024};
#define STRIDES (sizeof(strides) / sizeof(*strides))

/* For --raw. checked: the row belongs to a check of the answer, with an array of another size. */
static void note_share(const struct gc_bench *bench, uint32_t stride, double share, bool checked)
{
  gc_raw_row(bench->raw, "block with one load, bytes\tloads that miss, %\tof a shorter array, %",
             (double[]){stride, checked ? NAN : 100 * share, checked ? 100 * share : NAN});
}

/* An array of `span` bytes, read at a stride; which: selects a sample. */
struct array {
  uint64_t span;
  uint32_t stride;
  uint64_t which;
};

/* The share of slow loads. */
static int missed(struct gc_measurement *m, const struct array *array,
                  const struct gc_binning *binning, double *share)
{
  const struct gc_l2_sampling sample = {.stride = array->stride,
                                        .read_stride = array->stride,
                                        .loads = SAMPLE,
                                        .which = array->which};
  struct gc_run run = {.bytes = array->span / array->stride * array->stride};
  int status = gc_l2_sample(m, &sample, binning, &run);

  *share = status ? 0 : (double)run.seen.slow / run.seen.loads;
  return status;
}

/* A threshold that is slower than nearly all loads of a range that is sure to fit. */
static int find_threshold(struct gc_measurement *m, uint64_t capacity, struct gc_binning *binning)
{
  const struct gc_l2_sampling sample = {.stride = 128, .read_stride = 32, .loads = SAMPLE};
  struct gc_run run = {.bytes = capacity / FIT_SHARE / 1024 * 1024};
  uint64_t histogram[GPU_HISTOGRAM_BINS];
  int status;

  *binning = (struct gc_binning){.shift = 3, .threshold = UINT32_MAX};
  if ((status = gc_l2_sample(m, &sample, binning, &run)))
    return status;
  for (size_t b = 0; b < GPU_HISTOGRAM_BINS; b++)
    histogram[b] = run.seen.histogram[b];
  binning->threshold = (uint32_t)(FIT_FACTOR * gc_histogram_quantile(histogram, GPU_HISTOGRAM_BINS,
                                                                     8, 8, FIT_QUANTILE));
  return 0;
}

/* Compares all strides with the outer two, which show the shares when nothing fits and when all
 * fits. Strides on both sides of the change are measured again. */
static int compare(struct gc_measurement *m, uint64_t span, const struct gc_binning *binning,
                   const double *share, struct gc_evidence *evidence)
{
  const double third = (share[0] - share[STRIDES - 1]) / 3,
               middle = share[STRIDES - 1] + 1.5 * third;

  for (size_t i = 1; i < STRIDES - 1; i++) {
    const bool changes = (share[i] > middle) != (share[i - 1] > middle) ||
                         (share[i] > middle) != (share[i + 1] > middle);
    const unsigned repeats = changes ? REPEATS : 1;
    uint64_t fitting = 0;

    for (unsigned r = 0; r < repeats; r++) {
      double again = share[i];
      int status = r ? missed(m, &(struct array){span, strides[i], r}, binning, &again) : 0;

      if (status)
        return status;
      if (r)
        note_share(&m->bench, strides[i], again, false);
      /* two votes in the outer thirds of the range; in between, one vote for each side */
      fitting += (again < share[0] - third) + (again < share[STRIDES - 1] + third);
    }
    /* strides ascend: small ones miss, wide ones fit */
    gc_evidence_votes(&evidence[i - 1], fitting, 2 * repeats);
  }
  return 0;
}

/* Do these strides below the line miss? fits: the share that misses if all lines fit. */
static int check(struct gc_measurement *m, uint32_t line, double fits,
                 const struct gc_binning *binning, bool *good)
{
  static const struct {
    uint32_t eighths; /* of the line */
    double span; /* capacities; if `line` is really two lines, an array with lines left out fits */
  } checks[] = {{6, 1.35}, {5, 1.18}, {7, 1.58}};
  const double capacity = (double)gc_capacity(&m->results->element[GC_L2]);

  *good = true;
  for (size_t i = 0; i < sizeof(checks) / sizeof(*checks) && *good; i++) {
    const struct array array = {(uint64_t)(checks[i].span * capacity), line / 8 * checks[i].eighths,
                                0};
    double share;
    int status = missed(m, &array, binning, &share);

    if (status)
      return status;
    note_share(&m->bench, array.stride, share, true);
    *good = share > fits + CLEAR / 2;
  }
  return 0;
}

/* Reads `span` bytes at each stride. */
static int sweep(struct gc_measurement *m, uint64_t span, const struct gc_binning *binning,
                 double *share)
{
  for (size_t i = 0; i < STRIDES; i++) {
    int status = missed(m, &(struct array){span, strides[i], 0}, binning, &share[i]);

    if (status)
      return status;
    note_share(&m->bench, strides[i], share[i], false);
  }
  return 0;
}

static uint64_t span_of(const struct gc_measured *l2)
{
  return (uint64_t)(SPAN * (double)gc_capacity(l2)) / 1024 * 1024;
}

uint64_t gc_needs_l2_line(const struct gc_measurement *m, enum gc_kind kind)
{
  return span_of(&m->results->element[kind]);
}

static int find_line(struct gc_measurement *m, struct gc_measured *element)
{
  const uint64_t capacity = gc_capacity(element), span = span_of(element);
  struct gc_evidence evidence[STRIDES - 2] = {0};
  struct gc_changepoint change;
  struct gc_binning binning;
  double share[STRIDES];
  bool good = true;
  int status;

  if (!capacity)
    return gc_set_absent(element, GC_LINE, "this needs the capacity, which is absent");
  if ((status = find_threshold(m, capacity, &binning)))
    return status;
  gc_raw_note(m->bench.raw, "threshold", binning.threshold);
  if ((status = sweep(m, span, &binning, share)))
    return status;
  if (share[0] - share[STRIDES - 1] < CLEAR)
    return gc_set_absent(element, GC_LINE, "wider strides do not miss less");
  if ((status = compare(m, span, &binning, share, evidence)))
    return status;
  gc_changepoint_find(evidence, STRIDES - 2, NULL, &change);
  if (change.noise > 0.5)
    return gc_set_absent(element, GC_LINE, "strides miss at random: noise");
  if (change.index &&
      (status = check(m, strides[change.index], share[STRIDES - 1], &binning, &good)))
    return status;
  if (!good)
    return gc_set_absent(element, GC_LINE, "wide strides leave sets unused");
  /* index 0: all strides but the smallest fit, so the smallest one is the line */
  element->line_bytes = strides[change.index];
  return gc_set_measured(element, GC_LINE, change.probability);
}

int gc_step_l2_line(struct gc_measurement *m, struct gc_measured *element)
{
  const int status = find_line(m, element);

  return status == -ENOTSUP ? gc_set_absent(element, GC_LINE, GC_NOT_SAMPLED) : status;
}
