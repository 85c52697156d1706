/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * SM after SM, and in each SM warp after warp, loads the same few lines of a cold cache. A slow
 * first load marks the first warp that touched this cache instance; all others at the same instance
 * hit. So the number of slow first loads is the number of instances, whichever SMs share them. Each
 * warp then loads the lines again, which shows the cost of a hit. doc/methods.md,
 * "First-touch test"; Vanecek et al. (MT4G) 2025, IV-F, extended to caches that SMs share.
 */
#include "measure/walk/first_touch.h"

#include "measure/walk/groups.h"
#include "measure/walk/ring.h"
#include "stats/sequential.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOADS 8
#define STRIDE 512 /* bytes, in global memory: longer than any line or prefetch */
/* An odd multiple of the lines of all constant caches, so that all sets are used. */
#define CONSTANT_STRIDE 320
/* These evict the lines from a constant L1 of up to 4 KiB, and fit the cache behind it. */
#define EVICT_LOADS 64
#define VOTES 12 /* the least number of answers; a GPU with fewer SMs repeats the test */
#define ROUNDS_MIN 3
#define ROUNDS_DECIDED 2 /* if these decide, no more: answers of one round may have a common cause */
#define POLLS_MAX 65536 /* polls of a word; a few ms */
#define ATTEMPTS 3
#define HIT_MAX 1.2  /* a first load that hits takes at most this many times as long as a hit */
#define MISS_MIN 1.4 /* a first load that misses takes at least this many times as long */

static struct gpu_first_touch_args args_of(const struct gc_bench *bench, const struct gc_path *path,
                                           uint32_t warps, uint64_t device)
{
  const uint32_t stride = path->space == GC_ADDRESS_CONSTANT ? CONSTANT_STRIDE : STRIDE;
  const bool behind = path->kind == GC_CONSTANT_L15; /* the constant L1 is nearer than this cache */
  const size_t results = bench->properties.sms * sizeof(struct gpu_first_touch_result);

  return (struct gpu_first_touch_args){
      .walk = {.start = gc_ring_address(bench, path->space, 0),
               .end = GPU_NEVER,
               .path = path->load,
               .loads = LOADS},
      .evict = {.start = gc_ring_address(bench, path->space, (uint64_t)LOADS * stride),
                .end = GPU_NEVER,
                .path = path->load,
                .loads = behind ? EVICT_LOADS : 0},
      .ticket = device,
      .results = device + 8,
      .traces = device + 8 + results,
      .texture = bench->texture,
      .warps = warps,
      .polls_max = POLLS_MAX};
}

static int lay_ring(struct gc_bench *bench, const struct gc_path *path)
{
  const uint32_t stride = path->space == GC_ADDRESS_CONSTANT ? CONSTANT_STRIDE : STRIDE;

  return gc_ring_lay(bench, path->space, (uint64_t)stride * (LOADS + EVICT_LOADS), stride, 1);
}

static double median_of(const uint32_t *cycles)
{
  double values[LOADS];

  for (size_t i = 0; i < LOADS; i++)
    values[i] = cycles[i];
  return gc_median(values, LOADS);
}

/* usual: cycles of a hit in the capacity search; 0: not known. If repeated loads take another time,
 * they do not hit this cache: it is too small for the lines, or a nearer cache still holds them. */
static void judge(struct gc_first_touch *touch, size_t i, uint32_t warps, double usual,
                  const uint32_t *traces)
{
  bool unclear = false;

  for (uint32_t w = 0; w < warps; w++) {
    const uint32_t *first = traces + 2 * LOADS * w;
    const double took = median_of(first), hit = median_of(first + LOADS);

    touch->took[2 * (i * warps + w)] = took;
    touch->took[2 * (i * warps + w) + 1] = hit;
    if (usual > 0 && (hit > MISS_MIN * usual || usual > MISS_MIN * hit)) {
      unclear = true;
      continue;
    }
    touch->firsts[i] += took > MISS_MIN * hit;
    if (took > MISS_MIN * hit && !(touch->miss > 0)) {
      touch->miss = took;
      touch->hit = hit;
    }
    unclear |= !(took > MISS_MIN * hit) && !(took < HIT_MAX * hit);
  }
  touch->unclear += unclear;
}

struct test {
  struct gpu_first_touch_args args;
  struct gpu_first_touch_result *results; /* [n] */
  uint32_t *traces;
  size_t n, trace_bytes;
  bool all; /* all rounds are wanted, also if the first ones decide */
};

/* Repeats a launch until its result counts. After the last attempt touch->failed says what went
 * wrong. The traces are those of the last attempt. */
static int run_round(struct gc_measurement *m, struct test *t, struct gc_first_touch *touch)
{
  struct gc_bench *bench = &m->bench;
  const struct gc_in_order launch = {.kernel = GC_KERNEL_first_touch,
                                     .threads = t->args.warps * bench->properties.warp,
                                     .args = &t->args,
                                     .ticket = t->args.ticket,
                                     .at = t->args.results,
                                     .results = t->results,
                                     .bytes = sizeof(*t->results)};
  const char *why = "";

  for (int attempt = 0; attempt < ATTEMPTS && why; attempt++) {
    const int status = gc_launch_in_order(m, &launch, &why);

    if (status)
      return status;
  }
  snprintf(touch->failed, sizeof(touch->failed), "%s", why ? why : "");
  if (why)
    bench->signs |= GC_SIGN_BLOCKS_MET;
  return bench->ops->download(bench->device, t->traces, t->args.traces, t->trace_bytes, bench->err);
}

/* Whether further rounds can hardly change anything: all SMs of at least two rounds have the same
 * number of caches, and are so many that most SMs have it. */
static bool is_decided(const struct gc_first_touch *touch, size_t n)
{
  size_t same = 0;

  if (touch->rounds < ROUNDS_DECIDED)
    return false;
  for (size_t i = 0; i < n; i++)
    same += touch->firsts[i] && touch->firsts[i] == touch->firsts[0];
  return same == n && !touch->unclear &&
         gc_share_side((double)same, (double)n, 0.5, 0.5, GC_SEQUENTIAL_ERROR) == GC_SIDE_ABOVE;
}

static int run_rounds(struct gc_measurement *m, enum gc_kind kind, struct test *t,
                      struct gc_first_touch *touch)
{
  const double usual = m->results->element[kind].level.hit;
  const size_t rounds = touch->rounds;

  touch->rounds = 0;
  while (touch->rounds < rounds && !*touch->failed &&
         (t->all || !is_decided(touch, touch->rounds * t->n))) {
    const size_t round = touch->rounds++;
    int status = run_round(m, t, touch);

    if (status)
      return status;
    for (size_t i = 0; i < t->n; i++) {
      touch->sm[round * t->n + i] = t->results[i].sm;
      judge(touch, round * t->n + i, t->args.warps, usual,
            t->traces + i * t->args.warps * 2 * LOADS);
    }
  }
  return 0;
}

static int allocate(struct gc_bench *bench, struct gc_first_touch *touch, struct test *t)
{
  const size_t answers = touch->sms * touch->rounds;

  touch->sm = calloc(answers, sizeof(*touch->sm));
  touch->firsts = calloc(answers, sizeof(*touch->firsts));
  touch->took = calloc(answers * touch->warps, 2 * sizeof(*touch->took));
  t->results = calloc(t->n, sizeof(*t->results));
  t->traces = malloc(t->trace_bytes);
  if (!t->results || !t->traces || !touch->sm || !touch->firsts || !touch->took)
    return gc_fail(bench->err, -ENOMEM, "out of memory");
  return 0;
}

int gc_first_touch_run(struct gc_measurement *m, const struct gc_path *path, uint32_t warps,
                       struct gc_first_touch *touch)
{
  struct gc_bench *bench = &m->bench;
  const size_t n = bench->properties.sms, enough = (VOTES + n - 1) / n;
  const size_t usual = enough < ROUNDS_MIN ? ROUNDS_MIN : enough, rounds = touch->rounds;
  struct test t = {
      .n = n, .trace_bytes = n * warps * 2 * LOADS * sizeof(uint32_t), .all = rounds > 0};
  uint64_t device = 0;
  int status;

  *touch = (struct gc_first_touch){
      .sms = n, .rounds = rounds ? rounds : usual, .warps = warps};
  status = allocate(bench, touch, &t);
  if (!status)
    status = bench->ops->alloc(bench->device, 8 + n * sizeof(*t.results) + t.trace_bytes, &device,
                               bench->err);
  if (!status && !(status = lay_ring(bench, path))) {
    t.args = args_of(bench, path, warps, device);
    status = run_rounds(m, path->kind, &t, touch);
  }
  if (device)
    bench->ops->release(bench->device, device);
  free(t.traces);
  free(t.results);
  if (status)
    gc_first_touch_free(touch);
  return status;
}

void gc_first_touch_free(struct gc_first_touch *touch)
{
  free(touch->sm);
  free(touch->firsts);
  free(touch->took);
  *touch = (struct gc_first_touch){0};
}
