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
  looks->found = calloc(looks->n, sizeof(*looks->found));
  looks->by_round = calloc(looks->rounds, sizeof(*looks->by_round));
  return looks->found && looks->by_round ? 0 : gc_fail(err, -ENOMEM, "out of memory");
}

void gc_looks_close(struct gc_looks *looks)
{
  free(looks->found);
  free(looks->by_round);
}

static void tell_raw(const struct gc_looks *looks, struct gc_raw *raw)
{
  gc_raw_note(raw, "threshold", looks->limit);
  for (size_t part = RAW_PARTS; part-- > 0;) {
    const size_t first = part * looks->n / RAW_PARTS, end = (part + 1) * looks->n / RAW_PARTS;
    double found = 0;

    for (size_t i = first; i < end; i++)
      found += looks->found[i];
    if (end > first)
      gc_raw_row(raw, "read since, bytes\tfound, share",
                 (double[]){looks->bytes * (1 - (double)(first + end) / 2 / (double)looks->n),
                            found / (double)(end - first)});
  }
}

void gc_looks_conclude(const struct gc_looks *looks, struct gc_raw *raw, struct gc_census *census)
{
  const double n = (double)looks->n, rounds = looks->rounds;
  const double part = looks->bytes / n; /* an edge is anywhere within one: its variance is a twelfth of the square */
  double found = 0, spread = 0;

  tell_raw(looks, raw);
  if (looks->sure < SURE * n) {
    snprintf(census->absent, sizeof(census->absent), "a single hit cannot be told from a miss");
    return;
  }
  for (uint32_t i = 0; i < looks->rounds; i++)
    found += looks->by_round[i];
  for (uint32_t i = 0; i < looks->rounds; i++)
    spread += (looks->by_round[i] - found / rounds) * (looks->by_round[i] - found / rounds);
  census->all = found >= looks->sure;
  census->bytes = looks->bytes * fmin(found / looks->sure, 1);
  census->rounds = looks->rounds;
  census->error = sqrt(part * part * (spread * rounds / (rounds - 1) + 1.0 / 12));
}

void gc_sample_conclude(double bytes, double loads, double slow, struct gc_census *census)
{
  const double found = 1 - slow / loads;

  census->all = slow < 1;
  census->bytes = found * bytes;
  census->error = sqrt(found * (1 - found) / loads) * bytes;
}
