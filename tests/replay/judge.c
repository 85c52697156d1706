/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/replay/judge.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define BIN 8         /* cycles; as in src/measure/capacity.c */
#define SPREAD 0.0625 /* walks of a trace are on one SM: a level varies less than over a GPU */
#define FITTING 4     /* this part of the sizes before the change is sure to fit */
#define OUTLIERS 1e-3 /* slow loads that are no misses, at least: 6 in 9,000 hits of the P6000 */
#define LOADS_MIN 8   /* of each size */
#define MUCH 1.5      /* times the usual: surely slow */

static void row_histogram(const struct trace_row *row, uint64_t *sum)
{
  uint32_t histogram[GC_LATENCY_BINS] = {0};

  for (size_t i = 0; i < row->loads; i++) {
    const uint32_t bin = row->cycles[i] / BIN;

    histogram[bin < GC_LATENCY_BINS ? bin : GC_LATENCY_BINS - 1]++;
  }
  gc_histogram_add(sum, histogram);
}

static void count_slow(const struct trace *trace, size_t fitting, double threshold,
                       struct gc_sizes *sizes)
{
  double slow = 0, loads = 0, rate;

  for (size_t i = 0; i < fitting; i++) {
    slow += (double)trace_slow(&trace->rows[i], threshold);
    loads += (double)trace->rows[i].loads;
  }
  rate = slow / loads > OUTLIERS ? slow / loads : OUTLIERS;
  for (size_t i = 0; i < trace->n; i++)
    gc_evidence_add(&sizes->evidence[i], (uint32_t)trace_slow(&trace->rows[i], threshold),
                    (uint32_t)trace->rows[i].loads, rate);
}

/* All sizes are alike: all fit, or misses are there from the start. */
static void no_change(const struct trace *trace, struct judgement *j)
{
  const struct trace_row *least = &trace->rows[0];
  uint64_t histogram[GC_LATENCY_BINS] = {0};
  size_t slow;

  row_histogram(least, histogram);
  j->levels.hit = gc_histogram_quantile(histogram, GC_LATENCY_BINS, 0, BIN, 0.5);
  slow = trace_slow(least, MUCH * j->levels.hit);
  if (slow > least->loads * OUTLIERS)
    snprintf(j->absent, sizeof(j->absent), "%zu of %zu loads are slow already at the smallest size",
             slow, least->loads);
  else
    snprintf(j->absent, sizeof(j->absent), "no change of latencies up to the largest size");
}

static void decide(const struct trace *trace, struct gc_sizes *sizes, struct judgement *j)
{
  const size_t first = gc_first_change(sizes, SPREAD);
  const size_t fitting = first > FITTING ? first / FITTING : 1;
  uint64_t hits[GC_LATENCY_BINS] = {0};
  struct gc_verdict verdict;
  size_t lasting;

  if (first == sizes->n) {
    no_change(trace, j);
    return;
  }
  for (size_t i = 0; i < fitting; i++)
    row_histogram(&trace->rows[i], hits);
  if (!gc_levels_find(hits, sizes->histogram[first], BIN, &j->levels)) {
    snprintf(j->absent, sizeof(j->absent), "hits and misses take equally long");
    j->levels = (struct gc_levels){0};
    return;
  }
  count_slow(trace, fitting, j->levels.threshold, sizes);
  if ((lasting = gc_lasting_change(sizes, hits, SPREAD)) == sizes->n) {
    snprintf(j->absent, sizeof(j->absent), "the K-S test sees no lasting change of latencies");
    return;
  }
  gc_decide(sizes, sizes->bytes[lasting], &verdict);
  if (verdict.absent) {
    snprintf(j->absent, sizeof(j->absent), "%s", verdict.absent);
    return;
  }
  j->bytes = sizes->bytes[verdict.beyond - 1];
  j->next = sizes->bytes[verdict.beyond];
  j->confidence = verdict.confidence;
}

int judge(const struct trace *trace, struct judgement *j)
{
  struct gc_sizes sizes;

  memset(j, 0, sizeof(*j));
  for (size_t i = 0; i < trace->n; i++)
    if (trace->rows[i].loads < LOADS_MIN) {
      snprintf(j->absent, sizeof(j->absent), "too few loads of each size to tell: %zu",
               trace->rows[i].loads);
      return 0;
    }
  if (gc_sizes_new(&sizes, trace->n))
    return -ENOMEM;
  for (size_t i = 0; i < trace->n; i++) {
    sizes.bytes[i] = trace->rows[i].bytes;
    row_histogram(&trace->rows[i], sizes.histogram[i]);
  }
  decide(trace, &sizes, j);
  gc_sizes_free(&sizes);
  return 0;
}
