/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The evidence of runs, and the change point that follows from it.
 */
#include "stats/stats.h"

#include <math.h>

#define DISTURBED 0.02 /* share of runs that are disturbed and show the contrary */
#define WRONG 0.125    /* largest share of wrong votes */
#define OWN 0.25       /* share of runs with another number of misses than the rest */

/* P(k) for a Poisson distribution; log_factorial: of k. */
static double poisson(double k, double log_factorial, double mean)
{
  return mean > 0 ? exp(k * log(mean) - mean - log_factorial) : k == 0;
}

void gc_evidence_add(struct gc_evidence *evidence, uint32_t slow, uint32_t loads, double rate)
{
  const double by_chance = rate * loads, most = log(loads > 1 ? loads : 2);
  /* the addition keeps the logarithms finite */
  const double fits = poisson(slow, lgamma(slow + 1.0), by_chance) + 1e-300;
  const double log_factorial = slow ? lgamma(slow) : 0; /* of slow - 1: one miss is certain */
  double misses[GC_MISS_COUNTS] = {0}, exceeds = 1e-300, likelihood = 0;

  for (int i = 0; i < GC_MISS_COUNTS && slow; i++) {
    const double more = exp(most * i / (GC_MISS_COUNTS - 1)) - 1;

    misses[i] = poisson(slow - 1.0, log_factorial, by_chance + more);
    exceeds += misses[i] / GC_MISS_COUNTS;
  }
  for (int i = 0; i < GC_MISS_COUNTS; i++) {
    if (!i || slow) /* without a slow load it is the same for all numbers of misses */
      likelihood =
          log(DISTURBED * fits + (1 - DISTURBED) * ((1 - OWN) * misses[i] + OWN * exceeds));
    evidence->misses[i] += likelihood;
  }
  evidence->fits += log((1 - DISTURBED) * fits + DISTURBED * exceeds);
  evidence->noise += log((fits + exceeds) / 2);
}

/* All numbers of misses have the same prior. */
static double exceeds(const struct gc_evidence *evidence)
{
  double top = -INFINITY, sum = 0;

  if (evidence->noise == 0) /* no run: most sizes of a search one by one */
    return 0;
  for (int i = 0; i < GC_MISS_COUNTS; i++)
    top = fmax(top, evidence->misses[i]);
  for (int i = 0; i < GC_MISS_COUNTS; i++)
    sum += exp(evidence->misses[i] - top);
  return evidence->exceeds + top + log(sum / GC_MISS_COUNTS);
}

/* Log of the mean of Binomial(k; n, p) over p in [0, q]: an incomplete beta function, which for
 * whole numbers is a sum of binomial terms. */
static double log_mean_binomial(uint64_t k, uint64_t n, double q)
{
  const double within = 1 - gc_binomial_cdf(k, n + 1, q);

  return log((within > 0 ? within : 0) / (q * (double)(n + 1)) + 1e-300);
}

void gc_evidence_votes(struct gc_evidence *evidence, uint64_t yes, uint64_t n)
{
  evidence->fits += log_mean_binomial(yes, n, WRONG);
  evidence->exceeds += log_mean_binomial(n - yes, n, WRONG);
  evidence->noise -= log((double)n + 1);
}

void gc_changepoint_find(struct gc_evidence *items, size_t n, double *posterior,
                         struct gc_changepoint *found)
{
  double all_exceed = 0, flat = log((double)n + 1), best = -INFINITY, sum, here, top;

  for (size_t i = 0; i < n; i++) {
    items[i].beyond = exceeds(&items[i]);
    all_exceed += items[i].beyond;
    flat += items[i].noise;
  }
  found->index = 0;
  here = all_exceed;
  for (size_t c = 0; c <= n; c++) {
    if (here > best) {
      best = here;
      found->index = c;
    }
    here += c < n ? items[c].fits - items[c].beyond : 0;
  }
  top = best > flat ? best : flat;
  sum = exp(flat - top);
  here = all_exceed;
  for (size_t c = 0; c <= n; c++) {
    sum += exp(here - top);
    here += c < n ? items[c].fits - items[c].beyond : 0;
  }
  found->noise = exp(flat - top) / sum;
  found->probability = exp(best - top) / sum;
  here = all_exceed;
  for (size_t c = 0; c <= n && posterior; c++) {
    posterior[c] = exp(here - top) / sum;
    here += c < n ? items[c].fits - items[c].beyond : 0;
  }
}
