/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How many independent instances of a cache there are in an SM and on the GPU: whether warps on the
 * four quarters of an SM, and SMs, find each other's lines (roll.c). For caches inside the SM a
 * second method has to agree: whether warps push each other's lines out (Größler 2022, section 4.6;
 * Vanecek et al. (MT4G) 2025, IV-F).
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/agree.h"
#include "measure/pair.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAJORITY 0.9 /* of SMs that must look alike */

static int put(struct gc_bench *bench, struct gc_element *element, uint64_t per_sm,
               uint64_t instances, double confidence)
{
  int status =
      gc_put_measured(element, HWLOC_GPUCACHE_PER_SM, HWLOC_GPUCACHE_PER_SM, per_sm, confidence);

  if (!status)
    status = gc_put_measured(element, HWLOC_GPUCACHE_INSTANCES, HWLOC_GPUCACHE_INSTANCES, instances,
                             confidence);
  return status ? gc_fail(bench->err, status, "out of memory") : 0;
}

static int put_absent(struct gc_bench *bench, struct gc_element *element, const char *why)
{
  int status = gc_put_absent(element, HWLOC_GPUCACHE_PER_SM, why);

  if (!status)
    status = gc_put_absent(element, HWLOC_GPUCACHE_INSTANCES, why);
  return status ? gc_fail(bench->err, status, "out of memory") : 0;
}

/* So many SMs share one. */
static int put_groups(struct gc_bench *bench, struct gc_element *element,
                      const struct gc_roll *roll, uint64_t groups)
{
  const size_t n = roll->rounds * roll->sms;
  char why[96];
  int status;

  snprintf(why, sizeof(why), "%zu SMs share %llu of them", roll->sms, (unsigned long long)groups);
  status = gc_put_measured(element, HWLOC_GPUCACHE_INSTANCES, HWLOC_GPUCACHE_INSTANCES, groups,
                           gc_vote_confidence(n - roll->unclear, n));
  if (!status)
    status = gc_put_absent(element, HWLOC_GPUCACHE_PER_SM, why);
  return status ? gc_fail(bench->err, status, "out of memory") : 0;
}

/* Caches of an SM's quarters, counted by pushing out, all that are known at once. */
static const enum gc_kind kinds[] = {GC_L1, GC_TEXTURE, GC_READ_ONLY, GC_CONSTANT_L1};
#define KINDS (sizeof(kinds) / sizeof(*kinds))
#define PARTNERS (GC_ROLL_WARPS - 1)

struct gc_quarters {
  unsigned repeats;       /* of the bench when this was found: see sharing.c */
  uint32_t per_sm[KINDS]; /* 0: not known */
  struct gc_asked asked;
};

/* How many caches there are, if warp 0 shares its own with as many warps as they say. */
static uint32_t caches_of(const struct gc_question *questions)
{
  uint32_t shared = 1;

  for (size_t i = 0; i < PARTNERS; i++) {
    if (questions[i].answer == GC_UNCLEAR)
      return 0;
    shared += questions[i].answer == GC_YES;
  }
  return GC_ROLL_WARPS % shared ? 0 : GC_ROLL_WARPS / shared;
}

static int ask_quarters(struct gc_bench *bench, struct gc_quarters *quarters)
{
  struct gc_question questions[KINDS * PARTNERS];
  size_t which[KINDS], n = 0;
  int status;

  for (size_t k = 0; k < KINDS; k++) {
    const struct gc_path *path = gc_path_of(kinds[k]);

    if (!path->present(&bench->properties) || !gc_capacity_of(bench, path))
      continue;
    for (uint32_t w = 1; w < GC_ROLL_WARPS; w++) {
      struct gc_question *question = &questions[n * PARTNERS + w - 1];

      *question = (struct gc_question){.a = {.path = path}, .b = {.path = path, .warp = w}};
      gc_fill_question(bench, question);
    }
    which[n++] = k;
  }
  if (!n || (status = gc_ask(bench, questions, n * PARTNERS, 0, 0, &quarters->asked)))
    return n ? status : 0;
  for (size_t i = 0; i < n; i++)
    quarters->per_sm[which[i]] = caches_of(&questions[i * PARTNERS]);
  return 0;
}

static int count_by_pushing(struct gc_bench *bench, enum gc_kind kind, uint32_t *per_sm)
{
  int status = 0;
  size_t k = 0;

  *per_sm = 0;
  if (!bench->quarters || bench->quarters->repeats != bench->repeats) {
    gc_quarters_free(bench->quarters);
    bench->quarters = calloc(1, sizeof(*bench->quarters));
    if (!bench->quarters)
      return gc_fail(bench->err, -ENOMEM, "out of memory");
    bench->quarters->repeats = bench->repeats;
    status = ask_quarters(bench, bench->quarters);
  }
  while (kinds[k] != kind)
    k++;
  *per_sm = bench->quarters->per_sm[k];
  gc_asked_tell(&bench->quarters->asked, bench->raw, kind);
  return status;
}

void gc_quarters_free(struct gc_quarters *quarters)
{
  if (quarters)
    gc_asked_free(&quarters->asked);
  free(quarters);
}

/* For the eye: what each warp saw. */
static void note_roll(const struct gc_bench *bench, const struct gc_roll *roll)
{
  char columns[64 * GC_ROLL_WARPS] = "SM";
  double row[1 + 2 * GC_ROLL_WARPS];

  for (uint32_t w = 0; w < roll->warps; w++)
    snprintf(columns + strlen(columns), sizeof(columns) - strlen(columns), "\twarp %u\twarp %u, again", w, w);
  for (size_t i = 0; i < roll->rounds * roll->sms && !*roll->failed; i++) {
    row[0] = roll->sm[i];
    for (uint32_t k = 0; k < 2 * roll->warps; k++)
      row[1 + k] = roll->took[2 * roll->warps * i + k] - bench->window_cycles;
    gc_raw_row(bench->raw, columns, row);
  }
}

/* What most answers are; votes: how many of them. */
static uint32_t most_common(const struct gc_roll *roll, size_t *votes)
{
  size_t count[GC_ROLL_WARPS + 1] = {0};
  uint32_t most = 0;

  for (size_t i = 0; i < roll->rounds * roll->sms; i++)
    count[roll->firsts[i]]++;
  for (uint32_t k = 1; k <= GC_ROLL_WARPS; k++)
    most = count[k] > count[most] ? k : most;
  *votes = count[most];
  return most;
}

/* Was this cache seen at all: its capacity was found, be it that it was withheld, or that it has no end? */
static bool is_known(const struct gc_element *element)
{
  return gc_capacity_known(element) ||
         gc_infos_get(&element->infos, HWLOC_GPUCACHE_CAPACITY_AT_LEAST_BYTES) ||
         gc_infos_get(&element->infos, HWLOC_GPUCACHE_CENSUS HWLOC_GPUCACHE_SOURCE_SUFFIX);
}

/* So many SMs had to wait in every round. */
static bool same_each_round(const struct gc_roll *roll, size_t groups)
{
  bool same = true;

  for (size_t round = 0; round < roll->rounds; round++) {
    size_t with = 0;

    for (size_t i = 0; i < roll->sms; i++)
      with += roll->firsts[round * roll->sms + i] > 0;
    same &= with == groups;
  }
  return same;
}

static int tell(struct gc_bench *bench, struct gc_element *element, const struct gc_path *path,
                const struct gc_roll *roll)
{
  const size_t n = roll->rounds * roll->sms;
  size_t votes, with = 0;
  const uint32_t per_sm = most_common(roll, &votes);
  uint32_t other = 0;
  int status;

  for (size_t i = 0; i < n; i++)
    with += roll->firsts[i] > 0;
  if (*roll->failed)
    return put_absent(bench, element, roll->failed);
  if (!is_known(element))
    return put_absent(bench, element, "a hit cannot be told from a miss: no capacity was found");
  if ((double)roll->unclear > (1 - MAJORITY) * (double)n)
    return put_absent(bench, element, "what is loaded again is not found in this cache, or not clearly");
  if (!with)
    return put_absent(bench, element, "nobody had to wait: caches were not empty");
  if (!per_sm)
    return same_each_round(roll, with / roll->rounds)
             ? put_groups(bench, element, roll, with / roll->rounds)
             : put_absent(bench, element, "repetitions disagree");
  if ((double)votes < MAJORITY * (double)n)
    return put_absent(bench, element, "SMs do not look alike");
  if (path->kind != GC_CONSTANT_L15) {
    if ((status = count_by_pushing(bench, path->kind, &other)))
      return status;
    if (other && other != per_sm)
      return put_absent(bench, element, "warps that find each other's lines do not push them out");
  }
  return put(bench, element, per_sm, per_sm * roll->sms, gc_vote_confidence(votes, n));
}

int gc_step_amount(struct gc_bench *bench, struct gc_element *element)
{
  const struct gc_path *path = gc_path_of(element->kind);
  struct gc_roll roll;
  int status = gc_roll_call(bench, path, path->kind == GC_CONSTANT_L15 ? 1 : GC_ROLL_WARPS, &roll);

  if (status)
    return status;
  note_roll(bench, &roll);
  status = tell(bench, element, path, &roll);
  gc_roll_free(&roll);
  return status;
}
