/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Evaluates the probes of a census.
 */
#include "measure/census/probes.h"

#include "measure/core/step_memory.h"

#include <errno.h>
#include <math.h>

#define SURE 0.9 /* least share of sure hits that must be faster than the limit */
#define RAW_PARTS 64

int gc_probes_open(struct gc_probes *probes, struct gc_bench *bench)
{
  probes->seen = gc_step_alloc(bench, probes->n, sizeof(*probes->seen));
  probes->found = gc_step_alloc(bench, probes->rounds, sizeof(*probes->found));
  probes->sure = gc_step_alloc(bench, probes->rounds, sizeof(*probes->sure));
  return probes->seen && probes->found && probes->sure ? 0 : -ENOMEM;
}

static void write_raw(const struct gc_probes *probes, struct gc_raw *raw)
{
  gc_raw_note(raw, "threshold", probes->limit);
  for (size_t part = RAW_PARTS; part-- > 0;) {
    const size_t first = part * probes->n / RAW_PARTS, end = (part + 1) * probes->n / RAW_PARTS;
    double found = 0, all = 0;

    for (size_t i = first; i < end; i++) {
      found += probes->seen[i] == GC_PROBE_FOUND;
      all += probes->seen[i] != 0;
    }
    if (all > 0)
      gc_raw_row(raw, "read since, bytes\tfound, share",
                 (double[]){probes->bytes * (1 - (double)(first + end) / 2 / (double)probes->n),
                            found / all});
  }
}

/* The share that was found among the first `most` probes that count, from `from` on in steps of 1
 * or -1; `otherwise` if there are none. */
static double share_near(const struct gc_probes *probes, size_t from, int step, size_t most,
                         double otherwise)
{
  size_t all = 0, found = 0;

  for (size_t i = from; i < probes->n && all < most; i += (size_t)step) { /* below 0 the index wraps
                                                                             and ends the loop */
    all += probes->seen[i] != 0;
    found += probes->seen[i] == GC_PROBE_FOUND;
  }
  return all ? (double)found / (double)all : otherwise;
}

/* How many slots would have been found where probes do not count: the mean of the shares before and
 * after. The change between these shares may be anywhere, which gives the variance. */
static double found_unseen(const struct gc_probes *probes, double *variance)
{
  double found = 0;

  *variance = 0;
  for (size_t i = 0, end; i < probes->n; i = end) {
    double before, after;

    for (end = i; end < probes->n && !probes->seen[end]; end++)
      ;
    if (end > i) {
      const size_t gap = end - i;

      after = share_near(probes, end, 1, gap, NAN);
      before = share_near(probes, i - 1, -1, gap, after);
      after = isnan(after) ? before : after;
      found += (double)gap * (before + after) / 2;
      *variance += pow((double)gap * (before - after), 2) / 12;
    } else {
      end++;
    }
  }
  return found;
}

void gc_probes_conclude(const struct gc_probes *probes, struct gc_raw *raw,
                        struct gc_census *census)
{
  const double rounds = probes->rounds, n = (double)probes->n, part = probes->bytes / n;
  double seen = 0, found = 0, sure = 0, spread = 0, variance, all;

  write_raw(probes, raw);
  for (size_t i = 0; i < probes->n; i++)
    seen += probes->seen[i] != 0;
  for (uint32_t i = 0; i < probes->rounds; i++) {
    found += probes->found[i];
    sure += probes->sure[i];
  }
  if (sure < SURE * seen || !(sure > 0)) {
    gc_census_fail(census, "a single hit cannot be told from a miss");
    return;
  }
  /* rounds have different numbers of sure probes, so take the deviation of each from the mean
   * share */
  for (uint32_t i = 0; i < probes->rounds; i++)
    spread += pow(probes->found[i] - found / sure * probes->sure[i], 2);
  spread *= rounds / (rounds - 1) * (n / seen) * (n / seen);
  all = found * seen / sure + found_unseen(probes, &variance);
  census->all = found >= sure;
  census->read = probes->bytes;
  census->bytes = part * fmin(all, n);
  census->rounds = probes->rounds;
  /* the last slot found may be anywhere between two probes, which adds a variance of 1/12 */
  census->error = part * sqrt(spread + variance + 1.0 / 12);
}

void gc_sample_conclude(double bytes, double loads, double slow, struct gc_census *census)
{
  const double found = 1 - slow / loads;

  census->all = slow < 1;
  census->read = bytes;
  census->bytes = found * bytes;
  census->error = sqrt(found * (1 - found) / loads) * bytes;
}
