/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Does walk b evict what walk a loaded? One SM walks a (cold), a again (hot), a once more as a
 * control, then b, then a again. Each run is judged by its own loads. The cold and hot walks show
 * what misses and hits cost on that SM. If walk a does not stay in its cache even without b, the
 * run says nothing about b. Runs on several SMs vote.
 *
 * On an H200, loads through the texture path reduce what L1 keeps of loads through other paths, for
 * many launches. A launch with another carve-out ends that, so one precedes each launch here.
 * doc/methods.md, "Sharing"; Größler 2022, section 4.5; Vanecek et al. (MT4G) 2025, IV-G.
 */
#include "measure/topology/eviction.h"

#include "measure/core/placement.h"
#include "measure/core/step_memory.h"
#include "measure/walk/ring.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define REPEATS 8 /* runs of each question in a round */
#define ROUNDS 3  /* at most, until there is a clear answer */
#define RESET_NS 10000
#define ATTEMPTS 3   /* launches until no two blocks run on the same SM */
/* The caches tested here have no longer lines. With longer lines nothing that fits would
 * overflow. */
#define LINE_MAX 128
#define REGION_BYTES ((uint64_t)2 << 20) /* of the arena, for each ring */
#define CONTRAST 1.25 /* cold loads must take longer than hot ones by this factor */
#define STAYED 0.06   /* if nothing was evicted, at most this share of loads is slow */
#define EVICTED 0.10  /* if something was evicted, at least this share of loads is slow */
#define MAJORITY 0.75

/* --- the walks --- */

static uint64_t region_bytes(const struct gc_bench *bench, enum gc_address_space space)
{
  if (space == GC_ADDRESS_CONSTANT)
    return GPU_CONSTANT_BYTES;
  if (space == GC_ADDRESS_TEXTURE && bench->texture_bytes < 2 * REGION_BYTES)
    return bench->texture_bytes / 2;
  return REGION_BYTES;
}

/* Where the ring of an address space begins. The two rings in the arena do not overlap. */
static uint64_t region_of(const struct gc_bench *bench, enum gc_address_space space)
{
  return space == GC_ADDRESS_TEXTURE ? region_bytes(bench, space) : 0;
}

/* One load in each line if its length is known; otherwise one in each sector. */
static uint32_t stride_of(const struct gc_measurement *m, enum gc_address_space space)
{
  static const enum gc_kind kinds[] = {GC_L1, GC_READ_ONLY, GC_TEXTURE, GC_CONSTANT_L1,
                                       GC_SCALAR_L1};
  uint64_t stride = LINE_MAX;

  for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
    const struct gc_path *path = gc_path_of(kinds[i]);
    const struct gc_measured *element = &m->results->element[kinds[i]];
    uint64_t line = path->stride;

    if (path->space != space || !path->present(&m->bench.properties))
      continue;
    /* early, when only L1 is known: if it is one storage, it has the same lines */
    if (element->found[GC_LINE].origin == GC_UNKNOWN && kinds[i] != GC_SCALAR_L1 &&
        space != GC_ADDRESS_CONSTANT)
      element = &m->results->element[GC_L1];
    if (gc_found(element, GC_LINE) && element->line_bytes % path->stride == 0)
      line = element->line_bytes;
    stride = line < stride ? line : stride;
  }
  return (uint32_t)stride;
}

void gc_eviction_fill(const struct gc_measurement *m, uint64_t capacity,
                      struct gc_eviction *eviction)
{
  struct gc_warp_walk *a = &eviction->a, *b = &eviction->b;
  uint64_t reach = 0;

  if (b->path)
    reach = region_bytes(&m->bench, b->path->space);
  a->bytes = capacity / 4 * 3;
  b->bytes = capacity < reach ? capacity : reach;
  /* if b is short, a must fill more of the cache */
  if (b->path && a->bytes + b->bytes < capacity + capacity / 4)
    a->bytes = capacity / 20 * 19;
  if (b->path && a->path->space == b->path->space && a->bytes + b->bytes > reach)
    b->bytes = a->bytes < reach ? reach - a->bytes : 0;
}

/* The walk of a side. It begins `after` bytes behind the start of the ring. */
static struct gpu_walk walk_of(const struct gc_measurement *m, const struct gc_warp_walk *side,
                               uint64_t after)
{
  const struct gc_bench *bench = &m->bench;
  uint64_t stride, start;

  if (!side->path)
    return (struct gpu_walk){.end = GPU_NEVER, .warp = side->warp};
  stride = stride_of(m, side->path->space);
  start = region_of(bench, side->path->space) + after / stride * stride;
  return (struct gpu_walk){
      .start = gc_ring_address(bench, side->path->space, start),
      .end = gc_ring_address(bench, side->path->space, start + side->bytes / stride * stride),
      .path = side->path->load,
      .warp = side->warp,
      .loads = (uint32_t)(side->bytes / stride)};
}

static struct gpu_pair_job job_of(const struct gc_measurement *m,
                                  const struct gc_eviction *eviction)
{
  const struct gc_warp_walk *a = &eviction->a, *b = &eviction->b;
  const bool same_ring = b->path && a->path->space == b->path->space;

  return (struct gpu_pair_job){.a = walk_of(m, a, 0), .b = walk_of(m, b, same_ring ? a->bytes : 0)};
}

static bool uses(const struct gc_eviction *evictions, size_t n, enum gc_address_space space)
{
  for (size_t i = 0; i < n; i++)
    if (evictions[i].a.path->space == space ||
        (evictions[i].b.path && evictions[i].b.path->space == space))
      return true;
  return false;
}

static int lay_ring(struct gc_measurement *m, enum gc_address_space space)
{
  struct gc_bench *bench = &m->bench;
  const uint64_t start = region_of(bench, space), bytes = region_bytes(bench, space);
  const uint32_t stride = stride_of(m, space);
  const bool texels = space == GC_ADDRESS_TEXTURE;
  const struct gpu_fill_args args = {.base = bench->arena + start,
                                     .count = bytes / stride,
                                     .stride = stride,
                                     .multiplier = 1,
                                     .first = gc_ring_address(bench, space, start),
                                     .step = texels ? stride / GC_TEXEL_BYTES : stride,
                                     .slot_bytes = texels ? GC_TEXEL_BYTES : GC_SLOT_BYTES};

  if (space == GC_ADDRESS_CONSTANT)
    return gc_ring_lay(bench, space, bytes, stride, 1);
  return gc_bench_launch(bench, GC_KERNEL_fill, bench->properties.sms, 256, 0, &args);
}

static int lay_rings(struct gc_measurement *m, const struct gc_eviction *evictions, size_t n)
{
  static const enum gc_address_space spaces[] = {GC_ADDRESS_GLOBAL, GC_ADDRESS_TEXTURE,
                                                 GC_ADDRESS_CONSTANT};
  int status = 0;

  for (size_t i = 0; i < sizeof(spaces) / sizeof(*spaces) && !status; i++)
    if (uses(evictions, n, spaces[i]))
      status = lay_ring(m, spaces[i]);
  return status;
}

/* --- one launch --- */

/* The results of all runs of a question. */
struct tally {
  uint32_t votes[3]; /* by enum gc_answer */
  uint32_t fastest;  /* fastest load of a hot walk, raw cycles */
  double control;    /* mean load of the control walks, raw cycles, summed over all runs */
};

struct search {
  struct gc_measurement *m;
  const struct gc_eviction_launch *launch;
  struct gc_eviction_log *log;
  struct gc_eviction *evictions;
  struct tally *tallies;           /* [n] */
  size_t *open;                    /* [n] indices of questions without a clear answer */
  size_t n, most;                  /* questions; runs in a launch, at most */
  struct gpu_pair_job *jobs;       /* [SMs], of one launch */
  struct gpu_pair_result *results; /* [SMs] */
  size_t count;                    /* runs of the current launch */
  uint32_t threads;
  uint64_t device; /* jobs, then results */
};

/* Launches blocks without work, with the largest carve-out, long enough that each SM gets one. */
static int reset_l1(struct gc_bench *bench)
{
  const struct gpu_clock_args wait = {.result = bench->scratch, .nanoseconds = RESET_NS};
  int status = bench->ops->carveout(bench->device, GC_KERNEL_clock, 100, bench->err);

  if (status)
    return status == -ENOTSUP ? 0 : status;
  status = gc_bench_launch(bench, GC_KERNEL_clock, bench->properties.sms, bench->properties.warp, 0,
                           &wait);
  return status ? status : bench->ops->carveout(bench->device, GC_KERNEL_clock, -1, bench->err);
}

/* Does another block of the launch run on the same SM as block i? Then both results are invalid. */
static bool shares_sm(const struct search *s, size_t i)
{
  for (size_t j = 0; j < s->count; j++)
    if (j != i && s->results[i].sm == s->results[j].sm)
      return true;
  return false;
}

static int launch_pairs(struct search *s)
{
  struct gc_bench *bench = &s->m->bench;
  const struct gpu_pair_args args = {.jobs = s->device,
                                     .results = s->device + s->count * sizeof(*s->jobs),
                                     .texture = bench->texture};
  int status = bench->ops->upload(bench->device, args.jobs, s->jobs, s->count * sizeof(*s->jobs),
                                  bench->err);

  for (int attempt = 0; attempt < ATTEMPTS && !status; attempt++)
    if ((status = reset_l1(bench)) ||
        (status = gc_bench_launch(bench, GC_KERNEL_pair, (uint32_t)s->count, s->threads,
                                  s->launch->shared_bytes, &args)) ||
        (status = bench->ops->download(bench->device, s->results, args.results,
                                       s->count * sizeof(*s->results), bench->err)) ||
        !gc_sms_met(&s->results->sm, sizeof(*s->results), s->count))
      return status;
  if (!status)
    bench->signs |= GC_SIGN_BLOCKS_MET;
  return status;
}

/* --- evaluation --- */

/* Without a walk b, the cost of hits already shows whether the lines stayed. */
static enum gc_answer judge_alone(const struct gpu_pair_job *job,
                                  const struct gpu_pair_result *seen, uint32_t hit)
{
  const double mean = (double)seen->cycles[GPU_PAIR_CONTROL] / job->a.loads;

  return mean >= CONTRAST * hit ? GC_YES : mean <= (1 + STAYED) * hit ? GC_NO : GC_UNCLEAR;
}

static enum gc_answer judge(const struct gc_eviction *eviction, const struct gpu_pair_job *job,
                            const struct gpu_pair_result *seen)
{
  const double loads = job->a.loads, control = seen->slow[GPU_PAIR_CONTROL] / loads;
  const double evicted = job->b.loads ? seen->slow[GPU_PAIR_AGAIN] / loads : control;

  if (!job->a.loads)
    return GC_UNCLEAR;
  if (!job->b.loads && eviction->hit)
    return judge_alone(job, seen, eviction->hit);
  if ((double)seen->cycles[GPU_PAIR_COLD] < CONTRAST * loads * seen->hot)
    return GC_UNCLEAR;
  if (job->b.loads && control > STAYED)
    return GC_UNCLEAR;
  return evicted >= EVICTED ? GC_YES : evicted <= STAYED ? GC_NO : GC_UNCLEAR;
}

static void count(const struct gc_eviction *eviction, struct tally *tally,
                  const struct gpu_pair_job *job, const struct gpu_pair_result *seen)
{
  tally->votes[judge(eviction, job, seen)]++;
  if (!tally->fastest || seen->hot < tally->fastest)
    tally->fastest = seen->hot;
  if (job->a.loads)
    tally->control += (double)seen->cycles[GPU_PAIR_CONTROL] / job->a.loads;
}

static uint32_t votes_of(const struct tally *tally)
{
  return tally->votes[GC_UNCLEAR] + tally->votes[GC_NO] + tally->votes[GC_YES];
}

/* Requires that most runs agree, and that enough runs count. */
static void conclude(struct gc_vote *vote, const struct tally *tally)
{
  const enum gc_answer most = tally->votes[GC_YES] > tally->votes[GC_NO] ? GC_YES : GC_NO;
  const uint32_t all = votes_of(tally);

  vote->answer =
      all >= MAJORITY * REPEATS && tally->votes[most] >= MAJORITY * all ? most : GC_UNCLEAR;
  vote->confidence = vote->answer ? gc_vote_confidence(tally->votes[most], all) : 0;
}

/* The usual cost of a hit, which is a little more than the fastest load. */
static uint32_t usual_load(const struct tally *tally)
{
  const uint32_t all = votes_of(tally);
  const double usual = all ? tally->control / all : 0;

  return usual > tally->fastest ? (uint32_t)usual : tally->fastest;
}

/* --- rows for --raw --- */

#define LOG_COLUMNS                                                                                \
  "loaded\tpushed by\tbytes\tbytes that push\twarp that pushes\tcarve-out\tshared memory\t"        \
  "loads\tcold\thot\tcontrol\tagain\tcontrol slow\tagain slow\tfastest\tthreshold\tsm\tanswer"

/* The row of run i. Questions without a walk b are about shared memory. */
static void format_row(const struct search *s, const struct gc_eviction *eviction, size_t i,
                       struct gc_eviction_row *row)
{
  static const char *const answers[] = {"unclear", "no", "yes"};
  const bool lds = gc_present(&s->m->bench.properties, GC_LDS);
  const struct gc_warp_walk *a = &eviction->a, *b = &eviction->b;
  const struct gpu_pair_result *seen = &s->results[i];
  const struct gpu_pair_job *job = &s->jobs[i];
  const double loads = job->a.loads ? job->a.loads : 1;

  row->a = a->path->kind;
  row->b = b->path ? b->path->kind : lds ? GC_LDS : GC_SHARED_MEMORY;
  snprintf(row->text, sizeof(row->text),
           "%s\t%s\t%" PRIu64 "\t%" PRIu64
           "\t%u\t%d\t%u\t%u\t%.2f\t%.2f\t%.2f\t%.2f\t%u\t%u\t%u\t%u\t%u\t%s",
           gc_kinds[row->a].subtype, gc_kinds[row->b].subtype, a->bytes, b->path ? b->bytes : 0,
           b->warp, s->launch->carveout, s->launch->shared_bytes, job->a.loads,
           (double)seen->cycles[GPU_PAIR_COLD] / loads, (double)seen->cycles[GPU_PAIR_HOT] / loads,
           (double)seen->cycles[GPU_PAIR_CONTROL] / loads,
           (double)seen->cycles[GPU_PAIR_AGAIN] / loads, seen->slow[GPU_PAIR_CONTROL],
           seen->slow[GPU_PAIR_AGAIN], seen->hot, seen->threshold, seen->sm,
           answers[judge(eviction, job, seen)]);
}

static int log_run(const struct search *s, const struct gc_eviction *eviction, size_t i)
{
  struct gc_eviction_row *rows;

  if (!s->m->bench.raw)
    return 0;
  rows = realloc(s->log->rows, (s->log->count + 1) * sizeof(*rows));
  if (!rows)
    return gc_fail(s->m->bench.err, -ENOMEM, "out of memory");
  s->log->rows = rows;
  format_row(s, eviction, i, &rows[s->log->count++]);
  return 0;
}

void gc_eviction_log_raw(const struct gc_eviction_log *log, struct gc_raw *raw, enum gc_kind kind)
{
  for (size_t i = 0; i < log->count; i++)
    if (log->rows[i].a == kind || log->rows[i].b == kind)
      gc_raw_words(raw, LOG_COLUMNS, log->rows[i].text);
}

void gc_eviction_log_free(struct gc_eviction_log *log)
{
  free(log->rows);
  *log = (struct gc_eviction_log){0};
}

/* --- all runs --- */

/* Only one SM may run at a time if it is not known which SMs share a cache. */
static bool must_be_alone(const struct gc_bench *bench, const struct gc_eviction *evictions,
                          size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (gc_walks_alone(bench, evictions[i].a.path) ||
        (evictions[i].b.path && gc_walks_alone(bench, evictions[i].b.path)))
      return true;
  return false;
}

/* REPEATS runs of each open question. Run r of the i-th open question is job r * open + i, so that
 * its repetitions run on different SMs. */
static int run_round(struct search *s, size_t open)
{
  for (size_t done = 0; done < open * REPEATS; done += s->count) {
    int status;

    s->count = open * REPEATS - done < s->most ? open * REPEATS - done : s->most;
    for (size_t i = 0; i < s->count; i++)
      s->jobs[i] = job_of(s->m, &s->evictions[s->open[(done + i) % open]]);
    if ((status = launch_pairs(s)))
      return status;
    for (size_t i = 0; i < s->count; i++) {
      const size_t which = s->open[(done + i) % open];

      if (shares_sm(s, i))
        continue;
      count(&s->evictions[which], &s->tallies[which], &s->jobs[i], &s->results[i]);
      if ((status = log_run(s, &s->evictions[which], i)))
        return status;
    }
  }
  return 0;
}

/* Repeats rounds for questions without a clear answer; the runs of all rounds add up. */
static int run_rounds(struct search *s)
{
  size_t open = s->n;

  for (size_t i = 0; i < s->n; i++)
    s->open[i] = i;
  for (int round = 0; round < ROUNDS && open; round++) {
    const size_t tested = open;
    int status = run_round(s, tested);

    if (status)
      return status;
    open = 0;
    for (size_t i = 0; i < tested; i++) {
      const size_t which = s->open[i];

      conclude(&s->evictions[which].vote, &s->tallies[which]);
      if (!s->evictions[which].vote.answer)
        s->open[open++] = which;
    }
  }
  for (size_t i = 0; i < s->n; i++)
    if (!s->evictions[i].hit)
      s->evictions[i].hit = usual_load(&s->tallies[i]);
  return 0;
}

static int allocate(struct search *s)
{
  struct gc_bench *bench = &s->m->bench;
  const size_t sms = bench->properties.sms;
  int status;

  s->tallies = gc_step_alloc(bench, s->n + 1, sizeof(*s->tallies));
  s->open = gc_step_alloc(bench, s->n + 1, sizeof(*s->open));
  s->jobs = gc_step_alloc(bench, sms, sizeof(*s->jobs));
  s->results = gc_step_alloc(bench, sms, sizeof(*s->results));
  if (!s->tallies || !s->open || !s->jobs || !s->results)
    return -ENOMEM;
  status = bench->ops->carveout(bench->device, GC_KERNEL_pair, s->launch->carveout, bench->err);
  if (status && status != -ENOTSUP)
    return status;
  return bench->ops->alloc(bench->device, sms * (sizeof(*s->jobs) + sizeof(*s->results)),
                           &s->device, bench->err);
}

int gc_find_evictions(struct gc_measurement *m, struct gc_eviction *evictions, size_t n,
                      const struct gc_eviction_launch *launch, struct gc_eviction_log *log)
{
  const struct gc_properties *p = &m->bench.properties;
  struct search s = {.m = m,
                     .launch = launch,
                     .log = log,
                     .evictions = evictions,
                     .n = n,
                     .threads = p->warp,
                     .most = must_be_alone(&m->bench, evictions, n) ? 1 : p->sms};
  int status;

  for (size_t i = 0; i < n; i++)
    if ((evictions[i].b.warp + 1) * p->warp > s.threads)
      s.threads = (evictions[i].b.warp + 1) * p->warp;
  status = allocate(&s);
  if (!status && !(status = lay_rings(m, evictions, n)))
    status = run_rounds(&s);
  if (s.device)
    m->bench.ops->release(m->bench.device, s.device);
  return status;
}
