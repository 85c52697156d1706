/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What L1 and L2 do with stores. A warp stores to lines that the cache does not have, and then
 * loads them: a fast load shows what the store has brought in. Whether L1 writes through shows on
 * other SMs, which poll the words through L2. L2 writes back if lines that are evicted are written
 * to memory (write_back.c), or if it takes stores faster than memory can. doc/methods.md, "Write
 * policy".
 */
#include "measure/structure/writes.h"

#include "measure/core/footprint.h"
#include "measure/raw/raw.h"
#include "measure/structure/write_back.h"
#include "measure/walk/evict.h"
#include "measure/walk/path.h"
#include "measure/walk/ring.h"
#include "stats/stats.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define RUNS 9    /* each on an SM of its own, if there are enough */
#define PLACES 16 /* of a run: so few that any L1 holds them */
#define APART 5   /* lines from place to place: odd, so that they are in different sets */
#define WAIT 3000 /* cycles until a store has surely arrived */
#define WORDS 9
#define WRITERS 3
#define POLLERS 36
#define POLL_CYCLES 100000
#define WORD_STEP 1024  /* bytes */
#define MOST_SHARE 0.75 /* of the loads of a run, and of the runs: they agree */
/* L2 does not write each store through to memory if it takes stores this many times as fast. */
#define FASTER 1.25
#define CLEARLY 1.1

enum mode { COLD, HOT, WHOLE, PIECE, PRESENT, MODES };

struct writes {
  struct gc_measurement *m;
  const struct gc_path *path;
  uint32_t line, fetch;
  double threshold; /* raw cycles: loads that take longer have missed */
  uint64_t region;  /* bytes of the places of a run */
  uint32_t next;    /* the number of regions used so far */
  bool fast[MODES][RUNS], slow[MODES][RUNS];
};

static uint64_t all_bytes(const struct writes *w)
{
  return w->region * MODES * RUNS;
}

/* Of the loads of a run, whether most are fast, or most slow. */
static void judge_run(struct writes *w, enum mode mode, uint32_t run, const uint32_t *trace)
{
  uint32_t fast = 0;

  for (uint32_t i = 0; i < PLACES; i++)
    fast += trace[i] < w->threshold;
  w->fast[mode][run] = fast >= MOST_SHARE * PLACES;
  w->slow[mode][run] = fast <= (1 - MOST_SHARE) * PLACES;
}

/* Runs of one mode, from run `first` on, on as many SMs as there are. */
static int run_mode(struct writes *w, enum mode mode, uint32_t first, uint32_t n)
{
  struct gc_bench *bench = &w->m->bench;
  const struct gpu_stores_args args = {
      .first = gc_ring_address(bench, w->path->space, w->next * w->region),
      .block_step = w->region,
      .place_step = (uint64_t)APART * w->line,
      .offset = mode == PIECE ? w->fetch : 0,
      .trace = gc_scratch_trace(bench),
      .sms = gc_scratch_large(bench),
      .places = PLACES,
      .bytes = mode == COLD || mode == HOT ? 0
               : mode == PIECE             ? w->fetch
                                           : w->line,
      .before = mode == HOT || mode == PRESENT ? PLACES : 0,
      .wait = WAIT};
  uint32_t trace[RUNS * PLACES];
  int status =
      gc_bench_launch(bench, w->path->kind == GC_L1 ? GC_KERNEL_stores_ca : GC_KERNEL_stores_cg, n,
                      bench->properties.warp, 0, &args);

  if (status || (status = bench->ops->download(bench->device, trace, args.trace,
                                               n * PLACES * sizeof(*trace), bench->err)))
    return status;
  w->next += n;
  gc_raw_trace(bench->raw, trace, n, PLACES);
  for (uint32_t i = 0; i < n; i++)
    judge_run(w, mode, first + i, trace + i * PLACES);
  return 0;
}

static int run_all(struct writes *w)
{
  const uint32_t sms = w->m->bench.properties.sms, most = sms < RUNS ? sms : RUNS;
  int status = 0;

  for (int mode = 0; mode < MODES; mode++)
    for (uint32_t first = 0; first < RUNS && !status; first += most)
      status = run_mode(w, (enum mode)mode, first, RUNS - first < most ? RUNS - first : most);
  return status;
}

/* The most frequent of the answers of all runs. confidence: that it is the right one. */
static enum gc_write_allocate conclude(const struct writes *w, double *confidence)
{
  double votes[RUNS];
  uint32_t count[GC_ALLOCATES] = {0};
  enum gc_write_allocate answer[RUNS], best = GC_ALLOCATE_UNKNOWN;

  for (int i = 0; i < RUNS; i++) {
    const bool told = w->slow[COLD][i] && w->fast[HOT][i];
    const bool one = w->fetch == w->line; /* sectors are lines */

    answer[i] = !told                      ? GC_ALLOCATE_UNKNOWN
                : w->slow[WHOLE][i]        ? GC_ALLOCATE_NONE
                : !w->fast[WHOLE][i]       ? GC_ALLOCATE_UNKNOWN
                : one || w->fast[PIECE][i] ? GC_ALLOCATE_LINE
                : w->slow[PIECE][i]        ? GC_ALLOCATE_SECTOR
                                           : GC_ALLOCATE_UNKNOWN;
    count[answer[i]]++;
  }
  for (int a = 1; a < GC_ALLOCATES; a++)
    if (count[a] >= MOST_SHARE * RUNS)
      best = (enum gc_write_allocate)a;
  for (int i = 0; i < RUNS; i++)
    votes[i] = answer[i] == best;
  *confidence = gc_median_confidence(votes, RUNS, 1, 0.5);
  return best;
}

/* Why the loads cannot show what a store does; NULL: they can. */
static const char *prepare(struct writes *w, const struct gc_measured *element)
{
  const struct gc_results *results = w->m->results;
  const struct gc_measured *next =
      &results->element[element->kind == GC_L1          ? GC_L2
                        : results->element[GC_L3].tried ? GC_L3
                                                        : GC_DEVICE_MEMORY];
  const double hit = element->latency_cycles, miss = next->latency_cycles;
  const uint32_t all_lanes = 8 * w->m->bench.properties.warp;

  if (!gc_found(element, GC_FETCH))
    return "this needs the fetch granularity";
  if (!gc_found(element, GC_LATENCY) || !gc_found(next, GC_LATENCY) || miss < FASTER * hit)
    return "this needs the latency, and a next level that is clearly slower";
  w->path = gc_path_of(element->kind);
  w->line = gc_found(element, GC_LINE) ? (uint32_t)element->line_bytes : all_lanes;
  w->fetch = (uint32_t)element->fetch_bytes;
  if (w->line > all_lanes || w->fetch > w->line)
    return "a warp cannot store a whole line at once";
  w->threshold = (hit + miss) / 2 + results->overhead.cycles;
  w->region = (uint64_t)PLACES * APART * w->line;
  return NULL;
}

/* The lines must be absent in the cache. For L1 they shall be in L2, so that misses take equally
 * long. */
static int lay(struct writes *w)
{
  struct gc_bench *bench = &w->m->bench;
  int status = gc_ring_lay(bench, w->path->space, all_bytes(w), w->fetch, 1);

  if (status)
    return status;
  return w->path->kind == GC_L1 ? gc_fill_l2(bench, 0, all_bytes(w), w->fetch, 1)
                                : gc_empty_l2(bench);
}

/* Whether stores surely reach L2 while a kernel runs. An L1 that writes back may keep them. */
static bool reach_l2(const struct gc_measurement *m)
{
  const struct gc_measured *l1 = &m->results->element[GC_L1];

  return !m->bench.properties.global_l1 || (gc_found(l1, GC_WRITE_POLICY) && !l1->write_back);
}

/* Why the answer may be another one; NULL: it is as the loads say. */
static const char *doubt(const struct gc_measurement *m, const struct gc_measured *element)
{
  switch (element->write_allocate) {
  case GC_ALLOCATE_UNKNOWN:
    return "loads after stores are neither clearly hits nor clearly misses";
  case GC_ALLOCATE_SECTOR:
    if (!gc_found(element, GC_LINE)) /* the bytes behind the piece may have been in another line */
      return "this needs the line";
    break;
  default:
    break;
  }
  if (element->kind == GC_L2 && element->write_allocate != GC_ALLOCATE_LINE && !reach_l2(m))
    return "L1 may keep stores until a kernel ends";
  return NULL;
}

static int find_allocation(struct gc_measurement *m, struct gc_measured *element)
{
  struct writes w = {.m = m};
  const char *why = prepare(&w, element);
  double confidence;
  int status;

  if (why)
    return gc_set_absent(element, GC_WRITE_ALLOCATE, why);
  if (all_bytes(&w) > gc_cold_bytes(&m->bench))
    return gc_set_lacks_memory(m, element, GC_WRITE_ALLOCATE, 2 * all_bytes(&w));
  if ((status = lay(&w)) || (status = run_all(&w)))
    return status;
  element->write_allocate = conclude(&w, &confidence);
  if ((why = doubt(m, element)))
    return gc_set_absent(element, GC_WRITE_ALLOCATE, why);
  if (gc_found(element, GC_LINE))
    confidence *= element->found[GC_LINE].confidence;
  return gc_set_measured(element, GC_WRITE_ALLOCATE, confidence);
}

/* --- through or back ------------------------------------------------------------------------- */

/* One launch. seen[i]: a block on another SM has seen word i before the kernel ended. */
static int poll_words(struct gc_bench *bench, uint32_t writer, uint32_t blocks, uint32_t words,
                      bool *seen)
{
  const struct gpu_visible_args args = {.words = gc_ring_address(bench, GC_ADDRESS_GLOBAL, 0),
                                        .step = WORD_STEP,
                                        .results = gc_scratch_large(bench),
                                        .count = words,
                                        .cycles = POLL_CYCLES,
                                        .writer = writer};
  struct gpu_visible_result results[POLLERS];
  int status = bench->ops->clear(bench->device, args.words, words * WORD_STEP, bench->err);

  if (status ||
      (status =
           gc_bench_launch(bench, GC_KERNEL_visible, blocks, bench->properties.warp, 0, &args)) ||
      (status = bench->ops->download(bench->device, results, args.results,
                                     blocks * sizeof(*results), bench->err)))
    return status;
  for (uint32_t i = 0; i < blocks; i++)
    if (i != writer && results[i].sm != results[writer].sm && results[i].seen)
      seen[i % words] = true;
  return 0;
}

/* Each launch has another writer. Behind it come blocks for all words, because the blocks of a
 * simulated launch run one after another. */
static int find_l1_policy(struct gc_measurement *m, struct gc_measured *element)
{
  struct gc_bench *bench = &m->bench;
  const uint32_t sms = bench->properties.sms, blocks = sms < POLLERS ? sms : POLLERS;
  const uint32_t writers = blocks > WRITERS ? WRITERS : 1;
  const uint32_t words = blocks - writers < WORDS ? blocks - writers : WORDS;
  double votes[WRITERS * WORDS];
  uint32_t n = 0, through = 0;
  int status = 0;

  if (blocks < 2)
    return gc_set_absent(element, GC_WRITE_POLICY,
                         "it takes a second SM to see when stores arrive");
  for (uint32_t i = 0; n + words <= WRITERS * WORDS && !status; i++) {
    bool seen[WORDS] = {false};

    status = poll_words(bench, i % writers, blocks, words, seen);
    for (uint32_t word = 0; word < words; word++) {
      through += seen[word];
      votes[n++] = seen[word];
    }
  }
  if (status)
    return status;
  if (through < 0.9 * n && through > 0.1 * n)
    return gc_set_absent(element, GC_WRITE_POLICY, "other SMs see some stores at once, others not");
  element->write_back = through <= 0.1 * n;
  return gc_set_measured(element, GC_WRITE_POLICY,
                         gc_median_confidence(votes, n, !element->write_back, 0.5));
}

/* A second method for L2, from bandwidths that earlier steps have measured: whether it takes stores
 * faster than memory can. *confidence: that it writes back. */
static bool faster_than_memory(const struct gc_measurement *m, const struct gc_measured *l2,
                               double *confidence)
{
  const struct gc_measured *memory = &m->results->element[GC_DEVICE_MEMORY];

  if (!gc_found(l2, GC_WRITE) || !gc_found(memory, GC_WRITE) ||
      l2->write_gbps < FASTER * memory->write_gbps)
    return false;
  *confidence = l2->found[GC_WRITE].confidence * memory->found[GC_WRITE].confidence;
  return true;
}

/* Where L2 is no faster than memory, memory has time for writes while L2 delivers what is read. */
static bool memory_is_the_limit(const struct gc_measurement *m, const struct gc_measured *l2)
{
  const struct gc_measured *memory = &m->results->element[GC_DEVICE_MEMORY];

  return gc_found(l2, GC_READ) && gc_found(memory, GC_READ) &&
         l2->read_gbps >= CLEARLY * memory->read_gbps;
}

static int find_l2_policy(struct gc_measurement *m, struct gc_measured *l2)
{
  struct gc_write_back_times times;
  const bool enough = gc_write_back_needs(&m->bench.properties) <= m->bench.walk_bytes;
  double confidence = 0, by_rate = 0;
  const bool faster = faster_than_memory(m, l2, &by_rate);
  const char *why = NULL;
  bool back = false;
  int status = enough ? gc_write_back_measure(m, &times, &why) : 0;

  if (status)
    return status;
  if (!enough && !faster)
    return gc_set_lacks_memory(m, l2, GC_WRITE_POLICY, gc_walk_enough(&m->bench.properties));
  if (enough && !why)
    why = gc_write_back_judge(&times, &back, &confidence);
  if (!why && enough && !back && !memory_is_the_limit(m, l2))
    why = "writes to memory would not show: this needs an L2 that clearly reads faster than memory";
  if (enough && !why && faster && !back)
    return gc_withhold(m->results, GC_L2, GC_WRITE_POLICY,
                       "L2 takes stores faster than memory can, but evicted lines that were stored "
                       "are not written to memory");
  if (enough && why && !faster)
    return gc_set_absent(l2, GC_WRITE_POLICY, why);
  l2->write_back = back || faster;
  return gc_set_measured(l2, GC_WRITE_POLICY, fmax(why ? 0 : confidence, by_rate));
}

uint64_t gc_needs_writes(const struct gc_measurement *m, enum gc_kind kind)
{
  return kind == GC_L2 ? gc_needs_cold_l2(m, kind) : 0;
}

int gc_step_writes(struct gc_measurement *m, struct gc_measured *element)
{
  const int status = find_allocation(m, element);

  if (status)
    return status;
  return element->kind == GC_L1 ? find_l1_policy(m, element) : find_l2_policy(m, element);
}
