/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The second way to the capacity of a constant L1.5 (census.c) that one bank of constants does not fill:
 * banks of several copies of the kernels, whose blocks on one SM take turns (kernels/census.c). All banks are
 * read, up to two and a half times what the cache holds in all, then each looks up some of its slots, and so on, in
 * other orders, on one SM of each cache.
 *
 * Code is in the same cache. What was fetched when the launches started is pushed out by a few readings
 * without looks that count; after that SMs have all of it in caches of their own, and nothing but banks passes
 * through this one: no launch argument, no jump table (tests/kernels), and those who wait do so at L2.
 *
 * What each block read last is still found, whatever blocks of other launches read since: on an H200 2 KiB of
 * each of four banks, as much as a constant L1 holds, though warps of one launch share that. Looks there would
 * count the constant L1 too, and are left out: what was found next to them stands for them.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/looks.h"
#include "measure/turns.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define SPAN 2.5            /* read so many times what was found: all sets get enough, however banks fall on them; … */
#define SPAN_MIN 1.25       /* … or so many, where there are not more banks */
#define LINE_MAX 256u       /* bytes: a reading begins with a line */
#define QUIET_BYTES 32768   /* a look in so many does not disturb the others */
#define WARM 3              /* readings until nothing is left of what was there before */
#define ROUNDS 24           /* of one launch */
#define LOOKS 1024          /* in all at least, where this many launches are enough: */
#define LAUNCHES 4
#define ATTEMPTS 3
#define PATIENCE 65536      /* looks at a word; a few ms */

struct count {
  struct gc_bench *bench;
  const struct gc_takers *takers;
  struct gpu_turn_census_args args; /* of bank 0 */
  struct gc_looks looks;
  uint32_t near;   /* slots at the end of a reading that a constant L1 may have */
  uint32_t *words; /* host's copy of: come, next, who, results */
  size_t next, who, results, size; /* where these begin, words */
};

/* What the constant L1 holds, and a line. */
static uint32_t near_slots(const struct gc_bench *bench, uint32_t step)
{
  const struct gc_element *l1 = gc_record_find(bench->record, GC_CONSTANT_L1);

  return l1 ? (uint32_t)((gc_capacity_known(l1) + LINE_MAX) / step) : 0;
}

/* False: there are not enough banks. */
static bool plan(struct count *c, uint64_t capacity)
{
  const uint32_t step = c->takers->flush, line = step > LINE_MAX ? step : LINE_MAX;
  const uint64_t wanted = (uint64_t)(SPAN * (double)capacity);
  const uint64_t needed = (wanted + GPU_CONSTANT_BYTES - 1) / GPU_CONSTANT_BYTES;
  const uint64_t banks = needed < GC_COPIES_MAX ? needed : GC_COPIES_MAX;
  const uint64_t most = GPU_CONSTANT_BYTES / line, lines = (wanted + banks * line - 1) / (banks * line);
  struct gpu_turn_census_args *a = &c->args;
  uint64_t quiet;

  a->first = c->bench->constant_base;
  a->step = step;
  a->grain = line / step;
  a->grains = (uint32_t)(lines < most ? lines : most);
  a->slots = a->grain * a->grains;
  a->banks = (uint32_t)banks;
  a->count = (uint32_t)c->takers->count;
  a->warm = WARM;
  a->rounds = ROUNDS;
  c->near = near_slots(c->bench, step);
  quiet = (uint64_t)a->slots * step / QUIET_BYTES;
  a->each = quiet < 1 ? 1 : quiet < GPU_TURN_CENSUS_LOOKS ? (uint32_t)quiet : GPU_TURN_CENSUS_LOOKS;
  while (a->all < LAUNCHES * ROUNDS && (uint64_t)a->all * a->each * a->banks * a->count < LOOKS)
    a->all += ROUNDS;
  c->looks.bytes = (double)a->slots * step * a->banks;
  c->looks.n = (size_t)a->all * a->each * a->banks * a->count;
  c->looks.rounds = a->all;
  a->scale = ((uint64_t)a->slots * a->banks << 24) / c->looks.n;
  return c->looks.bytes >= SPAN_MIN * (double)capacity && 2 * c->near <= a->slots;
}

/* Words in the scratch, behind the small results: chases use this part of it, and none is under way. */
static int lay_words(struct count *c)
{
  const struct gpu_turn_census_args *a = &c->args;
  const uint64_t scratch = c->bench->scratch + 4096;

  c->next = 16; /* apart from those who come */
  c->who = c->next + c->takers->sms;
  c->results = c->who + c->takers->sms;
  c->size = c->results + (size_t)a->banks * a->count * a->rounds;
  c->words = calloc(c->size, sizeof(*c->words));
  if (!c->words)
    return gc_fail(c->bench->err, -ENOMEM, "out of memory");
  if (c->size > GC_TRACE_MAX)
    return gc_fail(c->bench->err, -EINVAL, "there are too many SMs for a census by turns");
  c->args.turn = (struct gpu_turn){.come = scratch,
                                   .next = scratch + c->next * sizeof(*c->words),
                                   .blocks = a->banks * c->bench->properties.sms,
                                   .sms = c->takers->sms,
                                   .patience = PATIENCE};
  c->args.who = scratch + c->who * sizeof(*c->words);
  c->args.results = scratch + c->results * sizeof(*c->words);
  return 0;
}

static int launch(struct count *c)
{
  const struct gc_bench *bench = c->bench;
  const size_t bytes = c->size * sizeof(*c->words);
  struct gpu_turn_census_args args[GC_COPIES_MAX];
  struct gc_launch launches[GC_COPIES_MAX];
  uint32_t copies[GC_COPIES_MAX];
  int status;

  for (uint32_t bank = 0; bank < c->args.banks; bank++) {
    args[bank] = c->args;
    args[bank].turn.launch = copies[bank] = bank;
    launches[bank] = (struct gc_launch){.kernel = GC_KERNEL_turn_census,
                                        .blocks = bench->properties.sms,
                                        .threads = bench->properties.warp,
                                        .args = &args[bank],
                                        .args_bytes = sizeof(args[bank])};
  }
  for (size_t i = 0; i < c->size; i++)
    c->words[i] = i >= c->who && i < c->results ? UINT32_MAX : 0;
  for (uint32_t i = 0; i < c->args.count; i++)
    c->words[c->who + c->takers->sm[i]] = i;
  if ((status = bench->ops->upload(bench->device, c->args.turn.come, c->words, bytes, bench->err)) ||
      (status = bench->ops->launch_together(bench->device, launches, copies, c->args.banks, bench->err)) ||
      (status = bench->ops->wait(bench->device, bench->err)))
    return status;
  return bench->ops->download(bench->device, c->words, c->args.turn.come, bytes, bench->err);
}

/* All of them have taken all their turns. */
static bool complete(const struct count *c)
{
  const uint32_t turns = 2 * (c->args.warm + c->args.rounds) * c->args.banks;

  for (uint32_t i = 0; i < c->args.count; i++)
    if (c->words[c->next + c->takers->sm[i]] != turns)
      return false;
  return true;
}

/* What one SM saw in one of the banks. */
static void add(struct count *c, uint32_t bank, uint32_t index, uint32_t round)
{
  const struct gpu_turn_census_args *a = &c->args;
  const uint32_t seen = c->words[c->results + ((size_t)bank * a->count + index) * a->rounds + round];
  const uint32_t lead = gpu_turn_census_lead(a->warm + round, a->banks);
  const uint32_t before = gpu_turn_census_rank(bank, lead, a->banks);

  for (uint32_t k = 0; k < a->each; k++) {
    const uint32_t part = gpu_census_part(index, a->count, before * a->each + k, a->from + round, a->all);
    const uint32_t two = seen >> 2 * (a->each - 1 - k);

    if (gpu_census_rank(part, a->scale) - before * a->slots + c->near < a->slots)
      gc_looks_add(&c->looks, part, a->from + round, two & 2, two & 1);
  }
}

static int look_up(struct count *c, bool *apart)
{
  int status = lay_words(c);

  *apart = false;
  for (c->args.from = 0; c->args.from < c->args.all && !status && !*apart; c->args.from += c->args.rounds) {
    int attempt = 0;

    while (!(status = launch(c)) && (*apart = !complete(c)) && ++attempt < ATTEMPTS)
      ;
    for (uint32_t bank = 0; bank < c->args.banks && !status && !*apart; bank++)
      for (uint32_t i = 0; i < c->args.count; i++)
        for (uint32_t round = 0; round < c->args.rounds; round++)
          add(c, bank, i, round);
  }
  return status;
}

static int count_banks(struct gc_bench *bench, const struct gc_takers *takers, uint64_t capacity,
                       struct gc_census *census)
{
  const struct gc_level *level = &bench->levels[GC_CONSTANT_L15];
  struct count c = {.bench = bench, .takers = takers};
  bool apart;
  int status;

  if (!plan(&c, capacity)) {
    snprintf(census->absent, sizeof(census->absent), "there is not enough to read for it");
    return 0;
  }
  c.args.limit = c.looks.limit = (uint32_t)((level->hit + level->miss) / 2);
  if (!(status = gc_looks_open(&c.looks, bench->err)) && !(status = look_up(&c, &apart))) {
    if (apart)
      snprintf(census->absent, sizeof(census->absent), "launches that should run together did not");
    else
      gc_looks_conclude(&c.looks, bench->raw, census);
  }
  free(c.words);
  gc_looks_close(&c.looks);
  return status;
}

int gc_step_constant15_census(struct gc_bench *bench, struct gc_element *element)
{
  const uint64_t capacity = gc_capacity_known(element);
  struct gc_census census = {.error = 0};
  const struct gc_takers *takers;
  int status;

  if (SPAN_MIN * (double)capacity <= GPU_CONSTANT_BYTES || !(bench->levels[GC_CONSTANT_L15].miss > 0))
    return gc_step_census(bench, element);
  if ((status = gc_find_takers(bench, &takers)))
    return status;
  if (!takers)
    snprintf(census.absent, sizeof(census.absent), "this GPU cannot run several launches together");
  else
    status = count_banks(bench, takers, capacity, &census);
  return status ? status : gc_settle_census(bench, element, &census);
}
