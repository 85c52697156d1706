/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How much comes into a cache with one miss (its sector, the fetch granularity): in a cold cache,
 * load one address, then time a load of another that differs from it in a single address bit. It
 * hits when both are in the unit that was fetched, whatever the place of the first in it: with
 * reach r for the aligned block of r bytes that holds both, all reaches up to the unit hit and all
 * above miss. Pairs are single events far from one another, so neither capacity nor sets nor
 * replacement matter (unlike strides over an array, MT4G 2025 IV-D), and units below the line are
 * seen as such.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/layout.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdlib.h>

#define EACH 32 /* pairs of a reach */

static const uint32_t reaches[] = {16, 32, 64, 128, 256, 512, 1024};
#define REACHES (sizeof(reaches) / sizeof(*reaches))

/* Each pair has one vote, however many SMs loaded it: the same places are no new evidence. */
static int count_votes(const struct gc_pairs *pairs, double threshold, struct gc_evidence *evidence)
{
  uint32_t *slow = calloc(pairs->count, sizeof(*slow)), *seen = calloc(pairs->count, sizeof(*seen));
  int status = slow && seen ? 0 : gc_fail(pairs->layout.bench->err, -ENOMEM, "out of memory");

  for (uint32_t k = 0; k < pairs->sms * pairs->each && !status; k++) {
    const uint32_t pair = gc_pairs_at(pairs, k);

    seen[pair]++;
    slow[pair] += pairs->trace[2 * k + 1] > threshold;
  }
  for (uint32_t i = 0; i < REACHES && !status; i++) {
    uint64_t yes = 0, votes = 0;

    for (uint32_t pair = i; pair < pairs->count; pair += REACHES) {
      yes += 2 * slow[pair] > seen[pair];
      votes += seen[pair] > 0;
    }
    gc_evidence_votes(&evidence[i], yes, votes);
    if (votes)
      gc_raw_row(pairs->layout.bench->raw, "aligned block that holds both, bytes\tpairs whose second misses, %",
                 (double[]){reaches[i], 100.0 * (double)yes / (double)votes});
  }
  free(slow);
  free(seen);
  return status;
}

static int put(struct gc_element *element, const struct gc_pairs *pairs, double threshold)
{
  struct gc_evidence evidence[REACHES] = {0};
  struct gc_changepoint change;
  int status = count_votes(pairs, threshold, evidence);

  if (status)
    return status;
  gc_changepoint_find(evidence, REACHES, NULL, &change);
  if (change.noise > 0.5)
    return gc_put_absent(element, HWLOC_GPUCACHE_FETCH, "neighbours hit and miss at random: noise");
  if (change.index == 0 || change.index == REACHES)
    return gc_put_absent(element, HWLOC_GPUCACHE_FETCH,
                         change.index ? "whatever is near comes with a miss"
                                      : "not even the nearest neighbour comes with a miss");
  return gc_put_measured(element, HWLOC_GPUCACHE_FETCH_BYTES, HWLOC_GPUCACHE_FETCH,
                         reaches[change.index - 1], change.probability);
}

int gc_step_fetch(struct gc_bench *bench, struct gc_element *element)
{
  struct gc_levels levels;
  struct gc_pairs pairs;
  double threshold;
  int status;

  if (element->kind == GC_L2 && gc_l2_stays(bench))
    return gc_put_absent(element, HWLOC_GPUCACHE_FETCH, gc_l2_stays(bench));
  if (element->kind == GC_CONSTANT_L15 &&
      !gc_passes_constant_l1(bench, gc_path_of(GC_CONSTANT_L15)->latency_bytes))
    return gc_put_absent(element, HWLOC_GPUCACHE_FETCH, gc_constant_l1_hides);
  if ((status = gc_find_levels(bench, element->kind, 1, &levels)))
    return status;
  if ((threshold = gc_levels_threshold(&levels)) <= 0)
    return gc_put_absent(element, HWLOC_GPUCACHE_FETCH, gc_levels_alike);
  status = gc_pairs_open(&pairs, bench, gc_path_of(element->kind), reaches, REACHES, EACH);
  for (int run = 0; run < 2 && !status; run++) /* the first warms up what lies behind */
    status = gc_pairs_run(&pairs);
  if (!status)
    status = put(element, &pairs, threshold);
  gc_pairs_close(&pairs);
  return status;
}
