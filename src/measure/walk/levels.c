/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Loads that hit and loads that miss are each timed alone and through the same path, so that the
 * timing overhead is the same in both. doc/methods.md, "Miss penalty", lists these loads for each
 * element.
 */
#include "measure/core/memo.h"
#include "measure/core/step_memory.h"
#include "measure/walk/chase.h"
#include "measure/walk/evict.h"
#include "measure/walk/first_touch.h"
#include "measure/walk/l2_survives.h"
#include "measure/walk/levels.h"
#include "measure/walk/pairs.h"
#include "measure/walk/ring.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define NEIGHBOURS 16 /* bytes: every miss brings in two slots this near to each other */
#define PAIRS 64
#define SPLIT_PAIRS 128   /* if only one SM loads each pair */
#define CONSTANT_ROUNDS 2 /* two rounds per repetition, because there are few pairs */
/* Bytes: at least twice any constant L1, so that every load misses it. */
#define CONSTANT_RING 8192
#define CONSTANT_STRIDE_MAX 512 /* bytes: no constant L1 fetches more at a time */
#define RING_SMS 32
#define RING_LOADS 96
#define SCALAR_RING 131072
#define SCALAR_STRIDE 128
#define SCALAR_SLOTS (SCALAR_RING / SCALAR_STRIDE)
/* From a slot to the next: about a quarter of the loads of a round lie between those of any two
 * slots within 512 bytes, so they evict a line that two slots share. */
#define SCALAR_STEP (SCALAR_SLOTS / 4 + 1)
#define MEMORY_SLOTS 16381 /* prime: every multiplier scatters */
#define MEMORY_LINE 128
#define MEMORY_SMS 16
#define MEMORY_LOADS 96
/* The part of L2 that a repetition walks twice is its size divided by this, so it stays there. */
#define MEMORY_FIT 16
#define LINE_MAX 256
_Static_assert((GC_LEVEL_REPEATS + 1) * MEMORY_SMS * MEMORY_LOADS <= MEMORY_SLOTS,
               "every slot is visited once");
#define CYCLES_MAX 4096
/* Misses must take at least this many times as long as hits, or they cannot be distinguished. */
#define CLEAR 1.25

static const char alike[] = "loads that should miss take hardly longer than loads that should hit";
const char gc_constant_fetch_why[] =
    "what the constant L1 fetches at a time is not known, so loads may hit it";
const char gc_constant_l1_hides[] =
    "the constant L1 is too large to see what lies behind it, or not known";

/* A histogram of thousands of latencies. */
struct counts {
  uint64_t cycles[CYCLES_MAX];
};

/* Adds every step-th of n latencies. */
static void count(struct counts *counts, const uint32_t *trace, size_t n, size_t first, size_t step)
{
  for (size_t i = first; i < n; i += step)
    counts->cycles[trace[i] < CYCLES_MAX ? trace[i] : CYCLES_MAX - 1]++;
}

/* On an H200 half of the memory is near (550 cycles) and half is far (770). */
static double middle(const struct counts *counts)
{
  double quantiles[GC_MIDDLE_QUANTILES];

  gc_histogram_quantiles(counts->cycles, CYCLES_MAX, 0, 1, gc_middle_quantiles, GC_MIDDLE_QUANTILES,
                         quantiles);
  return gc_middle_of(quantiles);
}

/* Cold pairs of neighbours: the first load of a pair misses, the second one hits. A repetition has
 * `rounds` walks. */
static int walk_pairs(struct gc_bench *bench, const struct gc_path *path, unsigned repeats,
                      unsigned rounds, double *firsts, double *seconds)
{
  const bool split = path->space == GC_ADDRESS_CONSTANT || gc_walks_alone(bench, path);
  const uint32_t reach = NEIGHBOURS;
  struct gc_pairs pairs;
  int status = gc_pairs_open(&pairs, bench, path, &reach, 1, split ? SPLIT_PAIRS : PAIRS);

  if (status)
    return status;
  /* The first run is discarded: it brings the lines into the next level. If all SMs load the same
   * lines, each SM then finds them near. */
  status = gc_pairs_run(&pairs);
  for (unsigned r = 0; r < repeats && !status; r++) {
    const size_t n = (size_t)pairs.sms * pairs.each * 2;
    struct counts first = {{0}}, second = {{0}};

    for (unsigned round = 0; round < rounds && !(status = gc_pairs_run(&pairs)); round++) {
      count(&first, pairs.trace, n, 0, 2);
      count(&second, pairs.trace, n, 1, 2);
    }
    firsts[r] = middle(&first);
    seconds[r] = middle(&second);
  }
  return status;
}

/* The same if L2 loses its contents between launches: one SM after the other loads some lines twice
 * in one launch (walk/first_touch.h). The first SM finds them in memory. All later ones find them
 * in L2, unless an SM came before with which they share the cache. */
static int touch_lines(struct gc_measurement *m, const struct gc_path *path, unsigned repeats,
                       struct gc_levels *levels)
{
  struct gc_first_touch touch = {.rounds = repeats};
  double *hits = gc_step_alloc(&m->bench, 2 * m->bench.properties.sms, sizeof(*hits));
  double *misses = hits ? hits + m->bench.properties.sms : NULL;
  int status = hits ? gc_first_touch_run(m, path, 1, &touch) : -ENOMEM;

  if (!status && *touch.failed)
    status = gc_fail(m->bench.err, -EIO, "%s", touch.failed);
  for (unsigned r = 0; r < repeats && !status; r++) {
    size_t n = 0;

    for (size_t i = r * touch.sms + 1; i < (r + 1) * touch.sms; i++)
      if (touch.firsts[i]) {
        misses[n] = touch.took[2 * i];
        hits[n++] = touch.took[2 * i + 1];
      }
    levels->hit[r] = n ? gc_median(hits, n) : 0;
    levels->miss[r] = n ? gc_median(misses, n) : 0;
  }
  gc_first_touch_free(&touch);
  return status;
}

/* SMs walk a ring that is in memory. middles: the middle of all timed loads, in so many
 * successive parts of equal size. */
static int walk_ring(struct gc_bench *bench, const struct gc_path *path,
                     const struct gc_traced *traced, unsigned parts, double *middles)
{
  const size_t each = traced->loads / parts;
  uint32_t *trace = gc_step_alloc(bench, traced->n * traced->loads, sizeof(*trace));
  int status = trace ? gc_chase_trace(bench, path, traced, trace) : -ENOMEM;

  for (unsigned part = 0; part < parts && !status; part++) {
    struct counts counts = {{0}};

    for (size_t i = 0; i < traced->n; i++)
      count(&counts, trace + i * traced->loads + part * each, each, 0, 1);
    middles[part] = middle(&counts);
  }
  return status;
}

uint64_t gc_beyond_constant_l1(const struct gc_results *results)
{
  const struct gc_path *path = gc_path_of(GC_CONSTANT_L15);
  const uint64_t wanted = 4 * gc_capacity(&results->element[GC_CONSTANT_L1]);
  const uint64_t bytes =
      wanted > CONSTANT_RING ? wanted / path->latency_stride * path->latency_stride : CONSTANT_RING;

  return wanted && bytes < path->latency_bytes ? bytes : path->latency_bytes;
}

uint32_t gc_constant_l15_stride(const struct gc_results *results)
{
  const struct gc_measured *l1 = &results->element[GC_CONSTANT_L1];
  const uint32_t usual = gc_path_of(GC_CONSTANT_L15)->latency_stride;

  return gc_found(l1, GC_FETCH) && l1->fetch_bytes > usual ? (uint32_t)l1->fetch_bytes : usual;
}

bool gc_constant_fetch_unknown(const struct gc_results *results)
{
  return results->element[GC_CONSTANT_L1].found[GC_FETCH].origin == GC_ABSENT;
}

bool gc_misses_constant_l1(const struct gc_results *results, uint64_t bytes)
{
  const struct gc_measured *l1 = &results->element[GC_CONSTANT_L1];

  if (gc_capacity(l1))
    return 2 * gc_capacity(l1) <= bytes;
  if (l1->capacity_at_least_bytes)
    return 2 * l1->capacity_at_least_bytes <= bytes;
  if (gc_found(l1, GC_CENSUS))
    return 2 * l1->census_bytes <= bytes;
  return !l1->tried; /* the user asked for other elements only */
}

/* Walks a ring that fits the constant L1.5, but not the constant L1. */
static int walk_constant_l15(struct gc_measurement *m, unsigned repeats, uint32_t stride,
                             double *middles)
{
  struct gc_bench *bench = &m->bench;
  const struct gc_path *path = gc_path_of(GC_CONSTANT_L15);
  const uint32_t slots = (uint32_t)(gc_beyond_constant_l1(m->results) / stride);
  const uint32_t n = bench->properties.sms < RING_SMS ? bench->properties.sms : RING_SMS;
  uint64_t starts[RING_SMS];
  const struct gc_traced traced = {
      .starts = starts, .n = n, .warm = 2 * slots, .loads = RING_LOADS};
  double discarded;
  int status = gc_ring_lay(bench, path->space, (uint64_t)slots * stride, stride, 1);

  for (uint32_t i = 0; i < n; i++)
    starts[i] = gc_ring_address(bench, path->space, 0);
  for (unsigned r = 0; r <= repeats && !status; r++)
    status = walk_ring(bench, path, &traced, 1, r ? &middles[r - 1] : &discarded);
  return status;
}

/* Loads that hit the constant L1, and loads that miss it. The fetch granularity may not be known
 * yet. If it is larger than the distance of the slots, most loads hit what another load has brought
 * in. Then the slots are laid farther apart. */
static int find_constant_l1(struct gc_measurement *m, unsigned repeats, struct gc_levels *levels)
{
  const bool known = gc_found(&m->results->element[GC_CONSTANT_L1], GC_FETCH);
  const uint32_t stride = gc_constant_l15_stride(m->results);
  double unused[GC_LEVEL_REPEATS];
  int status = walk_pairs(&m->bench, gc_path_of(GC_CONSTANT_L1), repeats, 1, unused, levels->hit);

  if (!status)
    status = walk_constant_l15(m, repeats, stride, levels->miss);
  if (!status && !known && gc_levels_threshold(levels) <= 0)
    status = walk_constant_l15(m, repeats, CONSTANT_STRIDE_MAX, levels->miss);
  return status;
}

/* Walks a ring that fits the next level, but no scalar L1. One SM, because others may share the
 * cache. */
static int walk_behind_scalar(struct gc_bench *bench, unsigned repeats, double *middles)
{
  const struct gc_path *path = gc_path_of(GC_SCALAR_L1);
  const uint64_t start = gc_ring_address(bench, path->space, 0);
  const struct gc_traced traced = {
      .starts = &start, .n = 1, .warm = 2 * SCALAR_SLOTS, .loads = RING_LOADS};
  int status = gc_ring_lay(bench, path->space, SCALAR_RING, SCALAR_STRIDE, SCALAR_STEP);

  for (unsigned r = 0; r < repeats && !status; r++)
    status = walk_ring(bench, path, &traced, 1, &middles[r]);
  return status;
}

/* What gc_empty_l2 evicts; less if there is an L3, which must keep the ring. */
static uint64_t cold_ring_bytes(const struct gc_bench *bench)
{
  const uint64_t half = bench->arena_bytes / 2, l3 = bench->properties.l3_bytes / 4;

  return !l3 ? gc_cold_bytes(bench) : l3 < half ? l3 : half;
}

/* The number of SMs whose parts of the ring fit that part of L2 together. */
static uint32_t memory_sms(const struct gc_bench *bench)
{
  const uint64_t fit = bench->properties.l2_bytes / MEMORY_FIT / (MEMORY_LOADS * LINE_MAX) + 1;
  const uint32_t most = fit < MEMORY_SMS ? (uint32_t)fit : MEMORY_SMS;

  return bench->properties.sms < most ? bench->properties.sms : most;
}

/* A scattered ring of lines that are not in L2, but in L3 if there is one. */
static int lay_cold_ring(struct gc_bench *bench, uint64_t bytes, uint64_t stride, uint64_t scatter)
{
  int status = gc_ring_lay(bench, gc_path_of(GC_L2)->space, MEMORY_SLOTS * stride, (uint32_t)stride,
                           scatter);

  if (!status && bench->properties.l3_bytes)
    status = gc_read_by_all(bench, 0, bytes, MEMORY_LINE / 2);
  return status ? status : gc_empty_l2(bench);
}

/* How many repetitions one launch walks: as many as fit the part of L2 together. */
static unsigned memory_batch(const struct gc_bench *bench, unsigned repeats)
{
  const uint64_t each = (uint64_t)memory_sms(bench) * MEMORY_LOADS * LINE_MAX;
  const uint64_t fit = bench->properties.l2_bytes / MEMORY_FIT / each;

  return fit > repeats ? repeats : fit ? (unsigned)fit : 1;
}

/* Each SM walks its own part of the ring, so that no SM brings in lines for others. Each repetition
 * continues at slots that are still cold. The first repetition is discarded: it loads the address
 * translations, so that the others have no TLB misses. The parts of a launch are walked from memory
 * (or L3), then from L2. The walk from L2 follows an untimed one in its own launch: L2 may lose its
 * contents between launches, and another SM may walk the part than before, near to another
 * partition of L2, which does not have the lines yet. */
static int walk_memory(struct gc_measurement *m, unsigned repeats, struct gc_levels *levels)
{
  struct gc_bench *bench = &m->bench;
  const struct gc_path *path = gc_path_of(GC_L2);
  const uint64_t bytes = cold_ring_bytes(bench), scatter = gc_ring_scatter(MEMORY_SLOTS);
  const uint64_t stride = gc_ring_stride(bytes, MEMORY_SLOTS, MEMORY_LINE);
  const uint64_t each = (repeats + 1) * MEMORY_LOADS;
  const unsigned all = repeats + 1, most = memory_batch(bench, all);
  double hit[GC_LEVEL_REPEATS + 1], miss[GC_LEVEL_REPEATS + 1];
  uint64_t starts[MEMORY_SMS], ends[MEMORY_SMS];
  int status = lay_cold_ring(bench, bytes, stride, scatter);

  for (unsigned r = 0, n; r < all && !status; r += n) {
    struct gc_traced traced = {.starts = starts, .ends = ends, .n = memory_sms(bench)};

    n = all - r < most ? all - r : most;
    traced.loads = n * MEMORY_LOADS;
    for (uint64_t i = 0; i < traced.n; i++) {
      const uint64_t slot = i * each + r * MEMORY_LOADS, next = slot + traced.loads;

      starts[i] = gc_ring_address(bench, path->space, slot * scatter % MEMORY_SLOTS * stride);
      ends[i] = gc_ring_address(bench, path->space, next * scatter % MEMORY_SLOTS * stride);
    }
    if ((status = walk_ring(bench, path, &traced, n, &miss[r])))
      break;
    traced.warm = traced.loads;
    status = walk_ring(bench, path, &traced, n, &hit[r]);
  }
  for (unsigned r = 0; r < repeats && !status; r++) {
    levels->hit[r] = hit[r + 1];
    levels->miss[r] = miss[r + 1];
  }
  return status;
}

static int measure_levels(struct gc_measurement *m, enum gc_kind kind, unsigned repeats,
                          struct gc_levels *levels)
{
  struct gc_bench *bench = &m->bench;
  const struct gc_path *path = gc_path_of(kind);
  double unused[GC_LEVEL_REPEATS];
  int status;

  switch (kind) {
  case GC_L2:
    return walk_memory(m, repeats, levels);
  case GC_CONSTANT_L1:
    return find_constant_l1(m, repeats, levels);
  case GC_CONSTANT_L15:
    if (m->results->l2_lost)
      return touch_lines(m, path, repeats, levels);
    status = walk_pairs(bench, path, repeats, CONSTANT_ROUNDS, levels->miss, unused);
    return status ? status
                  : walk_constant_l15(m, repeats, gc_constant_l15_stride(m->results), levels->hit);
  case GC_SCALAR_L1:
    status = walk_pairs(bench, path, repeats, 1, unused, levels->hit);
    return status ? status : walk_behind_scalar(bench, repeats, levels->miss);
  default:
    if (m->results->l2_lost)
      return touch_lines(m, path, repeats, levels);
    return walk_pairs(bench, path, repeats, 1, levels->miss, levels->hit);
  }
}

/* The levels of the last element. Several steps of an element need them. */
struct kept {
  enum gc_kind kind;
  unsigned repeats;
  struct gc_levels levels;
};

static const struct gc_memo_type kept_type = {sizeof(struct kept), NULL};

int gc_find_levels(struct gc_measurement *m, enum gc_kind kind, unsigned repeats,
                   struct gc_levels *levels)
{
  /* loads behind a constant L1 depend on what is known of it by then */
  const bool keep = kind != GC_CONSTANT_L1 && kind != GC_CONSTANT_L15;
  struct kept *kept = keep ? gc_memo_find(m->memos, &kept_type) : NULL;
  int status;

  if (kept && kept->kind == kind && kept->repeats >= repeats) {
    *levels = kept->levels;
    return 0;
  }
  if ((status = measure_levels(m, kind, repeats, levels)) || !keep)
    return status;
  if (!(kept = gc_memo_keep(&m->memos, &kept_type, m->bench.err)))
    return -ENOMEM;
  *kept = (struct kept){kind, repeats, *levels};
  return 0;
}

bool gc_levels_differ(const struct gc_levels *levels)
{
  double hit[GC_LEVEL_REPEATS], miss[GC_LEVEL_REPEATS];

  memcpy(hit, levels->hit, sizeof(hit));
  memcpy(miss, levels->miss, sizeof(miss));
  return gc_levels_threshold(levels) > 0 &&
         gc_median(miss, GC_LEVEL_REPEATS) > CLEAR * gc_median(hit, GC_LEVEL_REPEATS);
}

const char *gc_levels_why(const struct gc_levels *levels)
{
  return levels->hit[0] > 0 ? alike : gc_l2_lost_why;
}

double gc_levels_threshold(const struct gc_levels *levels)
{
  return levels->miss[0] > CLEAR * levels->hit[0] ? sqrt(levels->hit[0] * levels->miss[0]) : 0;
}
