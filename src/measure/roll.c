/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The roll call: one warp after the other, SM after SM, loads the same few lines. The first at a
 * cache has to wait for them, all others at the same cache find them there. So the number of those
 * who waited is the number of caches, whoever shares them.
 */
#include "measure/pair.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOADS 8
#define STRIDE 512 /* lines of global memory: further apart than any line or prefetch */
#define CONSTANT_STRIDE                                                                            \
  320 /* an odd multiple of all lines of constant caches: all sets are met                         \
       */
#define EVICT_LOADS                                                                                \
  64             /* pushes those lines out of a constant L1 of up to 4 KiB, and fits behind it */
#define VOTES 12 /* SMs that answer at least: where there are fewer, they do so again */
#define ROUNDS_MIN 3
#define PATIENCE 65536 /* looks at a word; a few ms */
#define ATTEMPTS 3
#define FOUND 1.2  /* took at most so much times what a hit takes */
#define WAITED 1.4 /* took at least so much */

static struct gpu_roll_call_args args_of(const struct gc_bench *bench, const struct gc_path *path,
                                         uint32_t warps, uint64_t device)
{
  const uint32_t stride = path->form == GC_FORM_CONSTANT ? CONSTANT_STRIDE : STRIDE;
  const bool behind = path->kind == GC_CONSTANT_L15; /* another cache is nearer */
  const uint32_t number = path->form == GC_FORM_CONSTANT ? GPU_PATH_constant
                          : path->kind == GC_TEXTURE     ? GPU_PATH_texture
                          : path->kind == GC_READ_ONLY   ? GPU_PATH_nc
                                                         : GPU_PATH_ca;
  const size_t results = bench->properties.sms * sizeof(struct gpu_roll_call_result);

  return (struct gpu_roll_call_args){
      .walk = {.start = gc_bench_address(bench, path->form, 0),
               .end = GPU_NEVER,
               .path = number,
               .loads = LOADS},
      .evict = {.start = gc_bench_address(bench, path->form, (uint64_t)LOADS * stride),
                .end = GPU_NEVER,
                .path = number,
                .loads = behind ? EVICT_LOADS : 0},
      .turn = device,
      .results = device + 8,
      .traces = device + 8 + results,
      .texture = bench->texture,
      .warps = warps,
      .patience = PATIENCE};
}

static int lay_ring(struct gc_bench *bench, const struct gc_path *path)
{
  const bool constant = path->form == GC_FORM_CONSTANT;
  const uint32_t stride = constant ? CONSTANT_STRIDE : STRIDE;

  return gc_bench_ring(bench, path->form, (uint64_t)stride * (LOADS + EVICT_LOADS), stride, 1);
}

static double median_of(const uint32_t *cycles)
{
  double values[LOADS];

  for (size_t i = 0; i < LOADS; i++)
    values[i] = cycles[i];
  return gc_median(values, LOADS);
}

/* usual: what a hit takes where the capacity was searched; 0: not known. Hits that are none of this cache
 * say nothing about it: it is too small for the lines, or those before it are not pushed out. */
static void judge(struct gc_roll *roll, size_t i, uint32_t warps, double usual, const uint32_t *traces)
{
  bool unclear = false;

  for (uint32_t w = 0; w < warps; w++) {
    const uint32_t *first = traces + 2 * LOADS * w;
    const double took = median_of(first), hit = median_of(first + LOADS);

    roll->took[2 * (i * warps + w)] = took;
    roll->took[2 * (i * warps + w) + 1] = hit;
    if (usual > 0 && (hit > WAITED * usual || usual > WAITED * hit)) {
      unclear = true;
      continue;
    }
    roll->firsts[i] += took > WAITED * hit;
    if (took > WAITED * hit && !(roll->miss > 0)) {
      roll->miss = took;
      roll->hit = hit;
    }
    unclear |= !(took > WAITED * hit) && !(took < FOUND * hit);
  }
  roll->unclear += unclear;
}

/* What went wrong, or NULL. */
static const char *problem(const struct gpu_roll_call_result *results, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    if (!results[i].in_turn)
      return "blocks did not get their turn in time";
    for (size_t j = 0; j < i; j++)
      if (results[i].sm == results[j].sm)
        return "blocks of one launch met on one SM";
  }
  return NULL;
}

struct call {
  struct gpu_roll_call_args args;
  struct gpu_roll_call_result *results;
  uint32_t *traces;
  size_t n, trace_bytes;
};

static int call_once(struct gc_bench *bench, struct call *c, struct gc_roll *roll)
{
  int status = 0;

  for (int attempt = 0; attempt < ATTEMPTS && !status; attempt++) {
    const char *why;

    if ((status = bench->ops->clear(bench->device, c->args.turn, 8, bench->err)) ||
        (status = gc_bench_launch(bench, GC_KERNEL_roll_call, (uint32_t)c->n,
                                  c->args.warps * bench->properties.warp, 0, &c->args,
                                  sizeof(c->args))) ||
        (status = bench->ops->download(bench->device, c->results, c->args.results,
                                       c->n * sizeof(*c->results), bench->err)) ||
        (status = bench->ops->download(bench->device, c->traces, c->args.traces, c->trace_bytes,
                                       bench->err)))
      break;
    why = problem(c->results, c->n);
    snprintf(roll->failed, sizeof(roll->failed), "%s", why ? why : "");
    if (!why)
      break;
  }
  return status;
}

static int call_rounds(struct gc_bench *bench, enum gc_kind kind, struct call *c,
                       struct gc_roll *roll)
{
  const double usual = bench->levels[kind].hit;

  int status = 0;

  for (size_t round = 0; round < roll->rounds && !status && !*roll->failed; round++) {
    status = call_once(bench, c, roll);
    for (size_t i = 0; i < c->n && !status; i++) {
      roll->sm[round * c->n + i] = c->results[i].sm;
      judge(roll, round * c->n + i, c->args.warps, usual,
            c->traces + i * c->args.warps * 2 * LOADS);
    }
  }
  return status;
}

int gc_roll_call(struct gc_bench *bench, const struct gc_path *path, uint32_t warps,
                 struct gc_roll *roll)
{
  const size_t n = bench->properties.sms, enough = (VOTES + n - 1) / n;
  const size_t rounds = enough < ROUNDS_MIN ? ROUNDS_MIN : enough;
  struct call c = {.n = n, .trace_bytes = n * warps * 2 * LOADS * sizeof(uint32_t)};
  uint64_t device = 0;
  int status = 0;

  *roll = (struct gc_roll){.sms = n,
                           .rounds = rounds,
                           .sm = calloc(n * rounds, sizeof(*roll->sm)),
                           .firsts = calloc(n * rounds, sizeof(*roll->firsts)),
                           .took = calloc(n * rounds * warps, 2 * sizeof(*roll->took)),
                           .warps = warps};
  c.results = calloc(n, sizeof(*c.results));
  c.traces = malloc(c.trace_bytes);
  if (!c.results || !c.traces || !roll->sm || !roll->firsts || !roll->took)
    status = gc_fail(bench->err, -ENOMEM, "out of memory");
  if (!status)
    status = bench->ops->alloc(bench->device, 8 + n * sizeof(*c.results) + c.trace_bytes, &device,
                               bench->err);
  if (!status && !(status = lay_ring(bench, path))) {
    c.args = args_of(bench, path, warps, device);
    status = call_rounds(bench, path->kind, &c, roll);
  }
  if (device)
    bench->ops->release(bench->device, device);
  free(c.traces);
  free(c.results);
  if (status)
    gc_roll_free(roll);
  return status;
}

void gc_roll_free(struct gc_roll *roll)
{
  free(roll->sm);
  free(roll->firsts);
  free(roll->took);
  *roll = (struct gc_roll){0};
}
