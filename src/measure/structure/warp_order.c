/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which warps of an SM go first if more loads wait for L1 than it can take? Blocks that reside on
 * an SM together repeat loads that hit. If the blocks do not get their data equally often, two
 * things can decide: which block is older, and which one began later. In two launches the blocks
 * begin in orders that have nothing to do with their age, so that each SM shows both separately.
 * doc/methods.md, "Order of warps".
 */
#include "measure/structure/structure.h"

#include "measure/core/placement.h"
#include "measure/core/step_memory.h"
#include "measure/walk/path.h"
#include "measure/walk/vote.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define BLOCKS GPU_SHARES_BLOCKS
#define WARPS 4  /* of a block */
#define LOADS 16 /* of a warp at once: in all, 512 loads of an SM */
#define LINES 32 /* of a load */
#define LINE 128 /* bytes */
#define BYTES                                                                                      \
  (LINES * LINE + 4 * LOADS * WARPS) /* from the first word that is loaded to the last one */
#define SMS_MOST 16
#define KIB 1024
#define QUARTER (BLOCKS / 4)
#define LAUNCHES 2

/* Cycles since the last block of the SM arrived. */
#define ALONE_BEGIN 4000
#define ALONE_FROM 10000
#define ALONE_UNTIL 42000
#define BEGIN 46000
#define APART 4000
#define FROM 96000 /* a while after the last block has begun */
#define UNTIL 256000

/* When the oldest block, the second one … begins: as number 0 to 7. The blocks that begin first in
 * one launch begin last in the other. Added up, the oldest and the youngest quarter begin at the
 * same times. */
static const uint8_t turns[LAUNCHES][BLOCKS] = {{0, 5, 2, 7, 1, 4, 3, 6}, {6, 3, 4, 1, 7, 2, 5, 0}};

/* Loads pile up if a block gets at most this share of what it gets alone. */
#define PILED 0.5
/* Blocks get the same if each gets the mean, but for this share of it. */
#define SAME (1.0 / 3)
/* They do not if the quarter that gets more gets so many times what the other one does. */
#define MORE 2.0
/* Another order is in use if a quarter that gets less in none of the named ones gets so many times
 * what the other one does. */
#define MUCH_MORE 8.0
#define LEAST_SHARE 0.75 /* of SMs that show the same */

static const char missing[] = "the blocks of a launch did not spread evenly";

/* Results of a launch on one SM. For each block: how often its loads arrived, the mean of its
 * warps. */
struct seen {
  bool complete;
  double alone, together[BLOCKS]; /* in the order of their age, the oldest first */
};

/* What the blocks of one SM, or of several, got in both launches: the quarter that is oldest, the
 * one that is youngest, those that began first and last; and a quarter as it would be if all got
 * the same, with all blocks and if a block works alone. */
struct shares {
  double oldest, youngest, first, last, mean, alone;
};

/* SMs that show: all blocks get the same; older ones get more; those that began later get more;
 * younger ones, or those that began earlier, get more. */
struct votes {
  uint32_t all, same, age, late, other;
};

/* --- launches -------------------------------------------------------------------------------- */

/* So much shared memory of a block that no more of them than these fit on an SM. Then all SMs get
 * as many. */
static uint32_t shared_bytes(const struct gc_properties *p)
{
  const uint64_t each = p->shared_per_sm / BLOCKS / KIB * KIB;

  return each >= p->shared_reserved + KIB ? (uint32_t)(each - p->shared_reserved)
                                          : (uint32_t)sizeof(uint32_t);
}

struct arrived {
  uint32_t block, ticket;
};

/* The hardware launches blocks in the order of their indices, and all of these are launched at
 * once. The clock at their first instructions shows another order: they wait for the same code. */
static int by_age(const void *a, const void *b)
{
  const struct arrived *x = a, *y = b;

  return (x->block > y->block) - (x->block < y->block);
}

static void read_result(const struct gpu_shares_result *from, struct seen *to)
{
  struct arrived arrived[BLOCKS];

  to->complete = from->origin && from->arrived == BLOCKS;
  for (uint32_t i = 0; i < BLOCKS; i++)
    arrived[i] = (struct arrived){from->block[i], i};
  qsort(arrived, BLOCKS, sizeof(*arrived), by_age);
  to->alone = (double)from->alone / WARPS;
  for (uint32_t i = 0; i < BLOCKS; i++)
    to->together[i] = (double)from->together[arrived[i].ticket] / WARPS;
}

static int launch(struct gc_measurement *m, uint32_t number, const uint32_t *sms, uint32_t n,
                  struct seen *seen)
{
  struct gc_bench *bench = &m->bench;
  const struct gc_results *results = m->results;
  const uint32_t warp = bench->properties.warp,
                 numbers = results->sm_number[results->sm_count - 1] + 1;
  const uint64_t lines = gc_scratch_trace(bench), at = lines + BYTES;
  struct gpu_shares_result *found = gc_step_alloc(bench, n, sizeof(*found));
  uint32_t *roles = gc_step_alloc(bench, numbers, sizeof(*roles));
  struct gpu_shares_args args = {.base = lines,
                                 .results = at,
                                 .roles = at + n * sizeof(*found),
                                 .sms = numbers,
                                 .lane_stride = LINES * LINE / warp,
                                 .loads = LOADS,
                                 .alone_begin = ALONE_BEGIN,
                                 .alone_from = ALONE_FROM,
                                 .alone_until = ALONE_UNTIL,
                                 .begin = BEGIN,
                                 .apart = APART,
                                 .from = FROM,
                                 .until = UNTIL,
                                 .never = GPU_BATCH_NEVER};
  int status = found && roles ? 0 : -ENOMEM;

  for (uint32_t i = 0; i < n && !status; i++)
    roles[sms[i]] = 1 + i;
  for (uint32_t i = 0; i < BLOCKS; i++)
    args.turns |= (uint32_t)turns[number][i] << 4 * i;
  if (!status)
    status = bench->ops->clear(bench->device, lines, args.roles - lines, bench->err);
  if (!status)
    status =
        bench->ops->upload(bench->device, args.roles, roles, numbers * sizeof(*roles), bench->err);
  if (!status)
    status = gc_bench_launch_fetch(bench, GC_KERNEL_shares, BLOCKS * bench->properties.sms,
                                   WARPS * warp, shared_bytes(&bench->properties), &args,
                                   &(struct gc_fetch){found, at, n * sizeof(*found)});
  for (uint32_t i = 0; i < n && !status; i++)
    read_result(&found[i], &seen[i]);
  return status;
}

/* --- what they show -------------------------------------------------------------------------- */

static bool is_more(double high, double low, double times)
{
  return high > 0 && high >= times * low;
}

static void add(struct shares *to, struct shares from)
{
  to->oldest += from.oldest;
  to->youngest += from.youngest;
  to->first += from.first;
  to->last += from.last;
  to->mean += from.mean;
  to->alone += from.alone;
}

/* How much the blocks of an SM got, and its votes. */
static struct shares evaluate(const struct seen seen[LAUNCHES], struct votes *votes)
{
  struct shares s = {0};
  double least = seen[0].together[0], most = least, sum = 0;

  for (uint32_t l = 0; l < LAUNCHES; l++) {
    for (uint32_t i = 0; i < BLOCKS; i++) {
      const double got = seen[l].together[i];
      const uint32_t turn = turns[l][i];

      sum += got;
      least = got < least ? got : least;
      most = got > most ? got : most;
      s.oldest += i < QUARTER ? got : 0;
      s.youngest += i >= BLOCKS - QUARTER ? got : 0;
      s.first += turn < QUARTER ? got : 0;
      s.last += turn >= BLOCKS - QUARTER ? got : 0;
    }
    s.alone += QUARTER * seen[l].alone * (UNTIL - FROM) / (ALONE_UNTIL - ALONE_FROM);
  }
  s.mean = sum * QUARTER / BLOCKS;
  sum /= LAUNCHES * BLOCKS;
  votes->all++;
  votes->same += least >= (1 - SAME) * sum && most <= (1 + SAME) * sum;
  votes->age += is_more(s.oldest, s.youngest, MORE);
  votes->late += is_more(s.last, s.first, MORE);
  votes->other += is_more(s.youngest, s.oldest, MUCH_MORE) || is_more(s.first, s.last, MUCH_MORE);
  return s;
}

/* Whether one of these two decides: `high` is more than the mean, `low` less, and more SMs show it
 * than not; and the other two are about the same. */
static bool decides(double high, double mean, double low, double one, double other)
{
  return is_more(high, low, MORE) && high >= mean && mean >= low && !is_more(one, other, MORE) &&
         !is_more(other, one, MORE);
}

static int conclude(struct gc_measured *element, const struct shares *s, const struct votes *votes)
{
  uint32_t agree = votes->same;

  if (!votes->all || !(s->alone > 0))
    return gc_set_absent(element, GC_WARP_ORDER, missing);
  if (s->mean > PILED * s->alone)
    return gc_set_absent(element, GC_WARP_ORDER, "loads that hit do not pile up in front of L1");
  if (votes->same >= LEAST_SHARE * votes->all) {
    element->warp_order = GC_WARPS_IN_TURN;
  } else if (decides(s->oldest, s->mean, s->youngest, s->first, s->last) &&
             votes->age >= LEAST_SHARE * votes->all) {
    element->warp_order = GC_WARPS_OLDEST;
    agree = votes->age;
  } else if (decides(s->last, s->mean, s->first, s->oldest, s->youngest) &&
             votes->late >= LEAST_SHARE * votes->all) {
    element->warp_order = GC_WARPS_READY;
    agree = votes->late;
  } else if (votes->other >= LEAST_SHARE * votes->all) {
    element->warp_order = GC_WARPS_OTHER;
    agree = votes->other;
  } else {
    return gc_set_absent(element, GC_WARP_ORDER,
                         "the blocks do not get their data equally often, and no order is clear");
  }
  return gc_set_measured(element, GC_WARP_ORDER, gc_vote_confidence(agree, votes->all));
}

static void write_raw(struct gc_raw *raw, uint32_t sm, uint32_t number, const struct seen *seen)
{
  for (uint32_t i = 0; i < BLOCKS; i++)
    gc_raw_row(raw, "age\tbegins as\titerations\titerations of the oldest block alone\tlaunch\tSM",
               (double[]){i, turns[number][i], seen->together[i], seen->alone, number, sm});
}

int gc_step_warp_order(struct gc_measurement *m, struct gc_measured *element)
{
  const struct gc_properties *p = &m->bench.properties;
  const struct gc_results *results = m->results;
  struct seen seen[LAUNCHES][SMS_MOST] = {0};
  struct shares all = {0};
  struct votes votes = {0};
  uint32_t sms[SMS_MOST], n;
  int status;

  if (!p->global_l1)
    return gc_no_value(&m->bench, "loads from global memory are not cached in L1");
  if ((p->blocks_per_sm && p->blocks_per_sm < BLOCKS) ||
      p->threads_per_sm < BLOCKS * WARPS * p->warp)
    return gc_no_value(&m->bench, "too few blocks can be resident together");
  if ((status = gc_number_sms(m)))
    return status;
  if (!results->sm_count)
    return gc_no_value(&m->bench, missing);
  n = results->sm_count < SMS_MOST ? results->sm_count : SMS_MOST;
  for (uint32_t i = 0; i < n; i++)
    sms[i] = results->sm_number[i * results->sm_count / n];
  for (uint32_t l = 0; l < LAUNCHES; l++)
    if ((status = launch(m, l, sms, n, seen[l])))
      return status;
  for (uint32_t i = 0; i < n; i++) {
    const struct seen both[LAUNCHES] = {seen[0][i], seen[1][i]};

    if (!both[0].complete || !both[1].complete)
      continue;
    add(&all, evaluate(both, &votes));
    for (uint32_t l = 0; l < LAUNCHES; l++)
      write_raw(m->bench.raw, sms[i], l, &both[l]);
  }
  return conclude(element, &all, &votes);
}
