/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The census (verdict.h) of a constant L1.5 that one bank of constants does not fill. Several
 * copies of the kernels have a bank each, and their blocks on one SM walk their banks one after the
 * other (kernels/census.c). All banks are read, up to two and a half times what the cache holds.
 * Then each block probes some slots of its bank. This repeats in other orders, on one SM of each
 * cache. doc/methods.md, "Census".
 *
 * The cache also holds code. The code that is fetched when the launches start is evicted by a few
 * passes whose probes do not count. From then on SMs have all of the code in other caches, and
 * nothing but banks goes through this cache: no launch argument, no jump table (tests/kernels), and
 * waiting blocks poll L2.
 *
 * Each block still finds what it read last, whatever blocks of other launches have read since. On
 * an H200 these are 2 KiB of each of four banks, as much as a constant L1 holds, although warps of
 * one launch share that. Probes of these slots would also count the constant L1. They are left out,
 * and the probes next to them replace them.
 */
#include "kernels/census_order.h"
#include "measure/census/census.h"
#include "measure/census/probes.h"
#include "measure/core/step_memory.h"
#include "measure/walk/banks.h"
#include "measure/walk/levels.h"
#include "measure/walk/path.h"

#include <errno.h>

/* Capacities that are read, so that all sets get enough lines, whichever banks they get them from;
 * GC_CENSUS_SPAN_MIN is enough if there are not more banks. */
#define SPAN 2.5
#define LINE_MAX 256u     /* bytes: a pass begins at the start of a line */
#define QUIET_BYTES 32768 /* one probe per so many bytes does not disturb the others */
#define WARM 3            /* passes until nothing is left of earlier contents */
#define ROUNDS 24         /* of one launch */
#define PROBES 1024       /* least number in all, if no more launches than this are needed: */
#define LAUNCHES 4
#define ATTEMPTS 3
#define POLLS_MAX 65536 /* polls of a word by a waiting block; a few ms */
/* Words: keeps the words of the tickets apart from the word that counts arrived blocks. */
#define NEXT 16

struct count {
  struct gc_measurement *m;
  const struct gc_participants *participants;
  struct gpu_banks_census_args args; /* of bank 0 */
  struct gc_probes probes;
  uint32_t near;   /* slots at the end of a pass that a constant L1 may hold */
  uint32_t *words; /* host copy of these parts: arrived, next, indices, results */
  size_t next, indices, results, size; /* where these parts begin; size: all of them; in words */
};

/* The slots in a constant L1 and one line. */
static uint32_t near_slots(const struct gc_results *results, uint32_t step)
{
  const struct gc_measured *l1 = &results->element[GC_CONSTANT_L1];

  return l1->tried ? (uint32_t)((gc_capacity(l1) + LINE_MAX) / step) : 0;
}

/* Returns false if there are not enough banks. */
static bool plan(struct count *c, uint64_t capacity)
{
  const uint32_t step = c->participants->flush, line = step > LINE_MAX ? step : LINE_MAX;
  const uint64_t wanted = (uint64_t)(SPAN * (double)capacity);
  const uint64_t needed = (wanted + GPU_CONSTANT_BYTES - 1) / GPU_CONSTANT_BYTES;
  const uint64_t banks = needed < GC_COPIES_MAX ? needed : GC_COPIES_MAX;
  const uint64_t most = GPU_CONSTANT_BYTES / line,
                 lines = (wanted + banks * line - 1) / (banks * line);
  struct gpu_banks_census_args *a = &c->args;
  uint64_t quiet;

  a->first = c->m->bench.constant_base;
  a->step = step;
  a->grain = line / step;
  a->grains = (uint32_t)(lines < most ? lines : most);
  a->slots = a->grain * a->grains;
  a->banks = (uint32_t)banks;
  a->count = (uint32_t)c->participants->count;
  a->warm = WARM;
  a->rounds = ROUNDS;
  c->near = near_slots(c->m->results, step);
  quiet = (uint64_t)a->slots * step / QUIET_BYTES;
  a->probes = quiet < 1                         ? 1
              : quiet < GPU_BANKS_CENSUS_PROBES ? (uint32_t)quiet
                                                : GPU_BANKS_CENSUS_PROBES;
  while (a->all < LAUNCHES * ROUNDS && (uint64_t)a->all * a->probes * a->banks * a->count < PROBES)
    a->all += ROUNDS;
  c->probes.bytes = (double)a->slots * step * a->banks;
  c->probes.n = (size_t)a->all * a->probes * a->banks * a->count;
  c->probes.rounds = a->all;
  a->scale = ((uint64_t)a->slots * a->banks << 24) / c->probes.n;
  return c->probes.bytes >= GC_CENSUS_SPAN_MIN * (double)capacity && 2 * c->near <= a->slots;
}

static int lay_words(struct count *c)
{
  const struct gpu_banks_census_args *a = &c->args;
  struct gc_bench *bench = &c->m->bench;
  const uint64_t scratch = gc_scratch_large(bench);

  c->next = NEXT;
  c->indices = c->next + c->participants->sms;
  c->results = c->indices + c->participants->sms;
  c->size = c->results + (size_t)a->banks * a->count * a->rounds;
  c->words = gc_step_alloc(bench, c->size, sizeof(*c->words));
  if (!c->words)
    return -ENOMEM;
  if (c->size > GC_TRACE_MAX)
    return gc_fail(bench->err, -EINVAL, "there are too many SMs for a census of several banks");
  c->args.ticket = (struct gpu_ticket){.arrived = scratch,
                                       .next = scratch + c->next * sizeof(*c->words),
                                       .blocks = a->banks * bench->properties.sms,
                                       .sms = c->participants->sms,
                                       .polls_max = POLLS_MAX};
  c->args.participants = scratch + c->indices * sizeof(*c->words);
  c->args.results = scratch + c->results * sizeof(*c->words);
  return 0;
}

static int launch(struct count *c)
{
  struct gc_bench *bench = &c->m->bench;
  const size_t bytes = c->size * sizeof(*c->words);
  struct gpu_banks_census_args args[GC_COPIES_MAX];
  struct gc_launch launches[GC_COPIES_MAX];
  uint32_t copies[GC_COPIES_MAX];
  int status;

  for (uint32_t bank = 0; bank < c->args.banks; bank++) {
    args[bank] = c->args;
    args[bank].ticket.launch = copies[bank] = bank;
    launches[bank] = (struct gc_launch){.kernel = GC_KERNEL_banks_census,
                                        .blocks = bench->properties.sms,
                                        .threads = bench->properties.warp,
                                        .args = &args[bank],
                                        .args_bytes = sizeof(args[bank])};
  }
  for (size_t i = 0; i < c->size; i++)
    c->words[i] = i >= c->indices && i < c->results ? UINT32_MAX : 0;
  for (uint32_t i = 0; i < c->args.count; i++)
    c->words[c->indices + c->participants->sm[i]] = i;
  if ((status = bench->ops->upload(bench->device, c->args.ticket.arrived, c->words, bytes,
                                   bench->err)) ||
      (status = gc_bench_launch_concurrent(bench, launches, copies, c->args.banks)))
    return status;
  return bench->ops->download(bench->device, c->words, c->args.ticket.arrived, bytes, bench->err);
}

/* Did all participants serve all their tickets? */
static bool complete(const struct count *c)
{
  const uint32_t tickets = 2 * (c->args.warm + c->args.rounds) * c->args.banks;

  for (uint32_t i = 0; i < c->args.count; i++)
    if (c->words[c->next + c->participants->sm[i]] != tickets)
      return false;
  return true;
}

/* Adds the probes of one SM in one bank and round. */
static void add(struct count *c, uint32_t bank, uint32_t index, uint32_t round)
{
  const struct gpu_banks_census_args *a = &c->args;
  const uint32_t seen =
      c->words[c->results + ((size_t)bank * a->count + index) * a->rounds + round];
  const uint32_t lead = gpu_banks_census_lead(a->warm + round, a->banks);
  const uint32_t before = gpu_banks_census_rank(bank, lead, a->banks);

  for (uint32_t k = 0; k < a->probes; k++) {
    const uint32_t part =
        gpu_census_part(index, a->count, before * a->probes + k, a->from + round, a->all);
    const uint32_t two = seen >> 2 * (a->probes - 1 - k);

    if (gpu_census_rank(part, a->scale) - before * a->slots + c->near < a->slots)
      gc_probes_add(&c->probes, part, a->from + round, two & 2, two & 1);
  }
}

/* *apart: the launches did not run at the same time. */
static int probe(struct count *c, bool *apart)
{
  int status = lay_words(c);

  *apart = false;
  for (c->args.from = 0; c->args.from < c->args.all && !status && !*apart;
       c->args.from += c->args.rounds) {
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

static int count_banks(struct gc_measurement *m, const struct gc_participants *participants,
                       const struct gc_measured *element, struct gc_census *census)
{
  const struct gc_level *level = &element->level;
  struct count c = {.m = m, .participants = participants};
  bool apart;
  int status;

  if (!plan(&c, gc_capacity(element))) {
    gc_census_fail(census, "there is not enough to read for it");
    return 0;
  }
  c.args.limit = c.probes.limit = (uint32_t)((level->hit + level->miss) / 2);
  if (!(status = gc_probes_open(&c.probes, &m->bench)) && !(status = probe(&c, &apart))) {
    if (apart)
      gc_census_fail(census, "launches that should run together did not");
    else
      gc_probes_conclude(&c.probes, m->bench.raw, census);
  }
  return status;
}

int gc_step_constant15_census(struct gc_measurement *m, struct gc_measured *element)
{
  struct gc_census census = {.error = 0};
  const struct gc_participants *participants;
  int status;

  if (gc_capacity(element) &&
      (gc_constant_fetch_unknown(m->results) ||
       gc_constant_l15_stride(m->results) > gc_path_of(GC_CONSTANT_L15)->stride)) {
    gc_census_fail(&census, gc_constant_fetch_unknown(m->results)
                                ? gc_constant_fetch_why
                                : "the constant L1 fetches more than lies between two probes");
    return gc_settle_census(m, element, &census);
  }
  if (GC_CENSUS_SPAN_MIN * (double)gc_capacity(element) <= GPU_CONSTANT_BYTES ||
      !(element->level.miss > 0))
    return gc_step_census(m, element);
  if ((status = gc_find_participants(m, &participants)))
    return status;
  if (!participants)
    gc_census_fail(&census, "this GPU cannot run several launches together");
  else
    status = count_banks(m, participants, element, &census);
  return status ? status : gc_settle_census(m, element, &census);
}
