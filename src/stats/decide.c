/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Decides on a capacity.
 */
#include "stats/decide.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CHANGE_P 1e-6 /* largest p-value of a change, after Holm */
#define CHANGE_D 0.05 /* share of loads that a change must move */
#define ENOUGH 0.5    /* least posterior of a capacity */
#define NEAR 0.005    /* capacities that differ by less count as equal */
#define TAIL 5e-5     /* posterior at either end that set_range neglects */

int gc_sizes_new(struct gc_sizes *sizes, size_t n)
{
  *sizes = (struct gc_sizes){
    .n = n,
    .bytes = calloc(n ? n : 1, sizeof(*sizes->bytes)),
    .histogram = calloc(n ? n : 1, sizeof(*sizes->histogram)),
    .evidence = calloc(n ? n : 1, sizeof(*sizes->evidence)),
    .scratch = calloc(2 * n + 2, sizeof(*sizes->scratch)),
  };
  if (sizes->bytes && sizes->histogram && sizes->evidence && sizes->scratch)
    return 0;
  gc_sizes_free(sizes);
  return -ENOMEM;
}

void gc_sizes_free(struct gc_sizes *sizes)
{
  free(sizes->bytes);
  free(sizes->histogram);
  free(sizes->evidence);
  free(sizes->scratch);
  *sizes = (struct gc_sizes){0};
}

void gc_histogram_add(uint64_t *sum, const uint32_t *seen)
{
  for (size_t b = 0; b < GC_LATENCY_BINS; b++)
    sum[b] += seen[b];
}

/* With thousands of loads a plain K-S test would detect the few cycles by which latencies of the
 * same level differ between SMs (constant L1.5 of an H200: 112 to 131). */
double gc_slower_share(const uint64_t *hits, const uint64_t *seen, double spread, double *p)
{
  uint64_t slower[GC_LATENCY_BINS] = {0}, n, m;
  double d;

  for (size_t b = 0; b < GC_LATENCY_BINS; b++) {
    const size_t to = b + (size_t)((double)b * spread) + 1;

    slower[to < GC_LATENCY_BINS ? to : GC_LATENCY_BINS - 1] += hits[b];
  }
  d = gc_ks_slower(slower, seen, GC_LATENCY_BINS, &n, &m);
  *p = gc_ks_pvalue(d, n, m);
  return d;
}

size_t gc_first_change(const struct gc_sizes *sizes, double spread)
{
  uint64_t smaller[GC_LATENCY_BINS] = {0};
  double *p = sizes->scratch, *d = p + sizes->n;

  for (size_t i = 0; i < sizes->n; i++) {
    d[i] = i ? gc_slower_share(smaller, sizes->histogram[i], spread, &p[i]) : 0;
    for (size_t b = 0; b < GC_LATENCY_BINS; b++)
      smaller[b] += sizes->histogram[i][b];
  }
  if (sizes->n)
    p[0] = 1;
  gc_holm(p, sizes->n);
  for (size_t i = 1; i < sizes->n; i++)
    if (p[i] < CHANGE_P && d[i] > CHANGE_D)
      return i;
  return sizes->n;
}

size_t gc_without_misses(const struct gc_sizes *sizes, double spread)
{
  uint64_t hits[GC_LATENCY_BINS] = {0}, loads = 0, slow = 0;
  double slowest, rate;

  for (size_t i = 0; i < sizes->n; i++)
    for (size_t b = 0; b < GC_LATENCY_BINS; b++)
      hits[b] += sizes->histogram[i][b];
  slowest = gc_histogram_quantile(hits, GC_LATENCY_BINS, 0, 1, 0.5) * (1 + spread) + 1;
  for (size_t i = 0; i < sizes->n; i++) {
    uint64_t here = 0, slow_here = 0;

    for (size_t b = 0; b < GC_LATENCY_BINS; b++) {
      here += sizes->histogram[i][b];
      slow_here += (double)b > slowest ? sizes->histogram[i][b] : 0;
    }
    rate = ((double)slow + 1) / ((double)loads + 1);
    if (i && slow_here && 1 - gc_binomial_cdf(slow_here - 1, here, rate) < CHANGE_P)
      return i;
    loads += here;
    slow += slow_here;
  }
  return sizes->n;
}

size_t gc_lasting_change(const struct gc_sizes *sizes, const uint64_t *hits, double spread)
{
  size_t first = sizes->n;
  double *p = sizes->scratch, *d = p + sizes->n;

  for (size_t i = 0; i < sizes->n; i++)
    d[i] = gc_slower_share(hits, sizes->histogram[i], spread, &p[i]);
  gc_holm(p, sizes->n);
  while (first > 0 && p[first - 1] < CHANGE_P && d[first - 1] > CHANGE_D)
    first--;
  return first;
}

bool gc_hit_miss_find(const uint64_t *hits, const uint64_t *beyond, double width,
                    struct gc_hit_miss *levels)
{
  uint64_t missed[GC_LATENCY_BINS], loads = 0, slow = 0;
  const double slowest = gc_histogram_quantile(hits, GC_LATENCY_BINS, 0, width, 0.99) + width;

  for (size_t b = 0; b < GC_LATENCY_BINS; b++) {
    missed[b] = (double)b * width <= slowest ? 0 : beyond[b];
    slow += missed[b];
    loads += beyond[b];
  }
  levels->hit = gc_histogram_quantile(hits, GC_LATENCY_BINS, 0, width, 0.5);
  levels->miss = gc_histogram_quantile(missed, GC_LATENCY_BINS, 0, width, 0.5);
  levels->threshold = (slowest + levels->miss) / 2;
  return (double)slow > CHANGE_D * (double)loads;
}

bool gc_is_one_level(const uint64_t *hits, double spread)
{
  const double usual = gc_histogram_quantile(hits, GC_LATENCY_BINS, 0, 1, 0.5);
  const double slowest = gc_histogram_quantile(hits, GC_LATENCY_BINS, 0, 1, 0.95);

  return slowest <= (1 + spread) * usual + 1 && slowest < GC_LATENCY_BINS - 1;
}

const char *gc_explain_overlap(const uint64_t *hits, const uint64_t *smallest,
                               const uint64_t *largest, double spread)
{
  double p;

  if (gc_slower_share(smallest, largest, 0, &p) <= CHANGE_D &&
      gc_slower_share(largest, smallest, 0, &p) <= CHANGE_D)
    return "the smallest and the largest array take equally long: hits and misses are alike, or all "
           "are hits";
  return gc_is_one_level(hits, spread)
             ? "more than one in a hundred loads of small arrays is as slow as misses"
             : "loads of small arrays vary as much as if some of them missed";
}

/* posterior[c]: bytes[c - 1] is the last size that fits. */
static double mass_near(const struct gc_sizes *sizes, const double *posterior, uint64_t bytes)
{
  double mass = 0;

  for (size_t c = 1; c <= sizes->n; c++)
    if ((double)sizes->bytes[c - 1] >= (double)bytes * (1 - NEAR) &&
        (double)sizes->bytes[c - 1] <= (double)bytes * (1 + NEAR))
      mass += posterior[c];
  return fmin(1, mass); /* rounding may make the sum larger */
}

/* The range without the improbable ends. */
static void set_range(const double *posterior, size_t n, struct gc_verdict *verdict)
{
  double sum = 0, below = 0, above = 0;

  for (size_t c = 0; c <= n; c++)
    sum += posterior[c];
  verdict->most = n;
  while (verdict->least < n && below + posterior[verdict->least] <= TAIL * sum)
    below += posterior[verdict->least++];
  while (verdict->most > verdict->least && above + posterior[verdict->most] <= TAIL * sum)
    above += posterior[verdict->most--];
  verdict->kept = sum > 0 ? 1 - (below + above) / sum : 0;
}

void gc_decide(const struct gc_sizes *sizes, uint64_t changed, struct gc_verdict *verdict)
{
  double *posterior = sizes->scratch;
  struct gc_changepoint change;
  uint64_t bytes;

  memset(verdict, 0, sizeof(*verdict));
  gc_changepoint_find(sizes->evidence, sizes->n, posterior, &change);
  set_range(posterior, sizes->n, verdict);
  if (change.noise > ENOUGH) {
    verdict->absent = "slow loads come and go at all sizes";
  } else if (change.index == 0) {
    verdict->absent = "loads are slow already at the smallest size searched";
  } else if (change.index == sizes->n) {
    verdict->absent = "no misses where the K-S test saw a change";
  } else {
    bytes = sizes->bytes[change.index - 1];
    verdict->beyond = change.index;
    verdict->confidence = mass_near(sizes, posterior, bytes);
    if (verdict->confidence < ENOUGH)
      verdict->absent = "repetitions disagree on where misses begin";
    else if (changed <= bytes)
      verdict->absent = "the K-S test sees a change before the first miss";
  }
}
