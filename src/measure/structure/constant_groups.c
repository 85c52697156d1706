/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * SM after SM looks for the constants that earlier SMs have loaded, the latest ones first
 * (kernels/constant_groups.c). Each SM so finds the latest SM before it with the same constant
 * L1.5, and all SMs of an instance form a chain. The launches differ in the order of the SMs, and
 * four must give the same groups; one load that takes unusually long makes a launch differ. There
 * must be as many groups as the first-touch test counts (topology/instances.c). doc/methods.md,
 * "Groups of SMs".
 */
#include "measure/structure/constant_groups.h"

#include "measure/core/placement.h"
#include "measure/walk/groups.h"
#include "measure/walk/ring.h"
#include "measure/walk/vote.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LAUNCHES 4      /* that agree, */
#define LAUNCHES_MOST 6 /* of at most so many */
#define POLLS_MAX 65536 /* polls of a word; a few ms */
#define STRIDE 256      /* bytes: no shorter than a line of any constant cache that is known */
#define CLEAR 1.3       /* a miss takes at least so many times as long as a hit */

struct test {
  struct gc_measurement *m;
  struct gc_found_groups *found;
  struct gpu_constant_groups_args args;
  struct gpu_constant_groups_result *results;
  uint32_t sms;
  uint64_t checks, missed; /* of all launches */
  struct gc_groups groups[LAUNCHES_MOST];
};

/* Fills args, or says why the test is not possible. */
static const char *plan(struct test *t)
{
  struct gc_bench *bench = &t->m->bench;
  const struct gc_measured *cache = &t->m->results->element[GC_CONSTANT_L15];
  const double hit = cache->level.hit, miss = cache->level.miss;
  const uint64_t line = cache->line_bytes > STRIDE ? cache->line_bytes : STRIDE;

  if (!bench->properties.has_constant)
    return "this GPU has no constant cache";
  if (!gc_capacity(cache) || !(hit > 0) || !(miss > 0))
    return "the constant L1.5 was not found";
  if (miss < CLEAR * hit)
    return "misses of the constant L1.5 take hardly longer than hits";
  if (line * t->sms > GPU_CONSTANT_BYTES || line * t->sms > gc_capacity(cache))
    return "the constant L1.5 is too small for a line of each SM";
  t->args = (struct gpu_constant_groups_args){
      .base = gc_ring_address(bench, GC_ADDRESS_CONSTANT, 0),
      .results = gc_scratch_trace(bench),
      .ticket = bench->scratch,
      .stride = (uint32_t)line,
      .threshold = (uint32_t)((hit + miss) / 2),
      .polls_max = POLLS_MAX,
  };
  return NULL;
}

/* The groups of a launch. An SM shares a constant L1.5 with the one before it in its chain. Tickets
 * ascend along chains. Returns what is wrong, or NULL. */
static const char *read_groups(struct test *t, struct gc_groups *groups)
{
  uint32_t sm_of[GC_SMS_MAX]; /* by ticket */
  const uint32_t step = t->args.step;

  gc_groups_start(groups, t->sms);
  for (uint32_t ticket = 0; ticket < t->sms; ticket++) {
    /* step is 1 or -1 modulo sms, and so its own inverse */
    const uint32_t block = (ticket + t->sms - t->args.first) % t->sms * step % t->sms;
    const struct gpu_constant_groups_result *r = &t->results[block];

    sm_of[ticket] = gc_sm_index(t->m->results, r->sm);
    if (sm_of[ticket] == UINT32_MAX)
      return "a block ran on an SM that did not exist before";
    if (r->ticket != ticket || (r->previous != UINT32_MAX && r->previous >= ticket))
      return "blocks reported impossible tickets";
    if (r->previous != UINT32_MAX)
      gc_groups_join(groups, t->sms, sm_of[r->previous], sm_of[ticket]);
    t->checks += r->checks;
    t->missed += r->missed;
  }
  gc_groups_number(groups, t->sms);
  return NULL;
}

static const char *check(const struct test *t)
{
  const struct gc_measured *cache = &t->m->results->element[GC_CONSTANT_L15];

  if (t->missed * 20 > t->checks)
    return "constants that SMs have loaded do not stay in the constant L1.5";
  if (gc_found(cache, GC_INSTANCES) && cache->instances != t->found->groups.count)
    return "the first-touch test counts another number of constant L1.5";
  return NULL;
}

/* Several orders: other SMs come first in each. */
static int run(struct test *t)
{
  struct gc_found_groups *found = t->found;
  const struct gc_in_order launch = {.kernel = GC_KERNEL_constant_groups,
                                     .threads = t->m->bench.properties.warp,
                                     .args = &t->args,
                                     .ticket = t->args.ticket,
                                     .at = t->args.results,
                                     .results = t->results,
                                     .bytes = sizeof(*t->results)};
  uint32_t agree = 0, i;

  for (i = 0; i < LAUNCHES_MOST && agree < LAUNCHES && !found->absent; i++) {
    int status;

    t->args.step = i % 2 ? t->sms - 1 : 1;
    t->args.first = i * t->sms / LAUNCHES % t->sms;
    if (t->sms == 1)
      t->args.step = 1;
    if ((status = gc_launch_in_order(t->m, &launch, &found->absent)))
      return status;
    if (!found->absent)
      found->absent = read_groups(t, &t->groups[i]);
    found->groups = *gc_groups_most_common(t->groups, i + 1, t->sms, &agree);
  }
  if (!found->absent && agree < LAUNCHES)
    found->absent = "in another order, SMs find other constants";
  if (!found->absent)
    found->absent = check(t);
  found->confidence = gc_vote_confidence((uint64_t)agree * t->sms, (uint64_t)i * t->sms);
  return 0;
}

int gc_constant_groups_find(struct gc_measurement *m, struct gc_found_groups *found)
{
  struct test t = {.m = m, .found = found, .sms = m->results->sm_count};
  int status = 0;

  memset(found, 0, sizeof(*found));
  if ((found->absent = plan(&t)))
    return 0;
  if (!(t.results = calloc(t.sms, sizeof(*t.results))))
    return gc_fail(m->bench.err, -ENOMEM, "out of memory");
  /* constants with known values: a load must not return all ones */
  status = gc_ring_lay(&m->bench, GC_ADDRESS_CONSTANT, GPU_CONSTANT_BYTES, t.args.stride, 1);
  if (!status)
    status = run(&t);
  free(t.results);
  return status;
}
