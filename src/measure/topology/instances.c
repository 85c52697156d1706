/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How many independent instances of a cache there are in an SM and on the GPU. The first-touch test
 * shows which SM sub-partitions, and which SMs, find each other's lines. For caches inside the SM a
 * second method must agree: which warps evict each other's lines. If the second method gives no
 * clear answer, or cannot be used because no capacity is known, the counts are withheld.
 * doc/methods.md, "Instances"; Größler 2022, section 4.6; Vanecek et al. (MT4G) 2025, IV-F.
 */
#include "measure/core/memo.h"
#include "measure/topology/eviction.h"
#include "measure/topology/topology.h"
#include "measure/walk/first_touch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define MAJORITY 0.9 /* share of SMs that must give the same answer */

static int put(struct gc_measured *element, uint64_t per_sm, uint64_t instances, double confidence)
{
  element->per_sm = per_sm;
  element->instances = instances;
  gc_set_measured(element, GC_PER_SM, confidence);
  return gc_set_measured(element, GC_INSTANCES, confidence);
}

/* Reports instances that several SMs share. */
static int put_shared(struct gc_measured *element, const struct gc_first_touch *touch,
                      uint64_t instances)
{
  const size_t n = touch->rounds * touch->sms;
  char why[96];

  snprintf(why, sizeof(why), "%zu SMs share %llu of them", touch->sms,
           (unsigned long long)instances);
  element->instances = instances;
  gc_set_measured(element, GC_INSTANCES, gc_vote_confidence(n - touch->unclear, n));
  return gc_set_absent(element, GC_PER_SM, why);
}

/* --- the second method, for all caches of SM sub-partitions at once --- */

static const enum gc_kind kinds[] = {GC_L1, GC_TEXTURE, GC_READ_ONLY, GC_CONSTANT_L1};
#define KINDS (sizeof(kinds) / sizeof(*kinds))
#define PARTNERS (GC_SUBPARTITIONS - 1)

struct counts {
  bool tested[KINDS];     /* false: no capacity is known */
  uint32_t per_sm[KINDS]; /* 0: unclear */
  struct gc_eviction_log log;
};

/* The element that is tested for this one: L1 also for caches that are the same storage. */
static enum gc_kind storage_of(const struct gc_measurement *m, enum gc_kind kind)
{
  return m->results->with_l1[kind] > 0 && gc_capacity(&m->results->element[GC_L1]) ? GC_L1 : kind;
}

static void release_counts(void *memo)
{
  gc_eviction_log_free(&((struct counts *)memo)->log);
}

static const struct gc_memo_type counts_memo = {sizeof(struct counts), release_counts};

/* The number of caches in an SM: warp 0 shares its cache with the warps that evict its lines. 0:
 * unclear. */
static uint32_t caches_of(const struct gc_eviction *evictions)
{
  uint32_t shared = 1;

  for (size_t i = 0; i < PARTNERS; i++) {
    if (evictions[i].vote.answer == GC_UNCLEAR)
      return 0;
    shared += evictions[i].vote.answer == GC_YES;
  }
  return GC_SUBPARTITIONS % shared ? 0 : GC_SUBPARTITIONS / shared;
}

static int count_by_eviction(struct gc_measurement *m, struct counts *counts)
{
  struct gc_eviction evictions[KINDS * PARTNERS];
  size_t which[KINDS], n = 0;
  int status;

  for (size_t k = 0; k < KINDS; k++) {
    const struct gc_path *path = gc_path_of(kinds[k]);

    const uint64_t capacity = gc_capacity(&m->results->element[kinds[k]]);

    if (!gc_present(&m->bench.properties, kinds[k]) || !capacity ||
        storage_of(m, kinds[k]) != kinds[k])
      continue;
    for (uint32_t w = 1; w < GC_SUBPARTITIONS; w++) {
      struct gc_eviction *eviction = &evictions[n * PARTNERS + w - 1];

      *eviction = (struct gc_eviction){.a = {.path = path}, .b = {.path = path, .warp = w}};
      gc_eviction_fill(m, capacity, eviction);
    }
    which[n++] = k;
  }
  if (!n)
    return 0;
  status = gc_find_evictions(m, evictions, n * PARTNERS, &(struct gc_eviction_launch){0, 0},
                             &counts->log);
  for (size_t i = 0; i < n && !status; i++) {
    counts->tested[which[i]] = true;
    counts->per_sm[which[i]] = caches_of(&evictions[i * PARTNERS]);
  }
  return status;
}

/* *counts: the memo; it is made now if there is none. */
static int get_counts(struct gc_measurement *m, const struct counts **counts)
{
  struct counts *found;
  int status;

  *counts = gc_memo_find(m->memos, &counts_memo);
  if (*counts)
    return 0;
  *counts = found = gc_memo_keep(&m->memos, &counts_memo, m->bench.err);
  status = found ? count_by_eviction(m, found) : -ENOMEM;
  if (status)
    gc_memo_drop(&m->memos, &counts_memo);
  return status;
}

/* Does the second method agree? Otherwise the count is withheld. */
static int confirm(struct gc_measurement *m, enum gc_kind kind, uint32_t per_sm)
{
  const struct counts *counts;
  size_t k = 0;
  int status = get_counts(m, &counts);

  if (status)
    return status;
  while (kinds[k] != storage_of(m, kind))
    k++;
  gc_eviction_log_raw(&counts->log, m->bench.raw, kind);
  if (!counts->tested[k])
    return gc_no_value(&m->bench, "without a capacity it is not known whether warps evict each "
                                  "other's lines");
  if (!counts->per_sm[k])
    return gc_no_value(&m->bench, "whether warps evict each other's lines is unclear");
  return counts->per_sm[k] == per_sm
             ? 0
             : gc_no_value(&m->bench, "warps that find each other's lines do not evict them");
}

/* --- the first-touch test --- */

/* Writes a row for each SM: what its warps found. */
static void log_touch(const struct gc_measurement *m, const struct gc_first_touch *touch)
{
  char columns[64 * GC_SUBPARTITIONS] = "SM";
  double row[1 + 2 * GC_SUBPARTITIONS];

  for (uint32_t w = 0; w < touch->warps; w++)
    snprintf(columns + strlen(columns), sizeof(columns) - strlen(columns),
             "\twarp %u\twarp %u, again", w, w);
  for (size_t i = 0; i < touch->rounds * touch->sms && !*touch->failed; i++) {
    row[0] = touch->sm[i];
    for (uint32_t k = 0; k < 2 * touch->warps; k++)
      row[1 + k] = touch->took[2 * touch->warps * i + k] - m->results->overhead.cycles;
    gc_raw_row(m->bench.raw, columns, row);
  }
}

/* The number of warps of an SM that came first, by majority; votes: SMs of the majority. */
static uint32_t most_common(const struct gc_first_touch *touch, size_t *votes)
{
  size_t count[GC_SUBPARTITIONS + 1] = {0};
  uint32_t most = 0;

  for (size_t i = 0; i < touch->rounds * touch->sms; i++)
    count[touch->firsts[i]]++;
  for (uint32_t k = 1; k <= GC_SUBPARTITIONS; k++)
    most = count[k] > count[most] ? k : most;
  *votes = count[most];
  return most;
}

/* Does this cache exist? Its capacity was found, even if it was withheld later, or it exceeds the
 * search. */
static bool was_seen(const struct gc_measured *element)
{
  return gc_capacity(element) || element->capacity_at_least_bytes ||
         element->found[GC_CENSUS].origin != GC_UNKNOWN;
}

/* SMs with a warp that came first, summed over all rounds. */
static size_t count_firsts(const struct gc_first_touch *touch)
{
  size_t firsts = 0;

  for (size_t i = 0; i < touch->rounds * touch->sms; i++)
    firsts += touch->firsts[i] > 0;
  return firsts;
}

/* Did a warp come first on the same number of SMs in every round? */
static bool same_each_round(const struct gc_first_touch *touch, size_t firsts)
{
  bool same = true;

  for (size_t round = 0; round < touch->rounds; round++) {
    size_t with = 0;

    for (size_t i = 0; i < touch->sms; i++)
      with += touch->firsts[round * touch->sms + i] > 0;
    same &= with == firsts;
  }
  return same;
}

static int report(struct gc_measurement *m, struct gc_measured *element,
                  const struct gc_first_touch *touch)
{
  const size_t n = touch->rounds * touch->sms, firsts = count_firsts(touch);
  size_t votes;
  const uint32_t per_sm = most_common(touch, &votes);
  int status;

  if (*touch->failed)
    return gc_no_value(&m->bench, touch->failed);
  if (!was_seen(element))
    return gc_no_value(&m->bench, "this needs the capacity, which is absent");
  if ((double)touch->unclear > (1 - MAJORITY) * (double)n)
    return gc_no_value(&m->bench, "whether repeated loads hit this cache is unclear");
  if (!firsts)
    return gc_no_value(&m->bench, "no first load was slow: caches were not empty");
  if (!per_sm)
    return same_each_round(touch, firsts / touch->rounds)
               ? put_shared(element, touch, firsts / touch->rounds)
               : gc_no_value(&m->bench, "repetitions disagree");
  if ((double)votes < MAJORITY * (double)n)
    return gc_no_value(&m->bench, "not all SMs have the same number");
  if (element->kind != GC_CONSTANT_L15 && (status = confirm(m, element->kind, per_sm)))
    return status;
  return put(element, per_sm, per_sm * touch->sms, gc_vote_confidence(votes, n));
}

int gc_step_instances(struct gc_measurement *m, struct gc_measured *element)
{
  const uint32_t warps = element->kind == GC_CONSTANT_L15 ? 1 : GC_SUBPARTITIONS;
  struct gc_first_touch touch = {.rounds = 0};
  int status = gc_first_touch_run(m, gc_path_of(element->kind), warps, &touch);

  if (status)
    return status;
  log_touch(m, &touch);
  status = report(m, element, &touch);
  gc_first_touch_free(&touch);
  return status;
}
