/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The line of a cache inside the SM: the bytes that belong to one tag, however many of them are
 * fetched at a time. A miss that fetches one sector still occupies a whole line. So this method
 * counts the lines that addresses occupy. doc/methods.md, "Cache line".
 *
 * Random places are loaded again and again, as many as just fit. Then each place gets a partner
 * that differs from it in one address bit. A partner in the same line occupies no further space.
 * Other partners double the number of lines, and misses begin. The reach of a place and its partner
 * is the smallest aligned block that holds both. All reaches up to the line miss as often as places
 * without partners, and all larger ones as often as places with partners far away. Both of these
 * are measured as well, at places of the same kind. Because places are random, the mapping of
 * addresses to sets and the replacement policy have the same effect on all that is compared;
 * strides over an array (MT4G 2025 IV-E) meet only some of the sets.
 *
 * To find how many places just fit, the program tries the number of lines in the capacity for
 * several line lengths. The length that works is a second way to the line: the value is absent if
 * the two disagree.
 */
#include "measure/geometry/geometry.h"
#include "measure/core/step_memory.h"
#include "measure/walk/chase.h"
#include "measure/walk/layout.h"
#include "measure/walk/levels.h"
#include "measure/walk/ring.h"
#include "stats/stats.h"

#include <errno.h>
#include <string.h>

#define BLOCK 512u     /* bytes: least distance of places, and the largest reach */
#define FEW 512        /* with fewer lines, sets of random places differ much from one another */
#define REPLICAS_MAX 8 /* of each chain, at other places */
#define REPLICAS 2
#define SLOTS_USED 28 /* slots to use of the 64 of a block, so that free ones are found */
#define LOADS 256     /* timed loads */
#define LOAD 0.7      /* share of the lines of the capacity */
/* Share of loads by which places with partners far away must miss more than places without. */
#define CLEAR 0.2
#define ENOUGH 0.5 /* with such a difference no other number of places is tried */
/* A smaller difference is enough for a path that is one storage with L1, once the line of L1 is
 * tried. Votes compare thirds of the difference; the standard error of a share of LOADS / 2 loads
 * is at most 0.044, so a wrong vote is 2.3 standard errors off. */
#define ENOUGH_LIKE_L1 0.3
/* Least space of the places, in capacities, for which such a difference is possible. */
#define LEAST_LOAD 0.3
#define MOST_LOAD 1.8

/* With the first reach the partner comes with the same fetch; with the last one it is in another
 * block. */
static const uint32_t reaches[] = {16, 32, 64, 128, 256, 512, 0};
#define REACHES (sizeof(reaches) / sizeof(*reaches))
#define FITS 0
#define EXCEEDS (REACHES - 1)
#define RUNS_MAX (REACHES * REPLICAS_MAX)

/* Line lengths, the most likely one first. */
static const uint32_t guesses[] = {128, 64, 256, 32};

struct trial {
  uint32_t places;
  uint32_t replicas;
  double missed[REACHES][REPLICAS_MAX]; /* share of loads that missed */
  double fits, exceeds; /* means for places without partners, and with partners far away */
};

/* The cache that a trial measures. */
struct cache {
  struct gc_bench *bench;
  const struct gc_path *path;
  double threshold; /* raw cycles, between hits and misses */
};

/* Takes a slot that shares no line with the i-th place: in a block without a place or, if there are
 * too few blocks, in the other half of the block of the next place. */
static uint64_t take_far(struct gc_layout *layout, const uint32_t *order, const uint64_t *firsts,
                         uint32_t places, uint32_t i)
{
  const uint32_t blocks = (uint32_t)(layout->bytes / BLOCK), half = BLOCK / 2;
  const uint64_t other_half = (firsts[(i + 1) % places] ^ half) & ~(uint64_t)(half - 1);

  return blocks >= 2 * places
             ? gc_layout_take(layout, (uint64_t)order[places + i] * BLOCK, BLOCK, 0)
             : gc_layout_take(layout, other_half, half, 0);
}

/* Lays one chain over random places in the first blocks of `order`, and over their partners. firsts
 * receives the places. */
static int lay_chain(struct gc_layout *layout, const uint32_t *order, uint64_t *firsts,
                     uint32_t places, uint32_t reach)
{
  uint64_t second = 0;

  for (uint32_t i = 0; i < places; i++)
    firsts[i] = gc_layout_take(layout, (uint64_t)order[i] * BLOCK, BLOCK, reach / 2);
  for (uint32_t i = 0; i < places && second != UINT64_MAX; i++) {
    second = firsts[i] == UINT64_MAX ? UINT64_MAX
             : reach                 ? firsts[i] ^ reach / 2
                                     : take_far(layout, order, firsts, places, i);
    if (second != UINT64_MAX) {
      gc_layout_link(layout, firsts[i], second);
      gc_layout_link(layout, second, firsts[(i + 1) % places]);
    }
  }
  return second != UINT64_MAX
             ? 0
             : gc_fail(layout->bench->err, -ENOSPC, "too many chains for %llu bytes",
                       (unsigned long long)layout->bytes);
}

static int lay_trial(struct gc_layout *layout, struct trial *trial, uint64_t *starts)
{
  const uint32_t blocks = (uint32_t)(layout->bytes / BLOCK);
  uint32_t *order = gc_step_alloc(layout->bench, blocks, sizeof(*order));
  uint64_t *firsts = gc_step_alloc(layout->bench, blocks, sizeof(*firsts));
  int status = order && firsts ? 0 : -ENOMEM;

  for (uint32_t i = 0; i < REACHES * trial->replicas && !status; i++) {
    /* few places: each chain gets other blocks, or some blocks would be full */
    if (i % REACHES == 0 || trial->places <= FEW)
      gc_layout_shuffle(layout, order, blocks);
    status = lay_chain(layout, order, firsts, trial->places, reaches[i % REACHES]);
    starts[i] = gc_ring_address(layout->bench, layout->space, firsts[0]);
  }
  return status ? status : gc_layout_upload(layout);
}

/* Walks the chains, each on an SM of its own, in as few launches as possible. */
static int walk_trial(const struct cache *cache, struct trial *trial, const uint64_t *starts)
{
  const uint32_t runs = REACHES * trial->replicas;
  /* SMs may share an L1.5, where the lines of other SMs occupy space as well */
  const bool alone =
      cache->path->kind == GC_CONSTANT_L15 || gc_walks_alone(cache->bench, cache->path);
  const uint32_t most = alone ? 1 : cache->bench->properties.sms;
  uint32_t *trace = gc_step_alloc(cache->bench, (size_t)RUNS_MAX * LOADS, sizeof(*trace));
  int status = trace ? 0 : -ENOMEM;

  for (uint32_t i = 0; i < runs && !status; i += most) {
    const uint32_t n = runs - i < most ? runs - i : most;
    const struct gc_traced traced = {
        .starts = starts + i, .n = n, .warm = 2 * trial->places, .loads = LOADS};

    status = gc_chase_trace(cache->bench, cache->path, &traced, trace + (size_t)i * LOADS);
  }
  for (uint32_t i = 0; i < runs && !status; i++) {
    uint32_t slow = 0;

    /* count places only: a partner in the same sector hits if its place has just been loaded */
    for (uint32_t k = 0; k < LOADS; k += 2)
      slow += trace[(size_t)i * LOADS + k] > cache->threshold;
    trial->missed[i % REACHES][i / REACHES] = (double)slow / (LOADS / 2);
  }
  return status;
}

static double mean(const double *values, size_t n)
{
  double sum = 0;

  for (size_t i = 0; i < n; i++)
    sum += values[i];
  return sum / (double)n;
}

/* Measures all reaches with this number of places. */
static int run_trial(const struct cache *cache, struct trial *trial)
{
  const uint64_t bytes = (uint64_t)(trial->places > FEW ? 2 : 16) * trial->places * BLOCK;
  uint64_t starts[RUNS_MAX];
  struct gc_layout layout;
  uint32_t blocks, most;
  int status = gc_layout_open(&layout, cache->bench, cache->path->space, bytes);

  if (status)
    return status;
  blocks = (uint32_t)(layout.bytes / BLOCK);
  if (trial->places > blocks)
    trial->places = blocks;
  most = trial->places > FEW ? REPLICAS : REPLICAS_MAX;
  /* a chain takes two slots for each place */
  trial->replicas = (uint32_t)((uint64_t)SLOTS_USED * blocks / (2 * REACHES * trial->places));
  if (trial->replicas > most)
    trial->replicas = most;
  if (!(status = lay_trial(&layout, trial, starts)))
    status = walk_trial(cache, trial, starts);
  gc_step_free(cache->bench, layout.image);
  trial->fits = mean(trial->missed[FITS], trial->replicas);
  trial->exceeds = mean(trial->missed[EXCEEDS], trial->replicas);
  return status;
}

/* With many replicas of few places, a run is two of them. */
static uint32_t runs_of(const struct trial *trial)
{
  return trial->replicas < REPLICAS_MAX / 2 ? trial->replicas : trial->replicas / 2;
}

static double missed_in(const struct trial *trial, size_t reach, uint32_t run)
{
  const double *missed = trial->missed[reach];

  return runs_of(trial) == trial->replicas ? missed[run]
                                           : (missed[2 * run] + missed[2 * run + 1]) / 2;
}

/* A run in the outer thirds of the range has two votes for that side. In between it has one vote
 * for each side. */
static uint64_t exceeding_votes(const struct trial *trial, double missed)
{
  const double third = (trial->exceeds - trial->fits) / 3;

  return (missed > trial->fits + third) + (missed > trial->exceeds - third);
}

/* For --raw. The last reach has no size. */
static void note_trial(const struct gc_bench *bench, const struct trial *trial)
{
  for (size_t i = 0; i < EXCEEDS; i++)
    gc_raw_row(bench->raw,
               "aligned block that holds both, bytes\tloads that miss, %\twithout partners, %\t"
               "with far ones, %",
               (double[]){reaches[i], 100 * mean(trial->missed[i], trial->replicas),
                          100 * trial->fits, 100 * trial->exceeds});
}

/* Finds the reaches that miss like places without partners, and those that miss like places with
 * partners far away. */
static int conclude(struct gc_measured *element, const struct trial *trial)
{
  struct gc_evidence evidence[REACHES - 2] = {0};
  struct gc_changepoint change;
  double load;

  for (size_t i = 0; i < REACHES - 2; i++) {
    uint64_t exceeding = 0;

    for (uint32_t run = 0; run < runs_of(trial); run++)
      exceeding += exceeding_votes(trial, missed_in(trial, i + 1, run));
    gc_evidence_votes(&evidence[i], exceeding, 2 * runs_of(trial));
  }
  gc_changepoint_find(evidence, REACHES - 2, NULL, &change);
  if (change.noise > 0.5)
    return gc_set_absent(element, GC_LINE, "neighbours occupy space at random: noise");
  if (change.index == 0)
    return gc_set_absent(element, GC_LINE, "shorter than what was tried");
  if (change.index == REACHES - 2)
    return gc_set_absent(element, GC_LINE, "longer than what was tried");
  load = (double)trial->places * reaches[change.index] / (double)gc_capacity(element);
  if (load < LEAST_LOAD || load > MOST_LOAD)
    return gc_set_absent(
        element, GC_LINE,
        "the space that neighbours occupy and the number of lines in the capacity disagree");
  element->line_bytes = reaches[change.index];
  return gc_set_measured(element, GC_LINE, change.probability);
}

/* Tries numbers of places until one shows a clear difference. The clearest one counts. like: the
 * line that the cache probably has; 0: not known. */
static int find_trial(const struct cache *cache, uint64_t capacity, uint32_t like,
                      struct trial *best)
{
  double enough = ENOUGH;

  for (size_t i = 0; i < sizeof(guesses) / sizeof(*guesses); i++) {
    struct trial trial = {.places = (uint32_t)(LOAD * (double)capacity / guesses[i])};
    int status;

    if (trial.places < 2 || best->exceeds - best->fits > enough)
      continue;
    if (guesses[i] == like)
      enough = ENOUGH_LIKE_L1;
    if ((status = run_trial(cache, &trial)))
      return status;
    if (trial.exceeds - trial.fits > best->exceeds - best->fits)
      *best = trial;
  }
  return 0;
}

int gc_step_line(struct gc_measurement *m, struct gc_measured *element)
{
  struct cache cache = {.bench = &m->bench, .path = gc_path_of(element->kind)};
  struct trial best = {0};
  struct gc_levels levels;
  uint32_t like;
  int status;

  if (!gc_capacity(element))
    return gc_set_absent(element, GC_LINE, "this needs the capacity, which is absent");
  if ((status = gc_find_levels(m, element->kind, 1, &levels)))
    return status;
  cache.threshold = gc_levels_threshold(&levels);
  if (cache.threshold <= 0)
    return gc_set_absent(element, GC_LINE, gc_levels_why(&levels));
  like = m->results->with_l1[element->kind] > 0 ? m->results->element[GC_L1].line_bytes : 0;
  if ((status = find_trial(&cache, gc_capacity(element), like, &best)))
    return status;
  if (best.exceeds - best.fits < CLEAR)
    return gc_set_absent(element, GC_LINE, "no number of lines just fits the capacity");
  note_trial(&m->bench, &best);
  return conclude(element, &best);
}
