/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/looks.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SURE 0.9 /* of sure hits must be told from misses */
#define RAW_PARTS 64

int gc_looks_open(struct gc_looks *looks, struct gc_error *err)
{
  looks->seen = calloc(looks->n, sizeof(*looks->seen));
  looks->found = calloc(looks->rounds, sizeof(*looks->found));
  looks->sure = calloc(looks->rounds, sizeof(*looks->sure));
  return looks->seen && looks->found && looks->sure ? 0 : gc_fail(err, -ENOMEM, "out of memory");
}

void gc_looks_close(struct gc_looks *looks)
{
  free(looks->seen);
  free(looks->found);
  free(looks->sure);
}

static void tell_raw(const struct gc_looks *looks, struct gc_raw *raw)
{
  gc_raw_note(raw, "threshold", looks->limit);
  for (size_t part = RAW_PARTS; part-- > 0;) {
    const size_t first = part * looks->n / RAW_PARTS, end = (part + 1) * looks->n / RAW_PARTS;
    double found = 0, all = 0;

    for (size_t i = first; i < end; i++) {
      found += looks->seen[i] == GC_LOOK_FOUND;
      all += looks->seen[i] != 0;
    }
    if (all > 0)
      gc_raw_row(raw, "read since, bytes\tfound, share",
                 (double[]){looks->bytes * (1 - (double)(first + end) / 2 / (double)looks->n), found / all});
  }
}

/* The share that was found of up to `most` looks that count, from `from` on in steps of 1 or -1; `otherwise`
 * where there are none. */
static double share_near(const struct gc_looks *looks, size_t from, int step, size_t most, double otherwise)
{
  size_t all = 0, found = 0;

  for (size_t i = from; i < looks->n && all < most; i += (size_t)step) { /* beyond 0 it is no less than n */
    all += looks->seen[i] != 0;
    found += looks->seen[i] == GC_LOOK_FOUND;
  }
  return all ? (double)found / (double)all : otherwise;
}

/* What would have been found where looks do not count: as much as before and after, in the middle; and the
 * variance of that, as the change from one to the other may be anywhere. */
static double found_unseen(const struct gc_looks *looks, double *variance)
{
  double found = 0;

  *variance = 0;
  for (size_t i = 0, end; i < looks->n; i = end) {
    double before, after;

    for (end = i; end < looks->n && !looks->seen[end]; end++)
      ;
    if (end > i) {
      const size_t gap = end - i;

      after = share_near(looks, end, 1, gap, NAN);
      before = share_near(looks, i - 1, -1, gap, after);
      after = isnan(after) ? before : after;
      found += (double)gap * (before + after) / 2;
      *variance += pow((double)gap * (before - after), 2) / 12;
    } else {
      end++;
    }
  }
  return found;
}

void gc_looks_conclude(const struct gc_looks *looks, struct gc_raw *raw, struct gc_census *census)
{
  const double rounds = looks->rounds, n = (double)looks->n, part = looks->bytes / n;
  double seen = 0, found = 0, sure = 0, spread = 0, variance, all;

  tell_raw(looks, raw);
  for (size_t i = 0; i < looks->n; i++)
    seen += looks->seen[i] != 0;
  for (uint32_t i = 0; i < looks->rounds; i++) {
    found += looks->found[i];
    sure += looks->sure[i];
  }
  if (sure < SURE * seen || !(sure > 0)) {
    snprintf(census->absent, sizeof(census->absent), "a single hit cannot be told from a miss");
    return;
  }
  /* a share: what rounds differ by is what they found next to that share of their looks */
  for (uint32_t i = 0; i < looks->rounds; i++)
    spread += pow(looks->found[i] - found / sure * looks->sure[i], 2);
  spread *= rounds / (rounds - 1) * (n / seen) * (n / seen);
  all = found * seen / sure + found_unseen(looks, &variance);
  census->all = found >= sure;
  census->read = looks->bytes;
  census->bytes = part * fmin(all, n);
  census->rounds = looks->rounds;
  /* an edge is anywhere between two looks: its variance is a twelfth of the square */
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
