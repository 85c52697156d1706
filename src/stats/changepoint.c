/* SPDX-License-Identifier: BSD-3-Clause */
#include "stats/stats.h"

#include <math.h>

#define DISTURBED 0.02 /* share of runs that show the contrary of what they should */
#define WRONG 0.125    /* share of votes that may say the contrary, at most */
#define MISS_COUNTS 24 /* points at which the unknown number of misses is tried */

static double poisson(uint32_t k, double mean)
{
  return mean > 0 ? exp(k * log(mean) - mean - lgamma(k + 1.0)) : k == 0;
}

void gc_evidence_add(struct gc_evidence *evidence, uint32_t slow, uint32_t loads, double rate)
{
  const double by_chance = rate * loads, most = log(loads > 1 ? loads : 2);
  double fits = poisson(slow, by_chance), exceeds = 0;

  for (int i = 0; i < MISS_COUNTS; i++)
    exceeds += poisson(slow, by_chance + exp(most * i / (MISS_COUNTS - 1)));
  /* no count is impossible, only very unlikely: keeps the logarithms finite */
  fits += 1e-300;
  exceeds = exceeds / MISS_COUNTS + 1e-300;
  evidence->fits += log((1 - DISTURBED) * fits + DISTURBED * exceeds);
  evidence->exceeds += log(DISTURBED * fits + (1 - DISTURBED) * exceeds);
  evidence->noise += log((fits + exceeds) / 2);
}

/* Log of the mean of Binomial(k; n, p) over p in [0, q]: an incomplete beta function, which for whole
 * numbers is a sum of binomial terms. */
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

void gc_changepoint_find(const struct gc_evidence *items, size_t n, double *posterior,
                         struct gc_changepoint *found)
{
  double all_exceed = 0, flat = log((double)n + 1), best = -INFINITY, sum, here, top;

  for (size_t i = 0; i < n; i++) {
    all_exceed += items[i].exceeds;
    flat += items[i].noise;
  }
  found->index = 0;
  here = all_exceed;
  for (size_t c = 0; c <= n; c++) {
    if (here > best) {
      best = here;
      found->index = c;
    }
    here += c < n ? items[c].fits - items[c].exceeds : 0;
  }
  top = best > flat ? best : flat;
  sum = exp(flat - top);
  here = all_exceed;
  for (size_t c = 0; c <= n; c++) {
    sum += exp(here - top);
    here += c < n ? items[c].fits - items[c].exceeds : 0;
  }
  found->noise = exp(flat - top) / sum;
  found->probability = exp(best - top) / sum;
  here = all_exceed;
  for (size_t c = 0; c <= n && posterior; c++) {
    posterior[c] = exp(here - top) / sum;
    here += c < n ? items[c].fits - items[c].exceeds : 0;
  }
}
