/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Does what one walk loads push out what another has loaded? Each run of it judges for itself: cold
 * loads and repeated ones tell what misses and hits cost on that SM, and a walk that does not stay
 * in its cache by itself says nothing about others.
 *
 * After loads through the texture path, L1 of an H200 keeps less of what comes through other paths,
 * for many launches; changing the carve-out ends that. So each launch comes after one with another
 * carve-out.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/pair.h"
#include "stats/stats.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPEATS 8 /* runs of a question, */
#define ROUNDS 3  /* so often again while there is no clear answer */
#define FORGET_NS 10000
#define ATTEMPTS 3   /* launches until no two blocks meet on an SM */
#define LINE_MAX 128 /* no line is longer, or none of what fits here would overflow */
#define REGION_BYTES ((uint64_t)2 << 20) /* of a ring, in the arena */
#define CONTRAST 1.25 /* cold loads take longer by this factor, or nothing can be told */
#define STAYED 0.06   /* largest share of slow loads where nothing was pushed out */
#define PUSHED 0.10   /* smallest where something was */
#define MAJORITY 0.75

double gc_vote_confidence(uint64_t m, uint64_t n)
{
  return m ? gc_binomial_cdf(m - 1, n, 0.5) : 0;
}

uint64_t gc_capacity_of(const struct gc_bench *bench, const struct gc_path *path)
{
  const struct gc_element *element = gc_record_find(bench->record, path->kind);
  uint64_t bytes = 0;

  if (element && gc_infos_get_u64(&element->infos, HWLOC_GPUCACHE_CAPACITY_BYTES, &bytes))
    bytes = 0;
  return bytes;
}

static uint64_t region_bytes(const struct gc_bench *bench, enum gc_form form)
{
  if (form == GC_FORM_CONSTANT)
    return GPU_CONSTANT_BYTES;
  if (form == GC_FORM_TEXTURE && bench->texture_bytes < 2 * REGION_BYTES)
    return bench->texture_bytes / 2;
  return REGION_BYTES;
}

/* Where a form's ring begins: those of the arena do not overlap. */
static uint64_t region_of(const struct gc_bench *bench, enum gc_form form)
{
  return form == GC_FORM_TEXTURE ? region_bytes(bench, form) : 0;
}

/* One load in each line, where lines are known; else in each sector. */
static uint32_t stride_of(const struct gc_bench *bench, enum gc_form form)
{
  static const enum gc_kind kinds[] = {GC_L1, GC_READ_ONLY, GC_TEXTURE, GC_CONSTANT_L1, GC_SCALAR_L1};
  uint64_t stride = LINE_MAX;

  for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
    const struct gc_path *path = gc_path_of(kinds[i]);
    const struct gc_element *element = gc_record_find(bench->record, kinds[i]);
    uint64_t line;

    if (path->form != form || !path->present(&bench->properties))
      continue;
    if (!element || gc_infos_get_u64(&element->infos, HWLOC_GPUCACHE_LINE_BYTES, &line) ||
        line % path->stride)
      line = path->stride;
    stride = line < stride ? line : stride;
  }
  return (uint32_t)stride;
}

void gc_fill_question(const struct gc_bench *bench, struct gc_question *question)
{
  struct gc_side *a = &question->a, *b = &question->b;
  const uint64_t capacity = gc_capacity_of(bench, a->path);
  uint64_t reach = 0;

  if (b->path)
    reach = region_bytes(bench, b->path->form);
  a->bytes = capacity / 4 * 3;
  b->bytes = 2 * capacity < reach ? 2 * capacity : reach;
  /* a short b needs a fuller cache */
  if (b->path && a->bytes + b->bytes < capacity + capacity / 4)
    a->bytes = capacity / 20 * 19;
  if (b->path && a->path->form == b->path->form && a->bytes + b->bytes > reach)
    b->bytes = a->bytes < reach ? reach - a->bytes : 0;
}

static uint32_t path_number(const struct gc_path *path)
{
  switch (path->kind) {
  case GC_READ_ONLY:
    return GPU_PATH_nc;
  case GC_TEXTURE:
    return GPU_PATH_texture;
  case GC_CONSTANT_L1:
    return GPU_PATH_constant;
  case GC_SCALAR_L1:
    return GPU_PATH_scalar;
  default:
    return GPU_PATH_ca;
  }
}

/* The walk of a side that begins `after` bytes behind the start of its ring. */
static struct gpu_walk walk_of(const struct gc_bench *bench, const struct gc_side *side,
                               uint64_t after)
{
  uint64_t stride, start;

  if (!side->path)
    return (struct gpu_walk){.end = GPU_NEVER, .warp = side->warp};
  stride = stride_of(bench, side->path->form);
  start = region_of(bench, side->path->form) + after / stride * stride;
  return (struct gpu_walk){
      .start = gc_bench_address(bench, side->path->form, start),
      .end = gc_bench_address(bench, side->path->form, start + side->bytes / stride * stride),
      .path = path_number(side->path),
      .warp = side->warp,
      .loads = (uint32_t)(side->bytes / stride)};
}

static struct gpu_pair_job job_of(const struct gc_bench *bench, const struct gc_question *question)
{
  const struct gc_side *a = &question->a, *b = &question->b;
  const bool same_ring = b->path && a->path->form == b->path->form;

  return (struct gpu_pair_job){.a = walk_of(bench, a, 0),
                               .b = walk_of(bench, b, same_ring ? a->bytes : 0)};
}

static int lay_rings(struct gc_bench *bench, const struct gc_question *questions, size_t n)
{
  static const enum gc_form forms[] = {GC_FORM_GLOBAL, GC_FORM_TEXTURE, GC_FORM_CONSTANT};
  int status = 0;

  for (size_t f = 0; f < sizeof(forms) / sizeof(*forms) && !status; f++) {
    const uint64_t start = region_of(bench, forms[f]), bytes = region_bytes(bench, forms[f]);
    const uint32_t stride = stride_of(bench, forms[f]);
    const bool texels = forms[f] == GC_FORM_TEXTURE;
    const struct gpu_fill_args args = {.base = bench->arena + start,
                                       .count = bytes / stride,
                                       .stride = stride,
                                       .multiplier = 1,
                                       .first = gc_bench_address(bench, forms[f], start),
                                       .step = texels ? stride / 4 : stride,
                                       .slot_bytes = texels ? 4 : 8};
    bool used = false;

    for (size_t i = 0; i < n; i++)
      used |= questions[i].a.path->form == forms[f] ||
              (questions[i].b.path && questions[i].b.path->form == forms[f]);
    if (!used)
      continue;
    if (forms[f] == GC_FORM_CONSTANT)
      status = gc_bench_ring(bench, forms[f], bytes, stride, 1);
    else
      status = gc_bench_launch(bench, GC_KERNEL_fill, bench->properties.sms, 256, 0, &args,
                               sizeof(args));
  }
  return status;
}

/* Blocks that do nothing, with the largest carve-out, long enough that one is on every SM. */
static int forget(struct gc_bench *bench)
{
  const struct gpu_clock_args wait = {.result = bench->scratch, .nanoseconds = FORGET_NS};
  int status = bench->ops->carveout(bench->device, GC_KERNEL_clock, 100, bench->err);

  if (status)
    return status == -ENOTSUP ? 0 : status;
  if ((status = gc_bench_launch(bench, GC_KERNEL_clock, bench->properties.sms,
                                bench->properties.warp, 0, &wait, sizeof(wait))))
    return status;
  return bench->ops->carveout(bench->device, GC_KERNEL_clock, -1, bench->err);
}

struct launch {
  struct gpu_pair_job *jobs;
  struct gpu_pair_result *results;
  uint64_t device; /* jobs, then results */
  size_t count;    /* at most one for each SM */
  uint32_t threads, shared_bytes;
  int carveout;
  struct gc_asked *asked;
};

/* Does another block of the launch run on the same SM as block i, and so spoil what it sees? */
static bool has_company(const struct launch *l, size_t i)
{
  for (size_t j = 0; j < l->count; j++)
    if (j != i && l->results[i].sm == l->results[j].sm)
      return true;
  return false;
}

static bool crowded(const struct launch *l)
{
  for (size_t i = 0; i < l->count; i++)
    if (has_company(l, i))
      return true;
  return false;
}

static int launch_pairs(struct gc_bench *bench, struct launch *l)
{
  const struct gpu_pair_args args = {.jobs = l->device,
                                     .results = l->device + l->count * sizeof(*l->jobs),
                                     .texture = bench->texture};
  int status = bench->ops->upload(bench->device, args.jobs, l->jobs, l->count * sizeof(*l->jobs),
                                  bench->err);

  for (int attempt = 0; attempt < ATTEMPTS && !status; attempt++)
    if ((status = forget(bench)) ||
        (status = gc_bench_launch(bench, GC_KERNEL_pair, (uint32_t)l->count, l->threads,
                                  l->shared_bytes, &args, sizeof(args))) ||
        (status = bench->ops->download(bench->device, l->results, args.results,
                                       l->count * sizeof(*l->results), bench->err)) ||
        !crowded(l))
      break;
  return status;
}

/* What is known of hits already tells whether nothing stayed, when there is nothing else to see. */
static enum gc_answer judge_alone(const struct gpu_pair_job *job,
                                  const struct gpu_pair_result *seen, uint32_t hit)
{
  const double mean = (double)seen->cycles[GPU_PAIR_CONTROL] / job->a.loads;

  return mean >= CONTRAST * hit ? GC_YES : mean <= (1 + STAYED) * hit ? GC_NO : GC_UNCLEAR;
}

static enum gc_answer judge(const struct gc_question *question, const struct gpu_pair_job *job,
                            const struct gpu_pair_result *seen)
{
  const double loads = job->a.loads, control = seen->slow[GPU_PAIR_CONTROL] / loads;
  const double pushed = job->b.loads ? seen->slow[GPU_PAIR_AGAIN] / loads : control;

  if (!job->a.loads)
    return GC_UNCLEAR;
  if (!job->b.loads && question->hit)
    return judge_alone(job, seen, question->hit);
  if ((double)seen->cycles[GPU_PAIR_COLD] < CONTRAST * loads * seen->hot)
    return GC_UNCLEAR;
  if (job->b.loads && control > STAYED)
    return GC_UNCLEAR;
  return pushed >= PUSHED ? GC_YES : pushed <= STAYED ? GC_NO : GC_UNCLEAR;
}

#define ASKED_COLUMNS                                                                                          \
  "loaded\tpushed by\tbytes\tbytes that push\twarp that pushes\tcarve-out\tshared memory\tloads\tcold\thot\t" \
  "control\tagain\tcontrol slow\tagain slow\tfastest\tthreshold\tsm\tanswer"

/* One more row. Who is asked without another walk is asked about shared memory. */
static int note(struct gc_bench *bench, const struct launch *l, const struct gc_question *question, size_t i)
{
  static const char *const answers[] = {"unclear", "no", "yes"};
  const bool lds = gc_path_of(GC_LDS)->present(&bench->properties);
  const struct gpu_pair_result *seen = &l->results[i];
  const struct gpu_pair_job *job = &l->jobs[i];
  const double loads = job->a.loads ? job->a.loads : 1;
  struct gc_asked_row *rows, *row;

  if (!bench->raw)
    return 0;
  rows = realloc(l->asked->rows, (l->asked->count + 1) * sizeof(*rows));
  if (!rows)
    return gc_fail(bench->err, -ENOMEM, "out of memory");
  l->asked->rows = rows;
  row = &rows[l->asked->count++];
  row->a = question->a.path->kind;
  row->b = question->b.path ? question->b.path->kind : lds ? GC_LDS : GC_SHARED_MEMORY;
  snprintf(row->text, sizeof(row->text),
           "%s\t%s\t%" PRIu64 "\t%" PRIu64 "\t%u\t%d\t%u\t%u\t%.2f\t%.2f\t%.2f\t%.2f\t%u\t%u\t%u\t%u\t%u\t%s",
           gc_kinds[row->a].subtype, gc_kinds[row->b].subtype, question->a.bytes,
           question->b.path ? question->b.bytes : 0, question->b.warp, l->carveout, l->shared_bytes,
           job->a.loads, (double)seen->cycles[GPU_PAIR_COLD] / loads,
           (double)seen->cycles[GPU_PAIR_HOT] / loads, (double)seen->cycles[GPU_PAIR_CONTROL] / loads,
           (double)seen->cycles[GPU_PAIR_AGAIN] / loads, seen->slow[GPU_PAIR_CONTROL],
           seen->slow[GPU_PAIR_AGAIN], seen->hot, seen->threshold, seen->sm,
           answers[judge(question, job, seen)]);
  return 0;
}

void gc_asked_tell(const struct gc_asked *asked, struct gc_raw *raw, enum gc_kind kind)
{
  for (size_t i = 0; i < asked->count; i++)
    if (asked->rows[i].a == kind || asked->rows[i].b == kind)
      gc_raw_words(raw, ASKED_COLUMNS, asked->rows[i].text);
}

void gc_asked_free(struct gc_asked *asked)
{
  free(asked->rows);
  *asked = (struct gc_asked){0};
}

struct tally {
  uint32_t votes[3]; /* by enum gc_answer */
  uint32_t fastest;  /* repeated load */
  double control;    /* a load when nothing was pushed out, all runs added up */
};

static void count(const struct gc_question *question, struct tally *tally,
                  const struct gpu_pair_job *job, const struct gpu_pair_result *seen)
{
  tally->votes[judge(question, job, seen)]++;
  if (!tally->fastest || seen->hot < tally->fastest)
    tally->fastest = seen->hot;
  if (job->a.loads)
    tally->control += (double)seen->cycles[GPU_PAIR_CONTROL] / job->a.loads;
}

/* Most of all runs agree, and not too few count. */
static void conclude(struct gc_question *question, const struct tally *tally)
{
  const enum gc_answer most = tally->votes[GC_YES] > tally->votes[GC_NO] ? GC_YES : GC_NO;
  const uint32_t all = tally->votes[GC_UNCLEAR] + tally->votes[GC_NO] + tally->votes[GC_YES];

  question->answer =
    all >= MAJORITY * REPEATS && tally->votes[most] >= MAJORITY * all ? most : GC_UNCLEAR;
  question->confidence = question->answer ? gc_vote_confidence(tally->votes[most], all) : 0;
}

/* What a load takes that stayed: where others disturb, more than the fastest one. */
static uint32_t usual_load(const struct tally *tally)
{
  const uint32_t all = tally->votes[GC_UNCLEAR] + tally->votes[GC_NO] + tally->votes[GC_YES];
  const double usual = all ? tally->control / all : 0;

  return usual > tally->fastest ? (uint32_t)usual : tally->fastest;
}

/* Where SMs share a cache in a way that is not known, only one at a time can be asked. */
static bool must_be_alone(const struct gc_question *questions, size_t n)
{
  bool alone = false;

  for (size_t i = 0; i < n; i++)
    alone |= questions[i].a.path->alone || (questions[i].b.path && questions[i].b.path->alone);
  return alone;
}

/* REPEATS runs of each open question, those of open[0..n), at most `most` of them in a launch. Run r
 * of the i-th is job r * n + i: repetitions are on different SMs. */
static int run_round(struct gc_bench *bench, const struct gc_question *questions,
                     const size_t *open, size_t n, size_t most, struct launch *l,
                     struct tally *tallies)
{
  for (size_t done = 0; done < n * REPEATS; done += l->count) {
    int status;

    l->count = n * REPEATS - done < most ? n * REPEATS - done : most;
    for (size_t i = 0; i < l->count; i++)
      l->jobs[i] = job_of(bench, &questions[open[(done + i) % n]]);
    if ((status = launch_pairs(bench, l)))
      return status;
    for (size_t i = 0; i < l->count && !status; i++)
      if (!has_company(l, i)) {
        count(&questions[open[(done + i) % n]], &tallies[open[(done + i) % n]], &l->jobs[i],
              &l->results[i]);
        status = note(bench, l, &questions[open[(done + i) % n]], i);
      }
    if (status)
      return status;
  }
  return 0;
}

/* Again for those that have no clear answer, whose runs add up. */
static int run_all(struct gc_bench *bench, struct gc_question *questions, size_t n,
                   struct launch *l, struct tally *tallies)
{
  const size_t most = must_be_alone(questions, n) ? 1 : bench->properties.sms;
  size_t *open = calloc(n, sizeof(*open)), left = n;
  int status = open ? 0 : gc_fail(bench->err, -ENOMEM, "out of memory");

  for (size_t i = 0; i < n && !status; i++)
    open[i] = i;
  for (int round = 0; round < ROUNDS && left && !status; round++) {
    const size_t asked = left;

    status = run_round(bench, questions, open, asked, most, l, tallies);
    left = 0;
    for (size_t i = 0; i < asked && !status; i++) {
      conclude(&questions[open[i]], &tallies[open[i]]);
      if (!questions[open[i]].answer)
        open[left++] = open[i];
    }
  }
  for (size_t i = 0; i < n && !status; i++)
    if (!questions[i].hit)
      questions[i].hit = usual_load(&tallies[i]);
  free(open);
  return status;
}

int gc_ask(struct gc_bench *bench, struct gc_question *questions, size_t n, int carveout,
           uint32_t shared_bytes, struct gc_asked *asked)
{
  const size_t sms = bench->properties.sms;
  struct launch l = {.threads = bench->properties.warp,
                     .shared_bytes = shared_bytes,
                     .carveout = carveout,
                     .asked = asked};
  struct tally *tallies = calloc(n + 1, sizeof(*tallies));
  int status;

  for (size_t i = 0; i < n; i++)
    for (uint32_t warp = questions[i].b.warp; (warp + 1) * bench->properties.warp > l.threads;)
      l.threads = (warp + 1) * bench->properties.warp;
  l.jobs = calloc(sms, sizeof(*l.jobs));
  l.results = calloc(sms, sizeof(*l.results));
  if (!tallies || !l.jobs || !l.results)
    status = gc_fail(bench->err, -ENOMEM, "out of memory");
  else if ((status = bench->ops->carveout(bench->device, GC_KERNEL_pair, carveout, bench->err)) ==
           -ENOTSUP)
    status = 0;
  if (!status)
    status = bench->ops->alloc(bench->device, sms * (sizeof(*l.jobs) + sizeof(*l.results)),
                               &l.device, bench->err);
  if (!status && !(status = lay_rings(bench, questions, n)))
    status = run_all(bench, questions, n, &l, tallies);
  if (l.device)
    bench->ops->release(bench->device, l.device);
  free(l.results);
  free(l.jobs);
  free(tallies);
  return status;
}
