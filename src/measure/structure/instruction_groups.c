/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which SMs share an instruction cache. SMs execute the same code one after another. If an SM is
 * faster than in an empty cache, an SM before it shares its cache. Launches in which only some SMs
 * take part show which one. SMs that are known to share no cache with each other execute the code
 * at the same time. doc/methods.md, "Instruction cache".
 */
#include "measure/core/placement.h"
#include "measure/raw/raw.h"
#include "measure/structure/structure.h"
#include "measure/walk/groups.h"
#include "measure/walk/vote.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OWN (8192 / GPU_JUMPS_BYTES) /* blocks of the code, or half of the cache if it is smaller */
#define EVICTING 4 /* caches: code that evicts that of earlier launches */
#define SIZES 3    /* what evicts; the code, twice */
#define POLLS_MAX 65536
#define ATTEMPTS 8 /* launches whose times are unclear; almost all of a real GPU are clear */
#define LEVELS 3 /* SMs that share a cache with the first one, at most */
#define SLOWER 3 /* misses: differences that are smaller are none */
#define GAP 2    /* a first execution that fills an empty cache loses this many times as many cycles
                    as one that finds the code in it, or more */

static const char unclear[] =
    "whether an SM finds the code of another one in its cache is unclear";

static const char disagree[] = "repetitions disagree about which SMs share a cache";

enum outcome { UNCLEAR, FAST, SLOW };

struct turns {
  struct gc_measurement *m;
  uint32_t sms, sizes[SIZES];
  uint64_t at_sizes, at_words, at_turns, at_cycles; /* on the device */
  uint32_t *turn, *took;                            /* [sms], [sms * SIZES] */
  double *longer;      /* [sms]: time of the first execution less the second; NAN: it did not run */
  double least, limit; /* of `longer`: smaller ones count as least; above limit: an empty cache */
  bool last[GC_SMS_MAX]; /* the last SM of a group */
  uint32_t launches;
  struct seen *seen; /* all launches, the last one first */
  /* A group is known by its first SM. */
  struct gc_groups groups;
  uint32_t first[GC_SMS_MAX], rest[GC_SMS_MAX], rests;
  const char *why;
};

/* SMs in the order of their turns. */
struct order {
  uint32_t sm[GC_SMS_MAX], turn[GC_SMS_MAX], count;
};

/* The SMs of one launch, and how much longer each needed. */
struct seen {
  struct seen *before;
  uint32_t count;
  struct {
    uint32_t sm, turn;
    double longer; /* as in struct turns */
  } sms[];
};

/* together: at the same time as the SM before. */
static void add(struct order *order, uint32_t sm, bool together)
{
  const uint32_t i = order->count++;

  order->sm[i] = sm;
  order->turn[i] = together && i ? order->turn[i - 1] : i + 1;
}

static int remember(struct turns *t, const struct order *order)
{
  struct seen *seen = malloc(sizeof(*seen) + order->count * sizeof(*seen->sms));

  if (!seen)
    return gc_fail(t->m->bench.err, -ENOMEM, "out of memory");
  seen->before = t->seen;
  seen->count = order->count;
  for (uint32_t i = 0; i < order->count; i++) {
    seen->sms[i].sm = order->sm[i];
    seen->sms[i].turn = order->turn[i];
    seen->sms[i].longer = t->longer[order->sm[i]];
  }
  t->seen = seen;
  return 0;
}

/* One launch. */
static int launch(struct turns *t, const struct order *order)
{
  struct gc_bench *bench = &t->m->bench;
  const struct gpu_jumps_args args = {.sizes = t->at_sizes,
                                      .cycles = t->at_cycles,
                                      .turns = t->at_turns,
                                      .words = t->at_words,
                                      .count = SIZES,
                                      .passes = 1,
                                      .every = 1,
                                      .last = order->count,
                                      .polls_max = POLLS_MAX};
  const size_t bytes = (size_t)t->sms * SIZES * sizeof(*t->took);
  int status;

  memset(t->turn, 0, t->sms * sizeof(*t->turn));
  for (uint32_t i = 0; i < order->count; i++)
    t->turn[order->sm[i]] = order->turn[i];
  if ((status = bench->ops->upload(bench->device, t->at_sizes, t->sizes, sizeof(t->sizes),
                                   bench->err)) ||
      (status = bench->ops->upload(bench->device, t->at_turns, t->turn,
                                   t->sms * sizeof(*t->turn), bench->err)) ||
      (status = bench->ops->clear(bench->device, t->at_words, 8, bench->err)) ||
      (status = bench->ops->clear(bench->device, t->at_cycles, bytes, bench->err)) ||
      (status = gc_bench_launch(bench, GC_KERNEL_jumps_far, t->sms, bench->properties.warp, 0,
                                &args)) ||
      (status = bench->ops->download(bench->device, t->took, t->at_cycles, bytes, bench->err)))
    return status;
  t->launches++;
  for (uint32_t i = 0; i < order->count; i++) {
    const uint32_t sm = order->sm[i], *took = t->took + sm * SIZES;

    t->longer[sm] = took[1] && took[2] ? (double)took[1] - took[2] : NAN;
    gc_raw_row(bench->raw, "launch\tturn\tSM\tfirst, cycles\tsecond, cycles",
               (double[]){t->launches, order->turn[i], sm, took[1], took[2]});
  }
  return remember(t, order);
}

static enum outcome outcome_of(const struct turns *t, uint32_t sm)
{
  if (isnan(t->longer[sm]))
    return UNCLEAR;
  return t->longer[sm] > t->limit ? SLOW : FAST;
}

static bool all_ran(const struct turns *t, const struct order *order)
{
  for (uint32_t i = 0; i < order->count; i++)
    if (isnan(t->longer[order->sm[i]]))
      return false;
  return true;
}

/* Sorts the times of all SMs and puts the limit into the widest gap between neighbours, by their
 * ratio. Times below `least` count as `least`. Above the limit there can be several times, since the
 * code comes from the next cache or from farther away. Returns whether there is a wide gap. */
static bool find_limit(struct turns *t)
{
  double sorted[GC_SMS_MAX], widest = GAP;

  for (uint32_t sm = 0; sm < t->sms; sm++)
    sorted[sm] = fmax(t->longer[sm], t->least);
  gc_sort(sorted, t->sms);
  t->limit = sorted[0] > GAP * t->least ? t->least : 0; /* all are slow */
  for (uint32_t i = 1; i < t->sms && sorted[0] <= GAP * t->least; i++)
    if (sorted[i] > widest * sorted[i - 1]) {
      widest = sorted[i] / sorted[i - 1];
      t->limit = sqrt(sorted[i] * sorted[i - 1]);
    }
  return t->limit > 0;
}

/* Executes the code once in this order. *clear: there is a limit, and all SMs had their turns. */
static int run_order(struct turns *t, const struct order *order, bool slow[GC_SMS_MAX], bool *clear)
{
  int status = launch(t, order);

  *clear = !status && all_ran(t, order);
  if (status)
    return status;
  if (!*clear) /* another program occupies SMs */
    t->m->bench.signs |= GC_SIGN_BLOCKS_MET;
  *clear = *clear && (t->limit > 0 || find_limit(t));
  for (uint32_t i = 0; i < order->count && *clear; i++)
    slow[order->sm[i]] = outcome_of(t, order->sm[i]) == SLOW;
  return 0;
}

/* All SMs one after another: the first SM of each group in that order is slow. */
static int run_all(struct turns *t, bool descending, bool slow[GC_SMS_MAX], bool *clear)
{
  struct order order = {.count = 0};

  for (uint32_t i = 0; i < t->sms; i++)
    add(&order, descending ? t->sms - 1 - i : i, false);
  return run_order(t, &order, slow, clear);
}

/* Those that were slow, at the same time, and then all others: they must be slow and fast again. */
static int run_again(struct turns *t, const bool slow[GC_SMS_MAX], bool *clear)
{
  struct order order = {.count = 0};
  bool again[GC_SMS_MAX] = {false};
  int status;

  for (uint32_t sm = 0; sm < t->sms; sm++)
    if (slow[sm])
      add(&order, sm, true);
  for (uint32_t sm = 0, firsts = order.count; sm < t->sms; sm++)
    if (!slow[sm])
      add(&order, sm, order.count > firsts);
  status = run_order(t, &order, again, clear);
  *clear = *clear && !memcmp(again, slow, t->sms * sizeof(*slow));
  return status;
}

static uint32_t count_slow(const struct turns *t, const bool slow[GC_SMS_MAX])
{
  uint32_t count = 0;

  for (uint32_t sm = 0; sm < t->sms; sm++)
    count += slow[sm];
  return count;
}

/* As many SMs must be slow in both orders, and a third launch must find the same ones. */
static int find_slow(struct turns *t, bool up[GC_SMS_MAX], bool down[GC_SMS_MAX])
{
  bool clear = false;
  int status = 0;

  for (int attempt = 0; attempt < ATTEMPTS && !clear && !status; attempt++) {
    t->limit = 0; /* a single slow load may have misplaced it */
    status = run_all(t, false, up, &clear);
    if (!status && clear)
      status = run_all(t, true, down, &clear);
    clear = clear && count_slow(t, up) == count_slow(t, down);
    if (!status && clear)
      status = run_again(t, up, &clear);
    if (t->m->bench.signs & GC_SIGN_BLOCKS_MET) /* waiting again does not help */
      break;
  }
  if (!clear)
    t->why = unclear;
  return status;
}

static int find_firsts(struct turns *t)
{
  bool up[GC_SMS_MAX] = {false};
  const int status = find_slow(t, up, t->last);

  for (uint32_t sm = 0; sm < t->sms && !status && !t->why; sm++) {
    t->groups.of[sm] = UINT16_MAX;
    if (up[sm]) {
      t->groups.of[sm] = (uint16_t)t->groups.count;
      t->first[t->groups.count++] = sm;
    } else {
      t->rest[t->rests++] = sm;
    }
  }
  return status;
}

/* Finds the first SM of each group among the SMs that are in no group yet. It is slow if only these
 * SMs take part, one after another. If each is the last SM of a group, all are in different ones. */
static int next_members(struct turns *t, struct order *members)
{
  struct order order = {.count = 0};
  bool slow[GC_SMS_MAX], clear = true;
  int status = 0;

  memcpy(slow, t->last, sizeof(slow));
  for (uint32_t i = 0; i < t->rests; i++) {
    add(&order, t->rest[i], false);
    clear &= slow[t->rest[i]];
  }
  for (int attempt = 0; attempt < ATTEMPTS && !clear && !status; attempt++)
    status = run_order(t, &order, slow, &clear);
  if (!clear)
    t->why = unclear;
  members->count = t->rests = 0;
  for (uint32_t i = 0; i < order.count && clear; i++)
    if (slow[order.sm[i]])
      add(members, order.sm[i], true);
    else
      t->rest[t->rests++] = order.sm[i];
  return status;
}

/* The words of the groups: numbers of `bits` bits of which half are 1. A member that is wrongly
 * fast or slow in one launch then has no word. Returns the number of bits. */
static uint32_t choose_words(uint32_t word[GC_SMS_MAX], uint32_t groups)
{
  uint32_t bits = 0, words = 1;

  while (words < groups) { /* binomial coefficients: 1, 1, 2, 3, 6, 10, 20 ... */
    bits++;
    words = bits % 2 ? words * bits / ((bits + 1) / 2) : 2 * words;
  }
  for (uint32_t g = 0, now = (1u << bits / 2) - 1; g < groups; g++) {
    const uint32_t lowest = now & -now, next = now + lowest;

    word[g] = now;
    now = lowest ? next | (now ^ next) / lowest >> 2 : 0; /* the next larger one with as many */
  }
  return bits;
}

/* The first SMs of the groups whose word has this bit, then the members. A member is fast if the
 * first SM of its group takes part. */
static int run_bit(struct turns *t, const struct order *members, const uint32_t *word, uint32_t bit,
                   uint32_t seen[GC_SMS_MAX])
{
  struct order order = {.count = 0};
  int status;

  for (uint32_t g = 0; g < t->groups.count; g++)
    if (word[g] >> bit & 1)
      add(&order, t->first[g], true);
  for (uint32_t i = 0; i < members->count; i++)
    add(&order, members->sm[i], i > 0);
  status = launch(t, &order);
  for (uint32_t i = 0; i < members->count; i++)
    seen[i] |= (uint32_t)(outcome_of(t, members->sm[i]) == FAST) << bit;
  return status;
}

/* The group whose word was seen; UINT16_MAX: there is none. */
static uint16_t group_of(const struct turns *t, const uint32_t *word, uint32_t seen)
{
  for (uint32_t g = 0; g < t->groups.count; g++)
    if (word[g] == seen)
      return (uint16_t)g;
  return UINT16_MAX;
}

/* The group of each member: it is fast in the launches of the bits of its group's word, and slow in
 * the others. */
static int find_groups_of(struct turns *t, const struct order *members)
{
  uint32_t word[GC_SMS_MAX];
  const uint32_t bits = choose_words(word, t->groups.count);
  bool all = false;

  for (int attempt = 0; attempt < ATTEMPTS && !all; attempt++) {
    uint32_t seen[GC_SMS_MAX] = {0};

    for (uint32_t bit = 0; bit < bits; bit++) {
      const int status = run_bit(t, members, word, bit, seen);

      if (status)
        return status;
    }
    all = true;
    for (uint32_t i = 0; i < members->count; i++) {
      uint16_t *of = &t->groups.of[members->sm[i]];

      if (*of == UINT16_MAX)
        *of = group_of(t, word, seen[i]);
      all &= *of != UINT16_MAX;
    }
  }
  if (!all)
    t->why = disagree;
  return 0;
}

static int find_all(struct turns *t)
{
  int status = find_firsts(t);

  for (uint32_t level = 0; !status && !t->why && t->rests; level++) {
    struct order members;

    if (level == LEVELS)
      t->why = "too many SMs share one";
    else if (!(status = next_members(t, &members)) && !t->why)
      status = find_groups_of(t, &members);
  }
  return status;
}

/* Notes the SMs for which a launch has not seen what follows from the groups: those of a group that
 * have the first turn among it are slow, all others fast. */
static void note_wrong(const struct turns *t, const struct seen *seen, bool wrong[GC_SMS_MAX])
{
  uint32_t first[GC_SMS_MAX];

  memset(first, 0, sizeof(first));
  for (uint32_t i = 0; i < seen->count; i++) {
    const uint32_t sm = seen->sms[i].sm, turn = seen->sms[i].turn;
    uint32_t *of_group = &first[t->groups.of[sm]];

    *of_group = *of_group ? *of_group : turn; /* turns ascend */
    wrong[sm] |= (turn == *of_group) != (seen->sms[i].longer > t->limit);
  }
}

/* Each SM votes for the groups if all launches agree with them, also those of attempts that failed. */
static double agreement(const struct turns *t)
{
  bool wrong[GC_SMS_MAX] = {false};
  uint64_t agree = 0;

  for (const struct seen *seen = t->seen; seen; seen = seen->before)
    note_wrong(t, seen, wrong);
  for (uint32_t sm = 0; sm < t->sms; sm++)
    agree += !wrong[sm];
  return gc_vote_confidence(agree, t->sms);
}

static int set_absent(struct gc_measured *element, const char *why)
{
  gc_set_absent(element, GC_INSTANCES, why);
  gc_set_absent(element, GC_PER_SM, why);
  return gc_set_absent(element, GC_SM_GROUPS, why);
}

static int put(struct turns *t, struct gc_measured *element)
{
  double confidence;

  if (t->why)
    return set_absent(element, t->why);
  confidence = agreement(t) * element->found[GC_CAPACITY].confidence;
  if (confidence < GC_CONFIDENCE_LEAST)
    return set_absent(element, disagree);
  return gc_groups_put(element, &t->groups, t->sms, GC_SM_GROUPS, confidence,
                       "several SMs share one");
}

static void choose_sizes(struct turns *t, const struct gc_measured *element)
{
  const uint64_t capacity = gc_capacity(element) / GPU_JUMPS_BYTES;
  const uint32_t own = capacity / 2 < OWN ? (uint32_t)capacity / 2 : OWN;

  t->sizes[0] = EVICTING * capacity < GPU_JUMPS_FAR ? (uint32_t)(EVICTING * capacity)
                                                    : GPU_JUMPS_FAR;
  t->sizes[1] = t->sizes[2] = own;
  t->least = SLOWER * element->miss_penalty_cycles;
  t->at_sizes = t->m->bench.scratch;
  t->at_words = t->at_sizes + sizeof(t->sizes) + 4;
  t->at_turns = gc_scratch_trace(&t->m->bench);
  t->at_cycles = t->at_turns + 4ull * GC_SMS_MAX;
}

int gc_step_instruction_groups(struct gc_measurement *m, struct gc_measured *element)
{
  struct turns *t;
  int status;

  if (!gc_found(element, GC_CAPACITY) || !gc_found(element, GC_MISS_PENALTY))
    return set_absent(element, "this needs the capacity and the miss penalty");
  if ((status = gc_number_sms(m)))
    return status;
  if (!gc_sms_without_gaps(m))
    return set_absent(element, "blocks did not reach all SMs, or their numbers have gaps");
  if (!(t = calloc(1, sizeof(*t))))
    return gc_fail(m->bench.err, -ENOMEM, "out of memory");
  t->m = m;
  t->sms = m->bench.properties.sms;
  t->turn = calloc(t->sms, sizeof(*t->turn));
  t->took = calloc((size_t)t->sms * SIZES, sizeof(*t->took));
  t->longer = calloc(t->sms, sizeof(*t->longer));
  choose_sizes(t, element);
  status = t->turn && t->took && t->longer ? find_all(t)
                                           : gc_fail(m->bench.err, -ENOMEM, "out of memory");
  if (!status)
    status = put(t, element);
  for (struct seen *before; t->seen; t->seen = before) {
    before = t->seen->before;
    free(t->seen);
  }
  free(t->longer);
  free(t->took);
  free(t->turn);
  free(t);
  return status;
}
