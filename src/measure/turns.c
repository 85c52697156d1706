/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Launches of copies that take turns. On an H200 the code that SMs fetch when launches start stays
 * in the cache that it shares with constants until more has come in than the cache holds; so two
 * banks are walked first, and only then what is asked for. Without them a 128 KiB cache misses from
 * 96 KiB on; with them at 128 KiB + 64 B, to the load.
 */
#include "measure/turns.h"

#include "measure/pair.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FLUSHES 2
#define FETCH_MAX 1024 /* bytes that a miss brings in */
#define ATTEMPTS 3
#define PATIENCE 65536 /* looks at a word; a few ms */
#define LAUNCHES GC_TOGETHER_MAX
#define NOBODY UINT32_MAX
#define VOTES 12   /* SMs that answer at least: where there are fewer, they do so again */
#define PUSHED 0.5 /* of what was cold: clearly more than what happens to be hit */
#define STAYED 0.1
#define MAJORITY 0.75

/* What the launches do, one after the other. bank NOBODY: the code. */
struct plan {
  struct {
    uint32_t copy;
    size_t bank; /* of the array: whose part of it this is */
    bool fill, timed;
  } steps[LAUNCHES];
  size_t count;
};

static void add(struct plan *plan, uint32_t copy, size_t bank, bool fill, bool timed)
{
  plan->steps[plan->count].copy = copy;
  plan->steps[plan->count].bank = bank;
  plan->steps[plan->count].fill = fill;
  plan->steps[plan->count++].timed = timed;
}

/* `banks` of them are walked. Copies behind them push out, as far as there are any. */
static void make_plan(struct plan *plan, size_t banks, bool code)
{
  plan->count = 0;
  for (size_t i = 0; i < FLUSHES; i++)
    add(plan, (uint32_t)(GC_COPIES_MAX - 1 - i), 0, false, false);
  for (size_t i = 0; i < banks; i++)
    add(plan, (uint32_t)i, i, true, false);
  if (code)
    add(plan, NOBODY, 0, false, false);
  for (size_t i = 0; i < banks; i++)
    add(plan, (uint32_t)i, i, false, true);
}

static uint64_t part_of(uint64_t bytes, size_t bank)
{
  const uint64_t before = (uint64_t)bank * GPU_CONSTANT_BYTES;

  if (bytes <= before)
    return 0;
  return bytes - before < GPU_CONSTANT_BYTES ? bytes - before : GPU_CONSTANT_BYTES;
}

/* The second ring of a bank: as few loads as bring all of its first `bytes` in. */
static struct gpu_turn_job flush_job(const struct gc_turns *turns, uint64_t bytes)
{
  return (struct gpu_turn_job){.start = turns->bench->constant_base + sizeof(uint64_t),
                               .end = GPU_NEVER,
                               .loads = (uint32_t)((bytes + turns->flush - 1) / turns->flush)};
}

/* Where slot i of all banks lies in its own. */
static uint64_t slot_at(const struct gc_turns *turns, size_t i)
{
  const size_t count = GPU_CONSTANT_BYTES / (turns->half ? 2 * turns->half : GC_TURN_STRIDE);

  if (!turns->half)
    return i % count * GC_TURN_STRIDE;
  return i % count * 2 * turns->half + (__builtin_parityll(i) ? turns->half : 0);
}

static struct gpu_turn_job job_of(const struct gc_turns *turns, size_t bank, uint64_t bytes)
{
  const uint64_t base = turns->bench->constant_base;
  const uint32_t stride = turns->half ? 2 * turns->half : GC_TURN_STRIDE;

  return (struct gpu_turn_job){.start = base + slot_at(turns, bank * (GPU_CONSTANT_BYTES / stride)),
                               .end = GPU_NEVER,
                               .loads = (uint32_t)(bytes / stride)};
}

/* Device memory: words, jobs, results. */
static size_t word_bytes(const struct gc_turns *turns)
{
  return 64 + (turns->sms * sizeof(uint32_t) + 63) / 64 * 64;
}

static size_t job_bytes(const struct gc_turns *turns)
{
  return LAUNCHES * turns->sms * sizeof(struct gpu_turn_job);
}

static size_t result_bytes(const struct gc_turns *turns)
{
  return LAUNCHES * turns->sms * sizeof(struct gpu_turn_result);
}

static void set_jobs(struct gc_turns *turns, const struct plan *plan, bool sparse,
                     const struct gc_run *runs, size_t n)
{
  for (size_t i = 0; i < LAUNCHES * turns->sms; i++)
    turns->jobs[i] = job_of(turns, 0, 0);
  for (size_t s = 0; s < plan->count; s++)
    for (size_t i = 0; i < n; i++) {
      struct gpu_turn_job *job = &turns->jobs[s * turns->sms + turns->sm[i]];
      const size_t bank = plan->steps[s].bank;
      const uint64_t part = part_of(runs[i].bytes, bank);

      if (plan->steps[s].timed || (plan->steps[s].fill && turns->half))
        *job = sparse ? flush_job(turns, part) : job_of(turns, bank, part);
      else if (plan->steps[s].fill)
        *job = flush_job(turns, part);
      else if (plan->steps[s].copy != NOBODY)
        *job = flush_job(turns, GPU_CONSTANT_BYTES);
    }
}

static int launch(struct gc_turns *turns, const struct plan *plan, uint32_t threshold)
{
  struct gc_bench *bench = turns->bench;
  const uint64_t jobs = turns->device + word_bytes(turns), results = jobs + job_bytes(turns);
  struct gc_launch launches[LAUNCHES];
  struct gpu_turn_args walks[LAUNCHES];
  struct gpu_stretch_args stretch;
  uint32_t copies[LAUNCHES];
  int status;

  for (uint32_t s = 0; s < plan->count; s++) {
    const struct gpu_turn turn = {.come = turns->device,
                                  .next = turns->device + 64,
                                  .blocks = (uint32_t)plan->count * bench->properties.sms,
                                  .launch = s,
                                  .sms = turns->sms,
                                  .patience = PATIENCE};
    const bool code = plan->steps[s].copy == NOBODY;

    walks[s] =
        (struct gpu_turn_args){.turn = turn,
                               .jobs = jobs + s * turns->sms * sizeof(struct gpu_turn_job),
                               .results = results + s * turns->sms * sizeof(struct gpu_turn_result),
                               .threshold = threshold};
    if (code)
      stretch = (struct gpu_stretch_args){.turn = turn, .sink = bench->scratch};
    launches[s] = (struct gc_launch){
        .kernel = code ? GC_KERNEL_stretch : GC_KERNEL_turn_constant,
        .blocks = bench->properties.sms,
        .threads = bench->properties.warp,
        .args = code ? (const void *)&stretch : &walks[s],
        .args_bytes = code ? sizeof(stretch) : sizeof(walks[s]),
    };
    copies[s] = code ? 0 : plan->steps[s].copy;
  }
  if ((status = bench->ops->clear(bench->device, turns->device, word_bytes(turns), bench->err)) ||
      (status = bench->ops->clear(bench->device, results, result_bytes(turns), bench->err)) ||
      (status =
           bench->ops->upload(bench->device, jobs, turns->jobs, job_bytes(turns), bench->err)) ||
      (status =
           bench->ops->launch_together(bench->device, launches, copies, plan->count, bench->err)) ||
      (status = bench->ops->wait(bench->device, bench->err)))
    return status;
  return bench->ops->download(bench->device, turns->results, results, result_bytes(turns),
                              bench->err);
}

static bool complete(const struct gc_turns *turns, const struct plan *plan, size_t n)
{
  for (size_t s = 0; s < plan->count; s++)
    for (size_t i = 0; i < n; i++) {
      const size_t at = s * turns->sms + turns->sm[i];

      if (turns->results[at].loads != turns->jobs[at].loads)
        return false;
    }
  return true;
}

static void add_loads(struct gpu_chase_result *seen, const struct gc_window *window,
                      uint64_t cycles, uint32_t loads)
{
  const uint64_t mean = loads ? cycles / loads : 0;
  const uint64_t bin = (mean > window->low ? mean - window->low : 0) >> window->shift;

  seen->histogram[bin < GPU_HISTOGRAM_BINS ? bin : GPU_HISTOGRAM_BINS - 1] += loads;
  seen->cycles += cycles;
  seen->loads += loads;
}

/* As a p-chase would have told it, but of hits and misses only their means. */
static void collect(const struct gc_turns *turns, const struct plan *plan,
                    const struct gc_window *window, struct gc_run *runs, size_t n, uint64_t *cold)
{
  for (size_t i = 0; i < n; i++)
    memset(&runs[i].seen, 0, sizeof(runs[i].seen));
  for (size_t s = 0; s < plan->count; s++)
    for (size_t i = 0; i < n; i++) {
      const struct gpu_turn_result *result = &turns->results[s * turns->sms + turns->sm[i]];

      if (plan->steps[s].fill && cold)
        *cold += result->slow;
      if (!plan->steps[s].timed)
        continue;
      add_loads(&runs[i].seen, window, result->cycles[0], result->loads - result->slow);
      add_loads(&runs[i].seen, window, result->cycles[1], result->slow);
      runs[i].seen.slow += result->slow;
      runs[i].seen.sm = turns->sm[i];
    }
}

int gc_turns_walk(struct gc_turns *turns, uint32_t threshold, const struct gc_window *window,
                  unsigned how, struct gc_run *runs, size_t n, uint64_t *cold)
{
  struct plan plan;
  uint64_t most = 1;
  int status = 0;

  for (size_t i = 0; i < n; i++)
    most = runs[i].bytes > most ? runs[i].bytes : most;
  if (most > GC_TURN_MAX_BYTES || n > turns->count)
    return gc_fail(turns->bench->err, -EINVAL, "%llu bytes of constants on %zu SMs are too many",
                   (unsigned long long)most, n);
  make_plan(&plan, (size_t)((most + GPU_CONSTANT_BYTES - 1) / GPU_CONSTANT_BYTES), how & GC_TURNS_CODE);
  set_jobs(turns, &plan, how & GC_TURNS_SPARSE, runs, n);
  for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
    if ((status = launch(turns, &plan, threshold)))
      return status;
    turns->failed = !complete(turns, &plan, n);
    if (!turns->failed)
      break;
  }
  if (cold)
    *cold = 0;
  collect(turns, &plan, window, runs, n, cold);
  return 0;
}

/* The SMs that came first at a cache: one for each. */
static int choose(struct gc_bench *bench, struct gc_turns *turns)
{
  struct gc_roll roll;
  int status = gc_roll_call(bench, gc_path_of(GC_CONSTANT_L15), 1, &roll);

  if (status)
    return status;
  for (size_t i = 0; i < roll.sms; i++) {
    if (roll.firsts[i])
      turns->sm[turns->count++] = roll.sm[i];
    if (roll.sm[i] >= turns->sms)
      turns->sms = roll.sm[i] + 1;
  }
  if (*roll.failed)
    turns->count = 0;
  /* who waited may have waited for device memory, while misses end in L2: stay near the hits */
  turns->threshold = (uint32_t)(roll.hit + fmin(roll.hit, roll.miss - roll.hit) / 2);
  gc_roll_free(&roll);
  return 0;
}

/* Two rings in each bank: the one to walk, and beside it the one that pushes out. */
static void lay_bank(const struct gc_turns *turns, size_t number, uint64_t *bank)
{
  const size_t count = GPU_CONSTANT_BYTES / (turns->half ? 2 * turns->half : GC_TURN_STRIDE);
  const uint64_t base = turns->bench->constant_base, word = sizeof(*bank);

  memset(bank, 0, GPU_CONSTANT_BYTES);
  for (size_t i = 0; i < count; i++)
    bank[slot_at(turns, number * count + i) / word] =
        base + slot_at(turns, number * count + (i + 1) % count);
  for (size_t at = 0; at < GPU_CONSTANT_BYTES; at += turns->flush)
    bank[at / word + 1] = base + word + (at + turns->flush) % GPU_CONSTANT_BYTES;
}

int gc_turns_lay(struct gc_turns *turns, uint32_t half)
{
  struct gc_bench *bench = turns->bench;
  uint64_t *bank = malloc(GPU_CONSTANT_BYTES);
  int status = bank ? 0 : gc_fail(bench->err, -ENOMEM, "out of memory");

  turns->half = half;
  for (uint32_t copy = 0; copy < GC_COPIES_MAX && !status; copy++) {
    lay_bank(turns, copy, bank);
    status = bench->ops->upload_constant_copy(bench->device, copy, bank, bench->err);
  }
  free(bank);
  return status;
}

/* Once, as a trial: do launches run at the same time here, and how much does a miss bring in? */
static int try_out(struct gc_turns *turns)
{
  const struct gc_window window = {.shift = 3};
  struct gc_run run = {.bytes = GPU_CONSTANT_BYTES};
  uint64_t cold;
  int status = gc_turns_walk(turns, turns->threshold, &window, 0, &run, 1, &cold);

  if (status || turns->failed || !cold)
    return status;
  while (turns->flush < FETCH_MAX && 2 * turns->flush <= GPU_CONSTANT_BYTES / cold)
    turns->flush *= 2;
  return gc_turns_lay(turns, 0);
}

void gc_forget_takers(struct gc_bench *bench)
{
  if (bench->takers)
    free(bench->takers->sm);
  free(bench->takers);
  bench->takers = NULL;
}

static int keep_takers(struct gc_bench *bench, const struct gc_turns *turns)
{
  struct gc_takers *takers = calloc(1, sizeof(*takers));
  uint32_t *sm = calloc(turns->count, sizeof(*sm));

  if (!takers || !sm) {
    free(takers);
    free(sm);
    return gc_fail(bench->err, -ENOMEM, "out of memory");
  }
  memcpy(sm, turns->sm, turns->count * sizeof(*sm));
  *takers = (struct gc_takers){turns->count, sm, turns->sms, turns->threshold, turns->flush};
  bench->takers = takers;
  return 0;
}

/* As they were found before. */
static void take(struct gc_turns *turns, const struct gc_takers *takers)
{
  memcpy(turns->sm, takers->sm, takers->count * sizeof(*takers->sm));
  turns->count = takers->count;
  turns->sms = takers->sms;
  turns->threshold = takers->threshold;
  turns->flush = takers->flush;
}

int gc_find_takers(struct gc_bench *bench, const struct gc_takers **takers)
{
  struct gc_turns *turns;
  int status = 0;

  if (!bench->takers && !(status = gc_turns_open(bench, &turns)))
    gc_turns_close(turns);
  *takers = bench->takers;
  return status;
}

int gc_turns_open(struct gc_bench *bench, struct gc_turns **out)
{
  const bool known = bench->takers;
  struct gc_turns *turns;
  int status;

  *out = NULL;
  if (!bench->ops->launch_together)
    return 0;
  turns = calloc(1, sizeof(*turns));
  if (!turns || !(turns->sm = calloc(bench->properties.sms, sizeof(*turns->sm)))) {
    free(turns);
    return gc_fail(bench->err, -ENOMEM, "out of memory");
  }
  turns->bench = bench;
  turns->sms = bench->properties.sms;
  turns->flush = GC_TURN_STRIDE;
  if (known)
    take(turns, bench->takers);
  if ((!known && (status = choose(bench, turns))) || !turns->count || (status = gc_turns_lay(turns, 0)))
    goto fail;
  turns->jobs = malloc(job_bytes(turns));
  turns->results = malloc(result_bytes(turns));
  if (!turns->jobs || !turns->results) {
    status = gc_fail(bench->err, -ENOMEM, "out of memory");
    goto fail;
  }
  if ((status = bench->ops->alloc(bench->device,
                                  word_bytes(turns) + job_bytes(turns) + result_bytes(turns),
                                  &turns->device, bench->err)))
    goto fail;
  if (!known && ((status = try_out(turns)) || turns->failed || (status = keep_takers(bench, turns))))
    goto fail;
  *out = turns;
  return 0;
fail:
  gc_turns_close(turns);
  return status;
}

int gc_turns_ask(struct gc_turns *turns, uint64_t bytes, bool code, struct gc_question *question)
{
  struct gc_run *runs = calloc(turns->count, sizeof(*runs));
  const struct gc_window window = {.shift = 3};
  uint64_t votes[3] = {0}, all = 0;
  int status = runs ? 0 : gc_fail(turns->bench->err, -ENOMEM, "out of memory");

  for (size_t r = 0; r * turns->count < VOTES && !status && !turns->failed; r++) {
    uint64_t cold;

    for (size_t i = 0; i < turns->count; i++)
      runs[i].bytes = bytes;
    status = gc_turns_walk(turns, turns->threshold, &window, code ? GC_TURNS_CODE : 0, runs, turns->count,
                           &cold);
    for (size_t i = 0; i < turns->count && !status; i++, all++) {
      const double share = (double)runs[i].seen.slow * (double)turns->count / (double)(cold + 1);

      gc_raw_row(turns->bench->raw,
                 turns->half ? "block with one load, bytes\tlines that missed again, %"
                             : "code in between, KiB\tlines that missed again, %",
                 (double[]){turns->half ? turns->half : code ? GPU_STRETCH_BYTES / 1024 : 0, 100 * share});
      votes[share >= PUSHED ? GC_YES : share <= STAYED ? GC_NO : GC_UNCLEAR]++;
    }
  }
  free(runs);
  question->answer = votes[GC_YES] > votes[GC_NO] ? GC_YES : GC_NO;
  if ((double)votes[question->answer] < MAJORITY * (double)all || !all)
    question->answer = GC_UNCLEAR;
  question->confidence = gc_vote_confidence(votes[question->answer], all);
  return status;
}

void gc_turns_close(struct gc_turns *turns)
{
  if (!turns)
    return;
  if (turns->device)
    turns->bench->ops->release(turns->bench->device, turns->device);
  free(turns->results);
  free(turns->jobs);
  free(turns->sm);
  free(turns);
}
