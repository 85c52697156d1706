/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Walks of constants in several modules. Launches of several modules run at the same time, and
 * tickets order the blocks on each SM: first, banks are read that evict what was in the cache; then
 * the banks under test are brought in; then code is executed, if requested; then the banks are
 * timed.
 *
 * On an H200 constants share a cache with code. The code that SMs fetch when launches start stays
 * in it until more has come in than the cache holds. So two more banks are walked before the first
 * bank that counts. Without them a 128 KiB cache misses from 96 KiB on; with them the first miss is
 * at 128 KiB + 64 B. doc/methods.md, "Constant L1.5 over several modules".
 */
#include "measure/walk/banks.h"

#include "measure/core/step_memory.h"

#include <errno.h>
#include <string.h>

#define FLUSHES 2
#define FETCH_MAX 1024 /* the most bytes that one miss brings in */
#define ATTEMPTS 3
#define POLLS_MAX 65536 /* polls of a word; a few ms */
#define TURNS_MAX (FLUSHES + 2 * GC_BANKS_MAX + 1)
#define VOTES 12    /* the least number of answers; fewer participants answer several times */
#define EVICTED 0.5 /* if at least this share of the lines misses again, they were evicted */
#define STAYED 0.1  /* at most this share misses again if nothing was evicted */
#define MAJORITY 0.75

/* The work of one turn. */
enum work {
  EVICT, /* reads all of a bank that is not walked */
  FILL,  /* brings a bank in */
  CODE,  /* executes straight-line code */
  TIME,  /* walks a bank; its results count */
};

#define LAUNCHES_MAX (FLUSHES + GC_BANKS_MAX + 1)
_Static_assert(TURNS_MAX <= GPU_BANKS_TURNS_MAX, "each turn has a number");
_Static_assert(LAUNCHES_MAX <= GC_CONCURRENT_MAX, "all launches run at the same time");

/* The turns in the order of their tickets. */
struct plan {
  struct {
    enum work work;
    size_t bank; /* that is filled or timed: a part of the array */
    uint32_t launch;
  } turns[TURNS_MAX];
  uint32_t copies[LAUNCHES_MAX]; /* copy of the kernels, by launch; not for CODE */
  uint32_t count, launches;
};

static void add(struct plan *plan, enum work work, size_t bank, uint32_t launch)
{
  plan->turns[plan->count].work = work;
  plan->turns[plan->count].bank = bank;
  plan->turns[plan->count++].launch = launch;
}

static uint32_t add_launch(struct plan *plan, uint32_t copy)
{
  plan->copies[plan->launches] = copy;
  return plan->launches++;
}

/* The first `banks` copies are walked. The last copies evict, even if they are walked too. A launch
 * that fills a bank also times it, but one that evicts does nothing else: on an H200 one that
 * evicts first and fills a bank later makes one set of the cache miss too early, from 81,536 bytes
 * on. */
static void make_plan(size_t banks, bool code, struct plan *plan)
{
  uint32_t first;

  plan->count = plan->launches = 0;
  for (size_t i = 0; i < FLUSHES; i++)
    add(plan, EVICT, 0, add_launch(plan, (uint32_t)(GC_COPIES_MAX - 1 - i)));
  first = plan->launches;
  for (size_t i = 0; i < banks; i++)
    add(plan, FILL, i, add_launch(plan, (uint32_t)i));
  if (code)
    add(plan, CODE, 0, add_launch(plan, 0));
  for (size_t i = 0; i < banks; i++)
    add(plan, TIME, i, first + (uint32_t)i);
}

/* The bytes of an array that lie in this bank. */
static uint64_t part_of(uint64_t bytes, size_t bank)
{
  const uint64_t before = (uint64_t)bank * GPU_CONSTANT_BYTES;

  if (bytes <= before)
    return 0;
  return bytes - before < GPU_CONSTANT_BYTES ? bytes - before : GPU_CONSTANT_BYTES;
}

/* Follows the second ring of a bank, with as few loads as bring in its first `bytes`. */
static struct gpu_banks_job flush_job(const struct gc_banks *banks, uint64_t bytes)
{
  const uint32_t flush = banks->participants.flush;

  return (struct gpu_banks_job){.start = banks->m->bench.constant_base + sizeof(uint64_t),
                                .end = GPU_NEVER,
                                .loads = (uint32_t)((bytes + flush - 1) / flush)};
}

static uint32_t stride_of(const struct gc_banks *banks)
{
  return banks->half ? 2 * banks->half : GC_BANKS_STRIDE;
}

/* The offset of slot i in its bank; i counts through all banks. */
static uint64_t slot_at(const struct gc_banks *banks, size_t i)
{
  const size_t count = GPU_CONSTANT_BYTES / stride_of(banks);

  return i % count * stride_of(banks) + (banks->half && banks->second[i] ? banks->half : 0);
}

/* Follows the first ring of a bank. */
static struct gpu_banks_job walk_job(const struct gc_banks *banks, size_t bank, uint64_t bytes)
{
  const uint32_t stride = stride_of(banks);
  const uint64_t start = slot_at(banks, bank * (GPU_CONSTANT_BYTES / stride));

  return (struct gpu_banks_job){.start = banks->m->bench.constant_base + start,
                                .end = GPU_NEVER,
                                .loads = (uint32_t)(bytes / stride)};
}

/* Device memory contains the words of the tickets, then the jobs, then the results. */
static size_t word_bytes(const struct gc_banks *banks)
{
  return 64 + (banks->participants.sms * sizeof(uint32_t) + 63) / 64 * 64;
}

static size_t job_bytes(const struct gc_banks *banks)
{
  return TURNS_MAX * banks->participants.sms * sizeof(struct gpu_banks_job);
}

static size_t result_bytes(const struct gc_banks *banks)
{
  return TURNS_MAX * banks->participants.sms * sizeof(struct gpu_banks_result);
}

static struct gpu_banks_job job_of(const struct gc_banks *banks, const struct plan *plan,
                                   size_t turn, bool sparse, uint64_t bytes)
{
  const enum work work = plan->turns[turn].work;
  const size_t bank = plan->turns[turn].bank;
  const uint64_t part = part_of(bytes, bank);

  if (work == EVICT)
    return flush_job(banks, GPU_CONSTANT_BYTES);
  if (work == CODE)
    return walk_job(banks, 0, 0);
  if (work == FILL && !banks->half)
    return flush_job(banks, part);
  return sparse ? flush_job(banks, part) : walk_job(banks, bank, part);
}

/* Sets the jobs of the participants. The other SMs have no loads. */
static void set_jobs(struct gc_banks *banks, const struct plan *plan, bool sparse,
                     const struct gc_run *runs, size_t n)
{
  const size_t sms = banks->participants.sms;

  for (size_t i = 0; i < TURNS_MAX * sms; i++)
    banks->jobs[i] = walk_job(banks, 0, 0);
  for (size_t k = 0; k < plan->count; k++)
    for (size_t i = 0; i < n; i++)
      banks->jobs[k * sms + banks->participants.sm[i]] =
          job_of(banks, plan, k, sparse, runs[i].bytes);
}

struct batch {
  struct gc_launch launches[LAUNCHES_MAX];
  struct gpu_banks_args walks[LAUNCHES_MAX];
  struct gpu_filler_args filler;
};

/* The turns of a launch as its kernel takes them. *first: the first of them. */
static uint32_t turns_of(const struct plan *plan, uint32_t launch, uint32_t *first)
{
  uint32_t turns = GPU_BANKS_NO_TURN;

  for (uint32_t turn = plan->count; turn-- > 0;)
    if (plan->turns[turn].launch == launch) {
      turns = turns << 4 | turn;
      *first = turn;
    }
  return turns;
}

static void set_launch(const struct gc_banks *banks, const struct plan *plan, uint32_t k,
                       uint32_t threshold, struct batch *batch)
{
  const struct gc_bench *bench = &banks->m->bench;
  const uint64_t jobs = banks->device + word_bytes(banks);
  struct gpu_ticket ticket = {.arrived = banks->device,
                              .next = banks->device + 64,
                              .blocks = plan->launches * bench->properties.sms,
                              .sms = banks->participants.sms,
                              .polls_max = POLLS_MAX};
  const uint32_t turns = turns_of(plan, k, &ticket.launch);
  const bool code = plan->turns[ticket.launch].work == CODE;

  batch->walks[k] = (struct gpu_banks_args){.ticket = ticket,
                                            .jobs = jobs,
                                            .results = jobs + job_bytes(banks),
                                            .threshold = threshold,
                                            .turns = turns};
  if (code)
    batch->filler = (struct gpu_filler_args){.ticket = ticket, .sink = bench->scratch};
  batch->launches[k] = (struct gc_launch){
      .kernel = code ? GC_KERNEL_filler : GC_KERNEL_banks_constant,
      .blocks = bench->properties.sms,
      .threads = bench->properties.warp,
      .args = code ? (const void *)&batch->filler : &batch->walks[k],
      .args_bytes = code ? sizeof(batch->filler) : sizeof(batch->walks[k]),
  };
}

static int launch(struct gc_banks *banks, const struct plan *plan, uint32_t threshold)
{
  struct gc_bench *bench = &banks->m->bench;
  const uint64_t jobs = banks->device + word_bytes(banks), results = jobs + job_bytes(banks);
  struct batch batch;
  int status;

  for (uint32_t k = 0; k < plan->launches; k++)
    set_launch(banks, plan, k, threshold, &batch);
  if ((status = bench->ops->clear(bench->device, banks->device, word_bytes(banks), bench->err)) ||
      (status = bench->ops->clear(bench->device, results, result_bytes(banks), bench->err)) ||
      (status =
           bench->ops->upload(bench->device, jobs, banks->jobs, job_bytes(banks), bench->err)) ||
      (status = gc_bench_launch_concurrent(bench, batch.launches, plan->copies, plan->launches)))
    return status;
  return bench->ops->download(bench->device, banks->results, results, result_bytes(banks),
                              bench->err);
}

/* Did every participant do all of its loads in every turn? */
static bool complete(const struct gc_banks *banks, const struct plan *plan, size_t n)
{
  for (size_t k = 0; k < plan->count; k++)
    for (size_t i = 0; i < n; i++) {
      const size_t at = k * banks->participants.sms + banks->participants.sm[i];

      if (banks->results[at].loads != banks->jobs[at].loads)
        return false;
    }
  return true;
}

static void add_loads(struct gpu_chase_result *seen, const struct gc_binning *binning,
                      uint64_t cycles, uint32_t loads)
{
  const uint64_t mean = loads ? cycles / loads : 0;
  const uint64_t bin = (mean > binning->low ? mean - binning->low : 0) >> binning->shift;

  seen->histogram[bin < GPU_HISTOGRAM_BINS ? bin : GPU_HISTOGRAM_BINS - 1] += loads;
  seen->cycles += cycles;
  seen->loads += loads;
}

/* Results like those of a p-chase, but all hits count with their mean latency, and so do all
 * misses. */
static void collect(const struct gc_banks *banks, const struct plan *plan,
                    const struct gc_binning *binning, struct gc_run *runs, size_t n)
{
  for (size_t i = 0; i < n; i++)
    memset(&runs[i].seen, 0, sizeof(runs[i].seen));
  for (size_t k = 0; k < plan->count; k++)
    for (size_t i = 0; i < n && plan->turns[k].work == TIME; i++) {
      const struct gc_participants *participants = &banks->participants;
      const struct gpu_banks_result *result =
          &banks->results[k * participants->sms + participants->sm[i]];

      add_loads(&runs[i].seen, binning, result->cycles[0], result->loads - result->slow);
      add_loads(&runs[i].seen, binning, result->cycles[1], result->slow);
      runs[i].seen.slow += result->slow;
      runs[i].seen.sm = banks->participants.sm[i];
    }
}

/* Slow loads of all participants while the banks were filled. */
static uint64_t count_cold(const struct gc_banks *banks, const struct plan *plan, size_t n)
{
  uint64_t cold = 0;

  for (size_t k = 0; k < plan->count; k++)
    for (size_t i = 0; i < n && plan->turns[k].work == FILL; i++)
      cold += banks->results[k * banks->participants.sms + banks->participants.sm[i]].slow;
  return cold;
}

int gc_banks_walk(struct gc_banks *banks, const struct gc_banks_mode *walk,
                  const struct gc_binning *binning, struct gc_run *runs, size_t n)
{
  struct gc_error *err = banks->m->bench.err;
  struct plan plan;
  uint64_t most = 1;
  int status;

  for (size_t i = 0; i < n; i++)
    most = runs[i].bytes > most ? runs[i].bytes : most;
  if (most > GC_BANKS_BYTES_MAX || n > banks->participants.count)
    return gc_fail(err, -EINVAL, "%llu bytes of constants on %zu SMs are too many",
                   (unsigned long long)most, n);
  make_plan((size_t)((most + GPU_CONSTANT_BYTES - 1) / GPU_CONSTANT_BYTES),
            walk->how & GC_BANKS_CODE, &plan);
  set_jobs(banks, &plan, walk->how & GC_BANKS_SPARSE, runs, n);
  for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
    if ((status = launch(banks, &plan, walk->threshold)))
      return status;
    banks->failed = !complete(banks, &plan, n);
    if (!banks->failed)
      break;
  }
  if (banks->failed)
    banks->m->bench.signs |= GC_SIGN_BLOCKS_MET;
  if (walk->cold)
    *walk->cold = count_cold(banks, &plan, n);
  collect(banks, &plan, binning, runs, n);
  return 0;
}

/* Lays two rings in each bank: the ring that is walked and, in the words next to it, the ring that
 * evicts. */
static void lay_bank(const struct gc_banks *banks, size_t number, uint64_t *bank)
{
  const size_t count = GPU_CONSTANT_BYTES / stride_of(banks);
  const uint64_t base = banks->m->bench.constant_base, word = sizeof(*bank);

  memset(bank, 0, GPU_CONSTANT_BYTES);
  for (size_t i = 0; i < count; i++)
    bank[slot_at(banks, number * count + i) / word] =
        base + slot_at(banks, number * count + (i + 1) % count);
  for (size_t at = 0; at < GPU_CONSTANT_BYTES; at += banks->participants.flush)
    bank[at / word + 1] = base + word + (at + banks->participants.flush) % GPU_CONSTANT_BYTES;
}

int gc_banks_lay(struct gc_banks *banks, uint32_t half)
{
  struct gc_bench *bench = &banks->m->bench;
  uint64_t *bank = gc_step_alloc(bench, 1, GPU_CONSTANT_BYTES);
  int status = bank ? 0 : -ENOMEM;

  banks->half = half;
  for (uint32_t copy = 0; copy < GC_COPIES_MAX && !status; copy++) {
    lay_bank(banks, copy, bank);
    status = bench->ops->upload_constant_copy(bench->device, copy, bank, bench->err);
  }
  return status;
}

/* Tests whether launches run at the same time on this GPU, and how much a miss brings in. */
static int try_out(struct gc_banks *banks)
{
  const struct gc_binning binning = {.shift = 3};
  struct gc_run run = {.bytes = GPU_CONSTANT_BYTES};
  uint64_t cold;
  const struct gc_banks_mode walk = {.threshold = banks->participants.threshold, .cold = &cold};
  int status = gc_banks_walk(banks, &walk, &binning, &run, 1);

  if (status || banks->failed || !cold)
    return status;
  while (banks->participants.flush < FETCH_MAX &&
         2 * banks->participants.flush <= GPU_CONSTANT_BYTES / cold)
    banks->participants.flush *= 2;
  return gc_banks_lay(banks, 0);
}

static int allocate(struct gc_banks *banks)
{
  struct gc_bench *bench = &banks->m->bench;

  banks->jobs = gc_step_alloc(bench, 1, job_bytes(banks));
  banks->results = gc_step_alloc(bench, 1, result_bytes(banks));
  if (!banks->jobs || !banks->results)
    return -ENOMEM;
  return bench->ops->alloc(bench->device,
                           word_bytes(banks) + job_bytes(banks) + result_bytes(banks),
                           &banks->device, bench->err);
}

/* *usable: there are participants, and their launches run at the same time. */
static int prepare(struct gc_banks *banks, bool *usable)
{
  const struct gc_participants *kept = gc_participants_kept(banks->m);
  int status = kept ? 0 : gc_participants_choose(banks->m, &banks->participants);

  *usable = false;
  if (kept)
    banks->participants = *kept;
  if (status || !banks->participants.count || (status = gc_banks_lay(banks, 0)) ||
      (status = allocate(banks)))
    return status;
  if (!kept && ((status = try_out(banks)) || banks->failed ||
                (status = gc_participants_keep(banks->m, &banks->participants))))
    return status;
  *usable = true;
  return 0;
}

int gc_banks_open(struct gc_measurement *m, struct gc_banks **out)
{
  struct gc_banks *banks;
  bool usable;
  int status;

  *out = NULL;
  if (!m->bench.ops->launch_concurrent)
    return 0;
  if (!(banks = gc_step_alloc(&m->bench, 1, sizeof(*banks))))
    return -ENOMEM;
  banks->m = m;
  status = prepare(banks, &usable);
  if (!status && usable)
    *out = banks;
  else
    gc_banks_close(banks);
  return status;
}

void gc_banks_close(struct gc_banks *banks)
{
  if (banks && banks->device)
    banks->m->bench.ops->release(banks->m->bench.device, banks->device);
}

int gc_find_participants(struct gc_measurement *m, const struct gc_participants **participants)
{
  struct gc_banks *banks;
  int status = 0;

  *participants = gc_participants_kept(m);
  if (!*participants && !(status = gc_banks_open(m, &banks))) {
    gc_banks_close(banks);
    *participants = gc_participants_kept(m);
  }
  return status;
}

/* --- questions to all participants --- */

/* Each participant votes by the share of the lines brought in that missed again. */
static void vote_once(struct gc_banks *banks, bool code, const struct gc_run *runs, uint64_t cold,
                      uint64_t votes[])
{
  for (size_t i = 0; i < banks->participants.count; i++) {
    const double share =
        (double)runs[i].seen.slow * (double)banks->participants.count / (double)(cold + 1);

    gc_raw_row(banks->m->bench.raw,
               banks->half ? "block with one load, bytes\tlines that missed again, %"
                           : "code in between, KiB\tlines that missed again, %",
               (double[]){banks->half ? banks->half
                          : code      ? GPU_FILLER_BYTES / 1024
                                      : 0,
                          100 * share});
    votes[share >= EVICTED ? GC_YES : share <= STAYED ? GC_NO : GC_UNCLEAR]++;
  }
}

int gc_banks_ask(struct gc_banks *banks, uint64_t bytes, bool code, struct gc_vote *vote)
{
  struct gc_run *runs = gc_step_alloc(&banks->m->bench, banks->participants.count, sizeof(*runs));
  const struct gc_binning binning = {.shift = 3};
  uint64_t votes[3] = {0}, all = 0, cold;
  const struct gc_banks_mode walk = {
      .threshold = banks->participants.threshold, .how = code ? GC_BANKS_CODE : 0, .cold = &cold};
  int status = runs ? 0 : -ENOMEM;

  for (size_t r = 0; r * banks->participants.count < VOTES && !status && !banks->failed; r++) {
    for (size_t i = 0; i < banks->participants.count; i++)
      runs[i].bytes = bytes;
    status = gc_banks_walk(banks, &walk, &binning, runs, banks->participants.count);
    if (!status)
      vote_once(banks, code, runs, cold, votes);
  }
  for (size_t i = 0; i < 3; i++)
    all += votes[i];
  vote->answer = votes[GC_YES] > votes[GC_NO] ? GC_YES : GC_NO;
  if ((double)votes[vote->answer] < MAJORITY * (double)all || !all)
    vote->answer = GC_UNCLEAR;
  vote->confidence = gc_vote_confidence(votes[vote->answer], all);
  return status;
}
