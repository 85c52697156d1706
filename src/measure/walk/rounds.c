/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Launches the kernel `rounds`. One upload, one launch and one download, because each takes as long
 * as a short walk.
 */
#include "measure/walk/rounds.h"

#include "measure/core/placement.h"
#include "measure/core/step_memory.h"

#include <errno.h>
#include <string.h>

#define POLLS_MAX 65536 /* polls of a word; a few ms */

/* Where everything is, bytes. Jobs, results and words are uploaded; results, words and trace come
 * back. */
struct plan {
  size_t results, words, trace, end;
};

static size_t sums_bytes(const struct gc_rounds *r)
{
  return r->traced ? 0 : r->results * sizeof(struct gpu_chase_result);
}

static struct plan plan_of(const struct gc_rounds *r)
{
  struct plan p;

  p.results = (size_t)r->n * r->rounds * sizeof(*r->jobs);
  p.words = p.results + sums_bytes(r);
  p.trace = p.words + (1 + r->n) * sizeof(uint32_t);
  p.end = p.trace + (size_t)r->results * r->traced * sizeof(uint32_t);
  return p;
}

/* Whether each SM, or each block, did all of its rounds on an SM of its own. */
static bool is_spread(const struct gc_rounds *r, const uint32_t *words)
{
  for (uint32_t i = 0; i < r->n; i++) {
    if (r->by_sm && words[i] != r->rounds)
      return false;
    for (uint32_t k = 0; !r->by_sm && k < i; k++)
      if (words[i] == words[k])
        return false;
  }
  return true;
}

static void take(const struct gc_rounds *r, const struct plan *p, const unsigned char *data,
                 struct gc_rounds_seen *seen)
{
  const uint32_t *words = (const uint32_t *)(const void *)(data + p->words) + 1;

  seen->spread = is_spread(r, words);
  if (seen->sums)
    memcpy(seen->sums, data + p->results, sums_bytes(r));
  if (seen->trace)
    memcpy(seen->trace, data + p->trace, p->end - p->trace);
  if (seen->sm)
    memcpy(seen->sm, words, r->n * sizeof(*words));
}

static int run(struct gc_bench *bench, const struct gc_rounds *r, const struct plan *p,
               unsigned char *data, struct gc_rounds_seen *seen)
{
  const uint64_t at = gc_scratch_large(bench);
  const struct gpu_rounds_args args = {.jobs = at,
                                       .results = sums_bytes(r) ? at + p->results : 0,
                                       .trace = r->traced ? at + p->trace : 0,
                                       .arrived = at + p->words,
                                       .done = at + p->words + sizeof(uint32_t),
                                       .sms = r->by_sm ? r->n : 0,
                                       .rounds = r->rounds,
                                       .polls_max = r->in_step ? POLLS_MAX : 0,
                                       .trace_stride = r->traced,
                                       .low = r->binning.low,
                                       .shift = r->binning.shift,
                                       .threshold = r->binning.threshold};
  const struct gc_fetch fetch = {data + p->results, at + p->results, p->end - p->results};
  int status;

  memcpy(data, r->jobs, p->results);
  memset(data + p->results, 0, p->trace - p->results);
  if ((status = bench->ops->upload(bench->device, at, data, p->trace, bench->err)) ||
      (status = gc_bench_launch_fetch(bench, GC_KERNEL_rounds, r->n, bench->properties.warp, 0,
                                      &args, &fetch)))
    return status;
  take(r, p, data, seen);
  return 0;
}

int gc_rounds_run(struct gc_bench *bench, const struct gc_rounds *rounds,
                  struct gc_rounds_seen *seen)
{
  const struct plan plan = plan_of(rounds);
  unsigned char *data;
  int status;

  if (plan.end > gc_scratch_end(bench) - gc_scratch_large(bench))
    return gc_fail(bench->err, -EINVAL, "%u rounds of %u blocks are too many", rounds->rounds,
                   rounds->n);
  data = gc_step_alloc(bench, 1, plan.end);
  status = data ? run(bench, rounds, &plan, data, seen) : -ENOMEM;
  gc_step_free(bench, data);
  return status;
}

static uint64_t timed_loads(const struct gc_rounds *r)
{
  uint64_t loads = 0;

  for (size_t i = 0; i < (size_t)r->n * r->rounds; i++)
    loads += r->jobs[i].timed;
  return loads;
}

int gc_rounds_sure(struct gc_bench *bench, const struct gc_rounds *rounds,
                   struct gc_rounds_seen *seen)
{
  uint64_t timed = 0;
  int status = 0;

  seen->spread = false;
  for (int attempt = 0; attempt < GC_PLACEMENT_LAUNCHES && !status && !seen->spread; attempt++)
    status = gc_rounds_run(bench, rounds, seen);
  if (status)
    return status;
  if (!seen->spread)
    return gc_fail_blocks_met(bench);
  if (!seen->sums)
    return 0;
  for (uint32_t i = 0; i < rounds->results; i++)
    timed += seen->sums[i].loads;
  return timed == timed_loads(rounds)
             ? 0
             : gc_fail(bench->err, -EIO, "%llu loads were timed instead of %llu",
                       (unsigned long long)timed, (unsigned long long)timed_loads(rounds));
}
