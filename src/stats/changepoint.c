/* SPDX-License-Identifier: BSD-3-Clause */
#include "stats/stats.h"

#include <math.h>

struct beta {
  double dirty, clean;
};

/* Priors on the rate of dirty runs: at sizes that fit, at sizes that do not, and under pure noise. */
static const struct beta fits = {0.5, 20}, exceeds = {4, 0.5}, noise = {1, 1};

static double log_beta(double a, double b)
{
  return lgamma(a) + lgamma(b) - lgamma(a + b);
}

/* Log marginal likelihood of a stretch of runs whose common rate has this prior. */
static double evidence(const struct beta *prior, double dirty, double clean)
{
  return log_beta(prior->dirty + dirty, prior->clean + clean) - log_beta(prior->dirty, prior->clean);
}

void gc_changepoint_find(const uint32_t *trials, const uint32_t *dirty, size_t n, double *posterior,
                         struct gc_changepoint *found)
{
  double all_dirty = 0, all_clean = 0, flat, best = -INFINITY, sum = 0;

  for (size_t i = 0; i < n; i++) {
    all_dirty += dirty[i];
    all_clean += trials[i] - dirty[i];
  }
  /* the noise hypothesis weighs as much as all positions together */
  flat = evidence(&noise, all_dirty, all_clean) + log((double)n + 1);

  found->index = 0;
  for (int pass = 0; pass < 2; pass++) {
    double left_dirty = 0, left_clean = 0;

    for (size_t c = 0; c <= n; c++) {
      const double l = evidence(&fits, left_dirty, left_clean) +
                       evidence(&exceeds, all_dirty - left_dirty, all_clean - left_clean);

      if (pass == 0) {
        if (l > best) {
          best = l;
          found->index = c;
        }
      } else {
        const double top = best > flat ? best : flat;

        sum += exp(l - top);
        if (posterior)
          posterior[c] = exp(l - top);
      }
      if (c < n) {
        left_dirty += dirty[c];
        left_clean += trials[c] - dirty[c];
      }
    }
  }
  {
    const double top = best > flat ? best : flat, noise_weight = exp(flat - top);

    sum += noise_weight;
    found->noise = noise_weight / sum;
    found->probability = exp(best - top) / sum;
    if (posterior)
      for (size_t c = 0; c <= n; c++)
        posterior[c] /= sum;
  }
}
