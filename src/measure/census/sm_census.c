/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The census of a cache inside the SM (verdict.h): all SMs read the same region, each into its own
 * cache, and probe some slots of it. doc/methods.md, "Census".
 *
 * Each pass begins at another place, so that no replacement policy settles in a state where it
 * never replaces some lines. Until the end nothing but the region goes through the cache. Probes
 * are spread evenly over all SMs and over the order of reading. Therefore:
 * - The error has two parts. Sampling causes one, which is visible in the differences between
 *   rounds. The other is that the last line found may be anywhere between two probes. The error is
 *   almost zero for LRU. It is small if all SMs are in the same state and so count the whole region
 *   together (an H200). For random replacement it is at most sqrt(p (1 - p) / n) of the region.
 * - A probe that misses evicts one line. This line is probed later in the same round with the
 *   probability of any other line. With k probes of R bytes in lines of b bytes at most k b / 2 R
 *   of what is found is lost. k is so small that this is below 0.4 % for b = 256, and half of that
 *   for b = 128.
 * - The second load of a probe always hits. So it shows how many loads are slow by chance, and the
 *   result is corrected for them.
 */
#include "kernels/census_order.h"
#include "measure/census/census.h"
#include "measure/census/probes.h"
#include "measure/core/step_memory.h"
#include "measure/walk/ring.h"

#include <errno.h>
#include <math.h>

#define PROBES 40960 /* in all, but in no more launches than: */
#define LAUNCHES 8
#define ROUNDS_MIN 4        /* least number of rounds for an error */
/* If the path is one storage with L1, which has had its census, this one only confirms it. It ends
 * when chance may cause no more than this share of the capacity: what the census of an H200's L1
 * reaches, so that the same errors are noticed. */
#define CHANCE_WITH_L1 0.008
#define LAUNCHES_MIN 2 /* the error of one launch of few rounds may be small by chance */
#define SMS_MIN 16 /* with fewer, the probes of some launches are not spread over all that was read */
#define PART_WITH_L1 2 /* then one in so many SMs takes part */
#define UNIFORM_LOADS 16384 /* loads of each SM if all lanes load the same address */
#define QUIET_BYTES 32768   /* one probe per so many bytes does not disturb the others */
/* An eighth of miss - hit is added, because the two kernels read the clock differently. */
#define MARGIN 8
/* Bytes: no cache inside an SM has longer lines. A pass that begins within a line has one line more
 * than the others. In caches of LINES lines and more, that is less than 1 %, and passes begin at
 * more different places. */
#define LINE_MAX 512u
#define LINE_LARGE 256u /* in such caches */
#define LINES 100

struct count {
  struct gc_measurement *m;
  const struct gc_path *path;
  enum gc_kernel kernel;
  struct gpu_census_args args;
  uint32_t sms, stride, launches;
  double chance; /* enough is known if chance causes no more than this share of the capacity; 0: it
                    takes all probes */
  struct gc_probes probes;
};

static enum gc_kernel kernel_of(const struct gc_path *path)
{
  switch (path->chase) {
  case GC_KERNEL_chase_nc:
    return GC_KERNEL_census_nc;
  case GC_KERNEL_chase_texture:
    return GC_KERNEL_census_texture;
  case GC_KERNEL_chase_constant:
    return GC_KERNEL_census_constant;
  case GC_KERNEL_chase_scalar:
    return GC_KERNEL_census_scalar;
  default:
    return GC_KERNEL_census_ca;
  }
}

static uint64_t within(uint64_t value, uint64_t least, uint64_t most)
{
  return value < least ? least : value < most ? value : most;
}

/* How many probes, and in how many launches. Reading takes long if all lanes load the same address.
 * But if one SM does all the work, it needs many probes. */
static void plan_probes(struct count *c, uint64_t bytes)
{
  const bool uniform =
      c->kernel == GC_KERNEL_census_constant || c->kernel == GC_KERNEL_census_scalar;
  const uint64_t most =
      uniform && !gc_walks_alone(&c->m->bench, c->path) ? UNIFORM_LOADS / c->args.slots
                                                        : UINT64_MAX; /* rounds */
  struct gpu_census_args *a = &c->args;

  a->probes = (uint32_t)within(bytes / QUIET_BYTES, 1, GPU_CENSUS_PROBES / ROUNDS_MIN);
  a->rounds = (uint32_t)within(most, ROUNDS_MIN, GPU_CENSUS_PROBES / a->probes);
  c->launches = (uint32_t)within(PROBES / ((uint64_t)a->probes * a->rounds * c->sms), 1,
                                 within(most / a->rounds, 1, LAUNCHES));
  a->all = c->launches * a->rounds;
  c->probes.n = (size_t)a->probes * a->all * c->sms;
  c->probes.rounds = a->all;
  a->passes = (uint32_t)((uniform ? UNIFORM_LOADS / 8 : c->path->warm_loads) / a->slots + 2);
  a->scale = ((uint64_t)a->slots << 24) / c->probes.n;
}

/* A slot is found if its load takes no more raw cycles than this: a little more than hits take, so
 * that no miss counts. (Second loads show how many hits take longer, but not if another cache is
 * nearer.) */
static uint32_t find_limit(const struct count *c)
{
  const struct gc_level *level = &c->m->results->element[c->path->kind].level;
  const double middle = (level->hit + level->miss) / 2;

  if (c->path->before)
    return (uint32_t)middle;
  return (uint32_t)fmin(middle, level->usual + (level->miss - level->hit) / MARGIN);
}

/* Returns false if there is not enough to read. */
static bool plan(struct count *c, uint64_t capacity)
{
  const struct gc_bench *bench = &c->m->bench;
  const uint64_t longest = capacity < LINES * LINE_MAX ? LINE_MAX : LINE_LARGE;
  const uint64_t line = c->stride > longest ? c->stride : longest;
  const uint64_t wanted = ((uint64_t)(GC_CENSUS_SPAN * (double)capacity) / line + 1) * line;
  const uint64_t limit = gc_ring_limit(bench, c->path->space);
  const uint64_t bytes = wanted < limit ? wanted : limit / line * line;
  struct gpu_census_args *a = &c->args;

  a->slots = (uint32_t)(bytes / c->stride);
  a->grain = (uint32_t)(line / c->stride);
  a->grains = (uint32_t)(bytes / line);
  a->texture = bench->texture;
  a->first = gc_ring_address(bench, c->path->space, 0);
  a->step = gc_ring_address(bench, c->path->space, c->stride) - a->first;
  a->results = gc_scratch_large(bench);
  a->limit = c->probes.limit = find_limit(c);
  c->probes.bytes = (double)a->slots * c->stride;
  plan_probes(c, bytes);
  return (double)bytes >= GC_CENSUS_SPAN_MIN * (double)capacity;
}

/* L1 and the caches in the same storage have the bytes that the carve-out leaves. So use no
 * carve-out, as in the capacity search. */
static int set_carveout(const struct count *c)
{
  struct gc_bench *bench = &c->m->bench;
  int status = 0;

  if (c->path->space != GC_ADDRESS_CONSTANT)
    status = bench->ops->carveout(bench->device, c->kernel, 0, bench->err);
  return status == -ENOTSUP ? 0 : status;
}

/* Adds the results of the blocks of a launch. */
static void add(struct count *c, const struct gpu_census_result *results)
{
  const struct gpu_census_args *a = &c->args;
  const uint32_t probes = a->probes * a->rounds;

  for (uint32_t i = 0; i < c->sms; i++)
    for (uint32_t probe = 0; probe < probes; probe++) {
      const uint32_t round = a->from + probe / a->probes, bit = 2 * (probes - 1 - probe);
      const uint64_t seen = bit < 64 ? results[i].low >> bit : results[i].high >> (bit - 64);

      gc_probes_add(&c->probes, gpu_census_part(i, c->sms, probe % a->probes, round, a->all), round,
                    seen & 2, seen & 1);
    }
}

/* Counts what the launches so far have found. Their probes are spread evenly, so each counts for as
 * many parts as there are without one. Whether it is exact enough: chance may cause no more than a
 * share of the capacity. */
static bool conclude(const struct count *c, struct gc_raw *raw, char *seen, double capacity,
                     struct gc_census *census)
{
  const double apart = (double)(c->args.all - c->probes.rounds) / c->args.all;
  struct gc_probes some = c->probes;

  some.seen = seen;
  some.n = 0;
  for (size_t i = 0; i < c->probes.n; i++)
    if (c->probes.seen[i])
      seen[some.n++] = c->probes.seen[i];
  *census = (struct gc_census){.error = 0};
  gc_probes_conclude(&some, raw, census);
  /* the last slot found may be anywhere between the probes of a launch */
  census->error = hypot(census->error, c->probes.bytes / (double)some.n * c->probes.rounds * apart /
                                           sqrt(12));
  return c->sms >= SMS_MIN && c->probes.rounds >= LAUNCHES_MIN * c->args.rounds &&
         !*census->absent && gc_census_chance(census) <= c->chance * capacity;
}

static int probe(struct count *c, double capacity, struct gc_census *census)
{
  struct gc_bench *bench = &c->m->bench;
  struct gpu_census_result *results = gc_step_alloc(bench, c->sms, sizeof(*results));
  char *seen = gc_step_alloc(bench, c->probes.n, 1);
  int status = results && seen ? set_carveout(c) : -ENOMEM;
  bool enough = false;

  c->probes.rounds = 0;
  for (c->args.from = 0; c->args.from < c->args.all && !status && !enough;
       c->args.from += c->args.rounds)
    if (!(status =
              gc_bench_launch(bench, c->kernel, c->sms, bench->properties.warp, 0, &c->args)) &&
        !(status = bench->ops->download(bench->device, results, c->args.results,
                                        c->sms * sizeof(*results), bench->err))) {
      add(c, results);
      c->probes.rounds += c->args.rounds;
      enough = conclude(c, NULL, seen, capacity, census);
    }
  if (!status && bench->raw)
    conclude(c, bench->raw, seen, capacity, census);
  return status;
}

int gc_step_census(struct gc_measurement *m, struct gc_measured *element)
{
  const struct gc_path *path = gc_path_of(element->kind);
  struct count c = {.m = m,
                    .path = path,
                    .kernel = kernel_of(path),
                    .sms = gc_walks_alone(&m->bench, path) ? 1 : m->bench.properties.sms,
                    .stride = element->level.stride};
  const uint64_t capacity = gc_capacity(element);
  struct gc_census census = {.error = 0};
  int status;

  if (m->results->with_l1[element->kind] > 0 && gc_found(&m->results->element[GC_L1], GC_CENSUS)) {
    c.sms = (c.sms + PART_WITH_L1 - 1) / PART_WITH_L1;
    c.chance = CHANCE_WITH_L1;
  }
  if (!capacity)
    return 0; /* the source of the capacity gives the reason */
  if (!c.stride || !plan(&c, capacity)) {
    gc_census_fail(&census, c.stride ? "there is not enough to read for it"
                                     : "the latency of a hit is not known");
    return gc_settle_census(m, element, &census);
  }
  if (!(status = gc_probes_open(&c.probes, &m->bench)) &&
      !(status =
            gc_ring_lay(&m->bench, path->space, (uint64_t)c.args.slots * c.stride, c.stride, 1)) &&
      !(status = probe(&c, (double)capacity, &census))) {
    status = gc_settle_census(m, element, &census);
  }
  return status;
}
