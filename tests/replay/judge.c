/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/replay/judge.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define BIN 8         /* cycles; as when measuring */
#define SPREAD 0.0625 /* a trace is of one SM, where a level varies less than over the GPU */
#define FITTING 4     /* the smallest quarter of the sizes before the change surely fits */
#define OUTLIERS 1e-3 /* least share of hits that are slow; the P6000 has 6 in 9,000 */
#define LOADS_MIN 8   /* for each size */
#define MUCH 1.5      /* a load that takes so many times the median is slow */

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

/* All sizes are alike: either all fit, or even the smallest misses. */
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
  if (!gc_hit_miss_find(hits, sizes->histogram[first], BIN, &j->levels)) {
    snprintf(j->absent, sizeof(j->absent), "%s",
             gc_explain_overlap(hits, sizes->histogram[0], sizes->histogram[sizes->n - 1], SPREAD));
    j->levels = (struct gc_hit_miss){0};
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

#define STRIDE_MIN 16
#define STRIDE_MAX 256
#define SAME 1.1   /* strides within a line: capacities differ by less, the step of the sizes */
#define OTHER 1.15 /* wider strides: capacities grow with the stride unless sets are crowded */
#define SURE 0.9   /* least confidence of the capacity that others are compared with */
#define FEW 0.02   /* most slow loads where nothing misses */

enum result { SAME_CAPACITY, OTHER_CAPACITY, UNCLEAR };

/* Whether all loads hit at every size where the narrow stride surely misses. */
static bool never_misses(const struct judgement *narrow, const struct trace *wide)
{
  bool seen = false;

  for (size_t i = 0; i < wide->n; i++)
    if ((double)wide->rows[i].bytes > SAME * (double)narrow->bytes) {
      seen = true;
      if ((double)trace_slow(&wide->rows[i], narrow->levels.threshold) > FEW * (double)wide->rows[i].loads)
        return false;
    }
  return seen;
}

static enum result compare(const struct judgement *narrow, const struct judgement *wide,
                          const struct trace *trace)
{
  const double base = (double)narrow->bytes;

  if (!wide->bytes)
    return never_misses(narrow, trace) ? OTHER_CAPACITY : UNCLEAR;
  return (double)wide->bytes < SAME * base    ? SAME_CAPACITY
         : (double)wide->bytes > OTHER * base ? OTHER_CAPACITY
                                              : UNCLEAR;
}

/* Compares a stride with the narrowest one, which it records first. why: the reason if it is
 * unclear. */
static int compare_stride(const char *path, uint64_t stride, struct line_judgement *j, enum result *result,
                   char *why, size_t size)
{
  struct judgement judged;
  struct trace trace;
  int status = trace_open_stride(path, stride, &trace, why, size);

  *result = UNCLEAR;
  if (status)
    return 0; /* there is no such walk */
  if ((status = judge(&trace, &judged))) {
    trace_free(&trace);
    return status;
  }
  if (!j->stride) {
    j->stride = stride;
    j->first = trace.rows[0].bytes;
    j->last = trace.rows[trace.n - 1].bytes;
    j->narrow = judged;
    *result = SAME_CAPACITY;
  } else {
    *result = compare(&j->narrow, &judged, &trace);
    snprintf(why, size, "stride %" PRIu64 ": %.120s", stride,
             judged.bytes ? "a capacity in between" : judged.absent);
  }
  trace_free(&trace);
  return 0;
}

/* The line is the widest stride, a power of two, that still touches every line. The next wider
 * stride may use only half of the sets and miss at the same size. So one and a half strides are
 * tried, too. */
int judge_line(const char *path, struct line_judgement *j, char *problem, size_t size)
{
  enum result here, between;

  *j = (struct line_judgement){0};
  for (uint64_t stride = STRIDE_MIN; stride <= STRIDE_MAX; stride *= 2) {
    if (compare_stride(path, stride, j, &here, problem, size))
      return -ENOMEM;
    if (!j->stride)
      continue;
    if (!(j->narrow.confidence >= SURE)) {
      snprintf(j->absent, sizeof(j->absent), "the narrowest stride shows no capacity%s",
               j->narrow.bytes ? " for sure" : "");
      return 0;
    }
    if (stride > j->stride && here == OTHER_CAPACITY) {
      j->line = stride / 2;
      break;
    }
    if (here == UNCLEAR) {
      snprintf(j->absent, sizeof(j->absent), "%.*s", (int)sizeof(j->absent) - 1, problem);
      return 0;
    }
    if (compare_stride(path, stride / 2 * 3, j, &between, problem, size))
      return -ENOMEM;
    if (between == OTHER_CAPACITY) {
      j->line = stride;
      break;
    }
  }
  if (!j->stride)
    snprintf(j->absent, sizeof(j->absent), "no stride of up to %d bytes is recorded", STRIDE_MAX);
  else if (!j->line)
    snprintf(j->absent, sizeof(j->absent), "strides of up to %d bytes make no difference", STRIDE_MAX);
  else if (j->line == j->stride) {
    j->line = 0;
    snprintf(j->absent, sizeof(j->absent), "it is no longer than the narrowest stride");
  }
  return 0;
}
