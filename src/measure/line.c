/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The line of a cache inside the SM: what one tag stands for, however much of it is fetched at a
 * time. A miss that brings a sector in takes a whole line away from something else, so lines are
 * counted by the room they take.
 *
 * So many random places are loaded over and over that they just fit. Then each gets a partner that
 * differs from it in one address bit. Partners in the same line need no room; others double the
 * number of lines, and misses set in. With reach r for the aligned block of r bytes that holds
 * both, all reaches up to the line are as without partners, all above as with partners far away;
 * these two are measured as well, at places of the same kind. Random places make the mapping of
 * addresses to sets, and the policy of replacement, the same for all that is compared; strides over
 * an array (MT4G 2025 IV-E) meet only some of the sets.
 *
 * "So many that they just fit" is found by trying what capacity holds of lines of each length. That
 * is a count of lines too: the value is withheld when it does not agree with the other.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/layout.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 512u     /* bytes between places, at least: the largest reach */
#define FEW 512        /* lines; below, random places differ much from one another */
#define REPLICAS_MAX 8 /* of each chain, at places of its own */
#define REPLICAS 2
#define SLOTS_USED 28  /* of a block's 64, so that free ones are found */
#define LOADS 256      /* timed */
#define LOAD 0.7       /* of the lines of the capacity */
#define CLEAR 0.2      /* share of loads that must miss more with partners far away than without */
#define ENOUGH 0.5     /* no other number of places will do better */
#define LEAST_LOAD 0.3 /* places times line length, in capacities, at which that can be so */
#define MOST_LOAD 1.8

/* The first has its partner in whatever is fetched together, the last in a block of its own. */
static const uint32_t reaches[] = {16, 32, 64, 128, 256, 512, 0};
#define REACHES (sizeof(reaches) / sizeof(*reaches))
#define FITS 0
#define EXCEEDS (REACHES - 1)
#define RUNS_MAX (REACHES * REPLICAS_MAX)

/* Lengths of lines in the order in which they are likely. */
static const uint32_t guesses[] = {128, 64, 256, 32};

struct trial {
  uint32_t places;
  uint32_t replicas;
  double missed[REACHES][REPLICAS_MAX]; /* share of loads */
  double fits, exceeds;                 /* means of the outer two */
};

/* A slot that shares no line with the i-th place: in a block that has no place, or, where there are
 * not enough blocks, in the other half of the block of the next place. */
static uint64_t take_far(struct gc_layout *layout, const uint32_t *order, const uint64_t *firsts,
                         uint32_t places, uint32_t i)
{
  const uint32_t blocks = (uint32_t)(layout->bytes / BLOCK);
  const uint64_t next = firsts[(i + 1) % places];

  return blocks >= 2 * places
             ? gc_layout_take(layout, (uint64_t)order[places + i] * BLOCK, BLOCK, 0)
             : gc_layout_take(layout, (next ^ BLOCK / 2) & ~(uint64_t)(BLOCK / 2 - 1), BLOCK / 2,
                              0);
}

/* One chain over random places in the first blocks of that order, and their partners. firsts
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
  uint32_t *order = calloc(blocks, sizeof(*order));
  uint64_t *firsts = calloc(blocks, sizeof(*firsts));
  int status = order && firsts ? 0 : gc_fail(layout->bench->err, -ENOMEM, "out of memory");

  for (uint32_t i = 0; i < REACHES * trial->replicas && !status; i++) {
    /* few places: other blocks for each chain, or some blocks would be full */
    if (i % REACHES == 0 || trial->places <= FEW)
      gc_layout_shuffle(layout, order, blocks);
    status = lay_chain(layout, order, firsts, trial->places, reaches[i % REACHES]);
    starts[i] = gc_bench_address(layout->bench, layout->form, firsts[0]);
  }
  free(order);
  free(firsts);
  return status ? status : gc_layout_upload(layout);
}

/* Walks the chains, each on an SM of its own, as many at a time as there are SMs. */
static int walk_trial(struct gc_bench *bench, const struct gc_path *path, double threshold,
                      struct trial *trial, const uint64_t *starts)
{
  const uint32_t runs = REACHES * trial->replicas;
  /* SMs may share an L1.5: what others load there takes room as well */
  const uint32_t most =
      path->kind == GC_CONSTANT_L15 || path->alone ? 1 : bench->properties.sms;
  uint32_t *trace = calloc((size_t)RUNS_MAX * LOADS, sizeof(*trace));
  int status = trace ? 0 : gc_fail(bench->err, -ENOMEM, "out of memory");

  for (uint32_t i = 0; i < runs && !status; i += most)
    status = gc_bench_trace(bench, path, starts + i, runs - i < most ? runs - i : most,
                            2 * trial->places, LOADS, trace + (size_t)i * LOADS);
  for (uint32_t i = 0; i < runs && !status; i++) {
    uint32_t slow = 0;

    /* places only: a partner in the same sector is there again as soon as its place is */
    for (uint32_t k = 0; k < LOADS; k += 2)
      slow += trace[(size_t)i * LOADS + k] > threshold;
    trial->missed[i % REACHES][i / REACHES] = (double)slow / (LOADS / 2);
  }
  free(trace);
  return status;
}

static double mean(const double *values, size_t n)
{
  double sum = 0;

  for (size_t i = 0; i < n; i++)
    sum += values[i];
  return sum / (double)n;
}

/* All reaches at this number of places. */
static int run_trial(struct gc_bench *bench, const struct gc_path *path, double threshold,
                     struct trial *trial)
{
  const uint32_t spread = trial->places > FEW ? 2 : 16;
  uint64_t starts[RUNS_MAX];
  struct gc_layout layout;
  uint32_t blocks;
  int status = gc_layout_open(&layout, bench, path->form, (uint64_t)spread * trial->places * BLOCK);

  if (status)
    return status;
  blocks = (uint32_t)(layout.bytes / BLOCK);
  if (trial->places > blocks)
    trial->places = blocks;
  /* a chain takes two slots for each place */
  trial->replicas = (uint32_t)((uint64_t)SLOTS_USED * blocks / (2 * REACHES * trial->places));
  if (trial->replicas > (trial->places > FEW ? REPLICAS : REPLICAS_MAX))
    trial->replicas = trial->places > FEW ? REPLICAS : REPLICAS_MAX;
  if (!(status = lay_trial(&layout, trial, starts)))
    status = walk_trial(bench, path, threshold, trial, starts);
  gc_layout_close(&layout);
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

/* A run in the outer third of the range is sure of itself: two votes. In between, one for each
 * side. */
static uint64_t exceeding_votes(const struct trial *trial, double missed)
{
  const double third = (trial->exceeds - trial->fits) / 3;

  return (missed > trial->fits + third) + (missed > trial->exceeds - third);
}

/* For the eye; the last reach is none. */
static void note_trial(const struct gc_bench *bench, const struct trial *trial)
{
  for (size_t i = 0; i < EXCEEDS; i++)
    gc_raw_row(bench->raw,
               "aligned block that holds both, bytes\tloads that miss, %\twithout partners, %\twith far ones, %",
               (double[]){reaches[i], 100 * mean(trial->missed[i], trial->replicas), 100 * trial->fits,
                          100 * trial->exceeds});
}

/* What the trial says: which reaches are as without partners, which as with far ones. */
static int put_line(struct gc_element *element, const struct trial *trial, uint64_t capacity)
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
    return gc_put_absent(element, HWLOC_GPUCACHE_LINE, "neighbours take room at random: noise");
  if (change.index == 0 || change.index == REACHES - 2)
    return gc_put_absent(element, HWLOC_GPUCACHE_LINE,
                         change.index ? "longer than what was tried"
                                      : "shorter than what was tried");
  load = (double)trial->places * reaches[change.index] / (double)capacity;
  if (load < LEAST_LOAD || load > MOST_LOAD)
    return gc_put_absent(element, HWLOC_GPUCACHE_LINE,
                         "room taken by neighbours and number of lines in the capacity disagree");
  return gc_put_measured(element, HWLOC_GPUCACHE_LINE_BYTES, HWLOC_GPUCACHE_LINE,
                         reaches[change.index], change.probability);
}

int gc_step_line(struct gc_bench *bench, struct gc_element *element)
{
  const struct gc_path *path = gc_path_of(element->kind);
  struct gc_levels levels;
  struct trial trial, best = {0};
  uint64_t capacity;
  double threshold;
  int status;

  if (gc_infos_get_u64(&element->infos, HWLOC_GPUCACHE_CAPACITY_BYTES, &capacity))
    return gc_put_absent(element, HWLOC_GPUCACHE_LINE,
                         "it takes the capacity to find it, which is absent");
  if ((status = gc_find_levels(bench, element->kind, 1, &levels)))
    return status;
  if ((threshold = gc_levels_threshold(&levels)) <= 0)
    return gc_put_absent(element, HWLOC_GPUCACHE_LINE, gc_levels_alike);
  for (size_t i = 0; i < sizeof(guesses) / sizeof(*guesses); i++) {
    memset(&trial, 0, sizeof(trial));
    trial.places = (uint32_t)(LOAD * (double)capacity / guesses[i]);
    if (trial.places < 2 || best.exceeds - best.fits > ENOUGH)
      continue;
    if ((status = run_trial(bench, path, threshold, &trial)))
      return status;
    if (trial.exceeds - trial.fits > best.exceeds - best.fits)
      best = trial;
  }
  if (best.exceeds - best.fits < CLEAR)
    return gc_put_absent(element, HWLOC_GPUCACHE_LINE, "no number of lines just fits the capacity");
  note_trial(bench, &best);
  return put_line(element, &best, capacity);
}
