/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How much one miss brings into a cache: its sector, the fetch granularity. In a cold cache, one
 * address is loaded, then the load of a second address, which differs in a single address bit, is
 * timed. It hits if both are in the unit that was fetched, wherever in this unit the first one is.
 * The reach of a pair is the smallest aligned block that holds both: all reaches up to the unit
 * hit, and all larger ones miss. Pairs are single events far from one another. So capacity, sets
 * and replacement do not matter (unlike strides over an array, MT4G 2025 IV-D), and units smaller
 * than the line are found. doc/methods.md, "Fetch granularity".
 */
#include "measure/geometry/geometry.h"
#include "measure/core/step_memory.h"
#include "measure/walk/evict.h"
#include "measure/walk/levels.h"
#include "measure/walk/pairs.h"
#include "stats/stats.h"

#include <errno.h>

#define EACH 32 /* pairs of each reach */

static const uint32_t reaches[] = {16, 32, 64, 128, 256, 512, 1024};
#define REACHES (sizeof(reaches) / sizeof(*reaches))

/* For each pair: how often its second load was timed, and how often it was slow. */
struct tally {
  uint32_t *seen, *slow;
};

/* Each pair has one vote, however many SMs loaded it, because the same places are no new
 * evidence. */
static void vote(const struct gc_pairs *pairs, const struct tally *tally,
                 struct gc_evidence *evidence)
{
  for (uint32_t i = 0; i < REACHES; i++) {
    uint64_t yes = 0, votes = 0;

    for (uint32_t pair = i; pair < pairs->count; pair += REACHES) {
      yes += 2 * tally->slow[pair] > tally->seen[pair];
      votes += tally->seen[pair] > 0;
    }
    gc_evidence_votes(&evidence[i], yes, votes);
    if (votes)
      gc_raw_row(pairs->layout.bench->raw,
                 "aligned block that holds both, bytes\tpairs whose second misses, %",
                 (double[]){reaches[i], 100.0 * (double)yes / (double)votes});
  }
}

static int count_votes(const struct gc_pairs *pairs, double threshold, struct gc_evidence *evidence)
{
  struct gc_bench *bench = pairs->layout.bench;
  const struct tally tally = {.seen = gc_step_alloc(bench, pairs->count, sizeof(*tally.seen)),
                              .slow = gc_step_alloc(bench, pairs->count, sizeof(*tally.slow))};

  if (!tally.seen || !tally.slow)
    return -ENOMEM;
  for (uint32_t k = 0; k < pairs->sms * pairs->each; k++) {
    const uint32_t pair = gc_pairs_at(pairs, k);

    tally.seen[pair]++;
    tally.slow[pair] += pairs->trace[2 * k + 1] > threshold;
  }
  vote(pairs, &tally, evidence);
  return 0;
}

static int conclude(struct gc_measured *element, const struct gc_pairs *pairs, double threshold)
{
  struct gc_evidence evidence[REACHES] = {0};
  struct gc_changepoint change;
  int status = count_votes(pairs, threshold, evidence);

  if (status)
    return status;
  gc_changepoint_find(evidence, REACHES, NULL, &change);
  if (change.noise > 0.5)
    return gc_set_absent(element, GC_FETCH, "neighbours hit and miss at random: noise");
  if (change.index == 0)
    return gc_set_absent(element, GC_FETCH, "not even the nearest neighbour comes with a miss");
  if (change.index == REACHES)
    return gc_set_absent(element, GC_FETCH, "whatever is near comes with a miss");
  element->fetch_bytes = reaches[change.index - 1];
  return gc_set_measured(element, GC_FETCH, change.probability);
}

static int measure(struct gc_bench *bench, struct gc_measured *element, double threshold)
{
  struct gc_pairs pairs;
  int status = gc_pairs_open(&pairs, bench, gc_path_of(element->kind), reaches, REACHES, EACH);

  if (status)
    return status;
  for (int run = 0; run < 2 && !status; run++) /* the first run fills the levels behind the cache */
    status = gc_pairs_run(&pairs);
  return status ? status : conclude(element, &pairs, threshold);
}

int gc_step_fetch(struct gc_measurement *m, struct gc_measured *element)
{
  const uint64_t constants = gc_path_of(GC_CONSTANT_L15)->latency_bytes;
  /* all repetitions, because the miss penalty needs them, except behind a constant L1 */
  const bool constant = gc_path_of(element->kind)->space == GC_ADDRESS_CONSTANT;
  struct gc_levels levels;
  double threshold;
  int status;

  if (element->kind == GC_CONSTANT_L15 && !gc_misses_constant_l1(m->results, constants))
    return gc_set_absent(element, GC_FETCH, gc_constant_l1_hides);
  if ((status = gc_find_levels(m, element->kind, constant ? 1 : GC_LEVEL_REPEATS, &levels)))
    return status;
  if ((threshold = gc_levels_threshold(&levels)) <= 0)
    return gc_set_absent(element, GC_FETCH, gc_levels_why(&levels));
  return measure(&m->bench, element, threshold);
}
