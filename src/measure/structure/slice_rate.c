/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Bandwidth of a slice of L2: warps on SMs near to it read only lines of this slice. SMs that read
 * the same line at the same time get it together, so each warp has lines of its own. It takes some
 * hundred lines to keep a slice busy; they are found as the slices were. doc/methods.md, "L2 slices
 * and sides".
 */
#include "measure/structure/slice_rate.h"

#include "measure/core/step_memory.h"
#include "measure/raw/raw.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* Warps that read, each on another SM. On an H100 a warp takes 370 cycles for its lines, so 36
 * warps could read 100 bytes per cycle, and two thirds of them 66. A slice delivers 55. */
#define WARPS 36
#define WARPS_LEAST 3
#define WANTED (WARPS * GPU_READ_LINES)
#define BATCHES 8
#define L2_SHARE 4 /* lines of a batch take at most this part of L2 */
#define STEP 6151  /* lines from one to the next in a page; odd, so that all are different */
#define TIMES 2    /* operations: the first one may miss L2 */
#define SHORT 24   /* rounds of a launch */
#define LONG 96
#define TRIES 8
#define RATES_EACH 2 /* of a slice */
#define GAIN_MAX 1.05
#define SPREAD_LEAST 1.2 /* lines of all slices are read so many times as fast */
#define ALL_LEAST 0.95   /* all slices together deliver so much of what L2 does */
#define TOLERANCE 0.03
#define SURE_ENOUGH 0.8
#define SIDES 2

struct lines {
  uint64_t line[WANTED];
  uint32_t count, sure; /* those from `sure` on were found once */
};

struct search {
  struct gc_slice_probe *probe;
  struct gc_measurement *m;
  const struct gc_slice_seeds *seeds;
  uint64_t *address;               /* [GC_SLICE_LINES] */
  uint32_t first[SIDES], count[SIDES]; /* of the lines of a batch, by side */
  struct lines slice[GC_SLICE_RATES];
  struct lines spread[SIDES]; /* of all slices */
  struct gpu_read_lines_result *results;
};

/* --- lines of the slices --------------------------------------------------------------------- */

/* Other lines in each batch. Returns how many. */
static uint32_t batch_lines(const struct search *s, uint32_t batch)
{
  const struct gc_bench *bench = &s->m->bench;
  const uint64_t base = (bench->arena + GC_SIDE_PAGE - 1) / GC_SIDE_PAGE * GC_SIDE_PAGE;
  const uint64_t all = (bench->arena + bench->arena_bytes - base) / GC_SIDE_PAGE;
  const uint64_t pages = all < GC_SIDE_PAGES ? all : GC_SIDE_PAGES;
  const uint64_t in_page = GC_SIDE_PAGE / GC_SIDE_LINE;
  uint64_t n = bench->properties.l2_bytes / L2_SHARE / GC_SIDE_LINE;

  n = (n < GC_SLICE_LINES ? n : GC_SLICE_LINES) / pages * pages;
  if ((batch + 1) * n > pages * in_page)
    return 0;
  for (uint64_t i = 0; i < n; i++) {
    const uint64_t page = i % pages * all / pages, line = (batch * n + i) / pages * STEP % in_page;

    s->address[i] = base + page * GC_SIDE_PAGE + line * GC_SIDE_LINE;
  }
  return (uint32_t)n;
}

/* Orders the n lines by the side where they are at home. */
static int order_by_side(struct search *s, uint32_t n)
{
  uint64_t *ordered = gc_step_alloc(&s->m->bench, n, sizeof(*ordered));
  uint32_t at = 0;

  if (!ordered)
    return -ENOMEM;
  for (uint32_t side = 0; side < SIDES; side++) {
    s->first[side] = at;
    for (uint32_t i = 0; i < n; i++)
      if ((s->probe->seen[i] >= s->seeds->far) == side)
        ordered[at++] = s->address[i];
    s->count[side] = at - s->first[side];
  }
  memcpy(s->address, ordered, n * sizeof(*ordered));
  return gc_slice_probe_lines(s->probe, s->address, n);
}

static void keep_spread(struct search *s)
{
  for (uint32_t side = 0; side < SIDES; side++)
    for (uint32_t i = 0; i < s->count[side] && s->spread[side].count < WANTED; i++)
      s->spread[side].line[s->spread[side].count++] = s->address[s->first[side] + i];
}

/* Jobs that keep the lines of seeds busy, whose sides differ. */
struct jobs {
  struct gc_slice_job job[GC_SLICE_RATES];
  uint32_t seed[GC_SLICE_RATES];
  size_t n;
};

static void add_job(const struct search *s, struct jobs *jobs, uint32_t k, uint32_t first,
                    uint32_t count)
{
  const struct gc_slice_seed *seed = &s->seeds->seed[k];

  if (!count)
    return;
  jobs->seed[jobs->n] = k;
  jobs->job[jobs->n++] = (struct gc_slice_job){
      .side = seed->side, .busy = seed->line, .first = first, .count = count};
}

/* Runs the jobs: together, or one after another if they are of one side. */
static int run_jobs(struct search *s, const struct jobs *jobs, uint32_t half)
{
  const bool apart = jobs->n < 2 || jobs->job[0].side != jobs->job[1].side;
  const size_t at_once = apart ? jobs->n : 1;
  int status = 0;

  for (size_t i = 0; i < jobs->n && !status; i += at_once)
    status = gc_slice_probe_run(s->probe, jobs->job + i, at_once, half);
  return status;
}

/* Adds the lines that wait while the line of a seed is busy. */
static int add_waiting(struct search *s)
{
  struct jobs jobs = {.n = 0};
  int status;

  for (uint32_t k = 0; k < s->seeds->count; k++)
    if (s->slice[k].count < WANTED)
      add_job(s, &jobs, k, s->first[s->seeds->seed[k].side], s->count[s->seeds->seed[k].side]);
  status = run_jobs(s, &jobs, 0);
  for (size_t j = 0; j < jobs.n && !status; j++) {
    struct lines *lines = &s->slice[jobs.seed[j]];
    const struct gc_slice_job *job = &jobs.job[j];

    for (uint32_t i = job->first; i < job->first + job->count && lines->count < WANTED; i++)
      if (s->probe->seen[i] >= s->seeds->seed[jobs.seed[j]].waiting)
        lines->line[lines->count++] = s->address[i];
  }
  return status;
}

/* Keeps the lines that wait this time, too. */
static void keep_sure(struct search *s, const struct gc_slice_job *job, uint32_t k)
{
  struct lines *lines = &s->slice[k];
  const uint32_t from = lines->sure;

  for (uint32_t i = 0; i < job->count; i++)
    if (s->probe->seen[job->first + i] >= s->seeds->seed[k].waiting)
      lines->line[lines->sure++] = lines->line[from + i];
  gc_raw_note(s->m->bench.raw, "lines of a slice, found again", lines->sure - from);
  gc_raw_note(s->m->bench.raw, "lines of a slice, found once", job->count);
  lines->count = lines->sure;
}

/* Times the lines that were found once again, while other SMs keep the lines of the seeds busy. */
static int confirm(struct search *s)
{
  uint64_t address[GC_SLICE_RATES * WANTED];
  struct jobs jobs = {.n = 0};
  uint32_t n = 0;
  int status;

  for (uint32_t k = 0; k < s->seeds->count; k++) {
    const struct lines *lines = &s->slice[k];

    add_job(s, &jobs, k, n, lines->count - lines->sure);
    for (uint32_t i = lines->sure; i < lines->count; i++)
      address[n++] = lines->line[i];
  }
  if (!n || (status = gc_slice_probe_lines(s->probe, address, n)) ||
      (status = run_jobs(s, &jobs, 1)))
    return n ? status : 0;
  for (size_t j = 0; j < jobs.n; j++)
    keep_sure(s, &jobs.job[j], jobs.seed[j]);
  return 0;
}

static int find_lines(struct search *s)
{
  int status = 0;

  for (uint32_t batch = 0, most = 0; batch < BATCHES && most < WANTED && !status; batch++) {
    const uint32_t n = batch_lines(s, batch);

    if (!n)
      break;
    s->probe->repeats = TIMES;
    if ((status = gc_slice_probe_lines(s->probe, s->address, n)) ||
        (status = gc_slice_probe_run(s->probe, &(struct gc_slice_job){.count = n}, 1, 0)) ||
        (status = order_by_side(s, n)))
      break;
    keep_spread(s);
    s->probe->repeats = 1;
    status = add_waiting(s);
    s->probe->repeats = GC_SLICE_REPEATS;
    if (!status)
      status = confirm(s);
    most = WANTED;
    for (uint32_t k = 0; k < s->seeds->count; k++)
      most = s->slice[k].count < most ? s->slice[k].count : most;
  }
  s->probe->repeats = GC_SLICE_REPEATS;
  return status;
}

/* --- reading them ---------------------------------------------------------------------------- */

/* Which warp each SM runs: those of `side`, evenly spread over all of that side. */
static int upload_roles(struct search *s, uint64_t at, uint32_t side, uint32_t warps)
{
  const struct gc_results *results = s->m->results;
  const uint32_t sms = s->probe->side_sms[side];
  uint32_t roles[GC_SMS_MAX] = {0}, index = 0, used = 0;

  for (uint32_t sm = 0; sm < s->probe->sms; sm++)
    if (results->l2_side[sm] == side && used < warps && index++ * warps / sms >= used)
      roles[sm] = ++used;
  return s->probe->bench->ops->upload(s->probe->bench->device, at, roles,
                                      s->probe->sms * sizeof(*roles), s->probe->bench->err);
}

/* One launch. *ns: from the first start to the last end. -EAGAIN: a warp did not run, or twice. */
static int launch(struct search *s, struct gpu_read_lines_args *args, uint32_t warps, double *ns)
{
  struct gc_bench *bench = s->probe->bench;
  uint64_t start = UINT64_MAX, end = 0;
  uint32_t ran = 0;
  bool seen[WARPS] = {false};
  const struct gc_fetch fetch = {s->results, args->results, s->probe->sms * sizeof(*s->results)};
  const int status = gc_bench_launch_fetch(bench, GC_KERNEL_read_lines, s->probe->sms,
                                           bench->properties.warp, 0, args, &fetch);

  if (status)
    return status;
  for (uint32_t i = 0; i < s->probe->sms; i++) {
    const struct gpu_read_lines_result *r = &s->results[i];

    if (!r->role || r->role > warps)
      continue;
    ran += seen[r->role - 1] ? WARPS + 1 : 1;
    seen[r->role - 1] = true;
    start = r->start_ns < start ? r->start_ns : start;
    end = r->end_ns > end ? r->end_ns : end;
  }
  *ns = end > start ? (double)(end - start) : 0;
  return ran == warps ? 0 : -EAGAIN;
}

static int launch_again(struct search *s, struct gpu_read_lines_args *args, uint32_t warps,
                        uint32_t rounds, double *ns)
{
  int status = -EAGAIN;

  args->rounds = rounds;
  for (int i = 0; i < TRIES && status == -EAGAIN; i++)
    status = launch(s, args, warps, ns);
  if (status == -EAGAIN)
    s->probe->bench->signs |= GC_SIGN_BLOCKS_MET;
  return status;
}

/* Bytes per cycle that so many warps read, each GPU_READ_LINES of the lines. A longer launch less a
 * shorter one: the start of the blocks does not count. */
static int read_lines(struct search *s, const struct lines *lines, uint32_t side, uint32_t warps,
                      double *rate)
{
  struct gc_bench *bench = s->probe->bench;
  struct gpu_read_lines_args args = {.lines = s->probe->lines,
                                     .roles = s->probe->results,
                                     .results = gc_scratch_large(bench),
                                     .sink = bench->scratch,
                                     .sms = s->probe->sms};
  const double bytes = (double)warps * GPU_READ_LINES * GC_SIDE_LINE * (LONG - SHORT);
  double brief, lengthy;
  int status = gc_slice_probe_lines(s->probe, lines->line, warps * GPU_READ_LINES);

  *rate = 0;
  if (status || (status = upload_roles(s, args.roles, side, warps)) ||
      (status = launch_again(s, &args, warps, SHORT, &brief)) ||
      (status = launch_again(s, &args, warps, LONG, &lengthy)))
    return status;
  if (lengthy > brief)
    *rate = bytes / (lengthy - brief) * 1e3 / bench->mhz;
  gc_raw_row(bench->raw, "side\twarps\tns of short launch\tns of long launch\tbytes per cycle",
             (double[]){side, warps, brief, lengthy, *rate});
  return 0;
}

/* How many warps have lines of their own in every slice. */
static uint32_t warps_of(const struct search *s)
{
  uint32_t warps = WARPS;

  for (uint32_t k = 0; k < s->seeds->count; k++) {
    const uint32_t lines = s->slice[k].count / GPU_READ_LINES;
    const uint32_t sms = s->probe->side_sms[s->seeds->seed[k].side];

    warps = lines < warps ? lines : warps;
    warps = sms < warps ? sms : warps;
  }
  return warps;
}

/* In bytes per cycle. */
struct rates {
  uint32_t count;
  double all[2 * GC_SLICE_RATES]; /* two for each slice, with all warps */
  double fewer;                   /* the median with two thirds of the warps */
  double spread;                  /* all warps read lines of all slices */
};

static int measure_rates(struct search *s, uint32_t warps, struct rates *rates)
{
  double fewer[GC_SLICE_RATES], spread[SIDES];
  uint32_t sides = 0;
  int status = 0;

  rates->count = 0;
  for (uint32_t k = 0; k < s->seeds->count && !status; k++) {
    const uint32_t side = s->seeds->seed[k].side;

    status = read_lines(s, &s->slice[k], side, warps * 2 / 3, &fewer[k]);
    for (int i = 0; i < RATES_EACH && !status; i++)
      status = read_lines(s, &s->slice[k], side, warps, &rates->all[rates->count++]);
  }
  for (uint32_t side = 0; side < SIDES && !status; side++)
    if (s->spread[side].count >= warps * GPU_READ_LINES)
      status = read_lines(s, &s->spread[side], side, warps, &spread[sides++]);
  if (status)
    return status;
  rates->fewer = gc_median(fewer, s->seeds->count);
  rates->spread = sides ? gc_median(spread, sides) : 0;
  return 0;
}

/* The rate of a slice and its confidence. Returns why there is none; NULL: there is one. */
static const char *judge(struct rates *r, double *rate, double *confidence)
{
  *rate = r->count ? gc_median(r->all, r->count) : 0;
  *confidence = gc_median_confidence(r->all, r->count, *rate, TOLERANCE * *rate);
  if (!(*rate > 0) || !(r->fewer > 0))
    return "the clock of the GPU did not advance";
  if (*rate > GAIN_MAX * r->fewer)
    return "more warps would read more from a slice: nothing shows what it can deliver";
  if (!(r->spread > 0))
    return "too few lines of all slices were found";
  if (r->spread < SPREAD_LEAST * *rate)
    return "lines of one slice are read as fast as lines of all slices";
  return *confidence < SURE_ENOUGH ? "slices or repetitions differ" : NULL;
}

/* Whether all slices together deliver less than L2 does; then something else is the limit. */
static bool too_slow(const struct gc_measurement *m, const struct gc_measured *l2, double rate)
{
  return gc_found(l2, GC_READ) &&
         rate * (double)l2->slices * m->bench.mhz / 1e3 < ALL_LEAST * l2->read_gbps;
}

static int put(struct search *s, struct gc_measured *element)
{
  const uint32_t warps = warps_of(s);
  struct rates rates;
  double rate, confidence;
  const char *why;
  int status;

  if (warps < WARPS_LEAST)
    return gc_set_absent(element, GC_SLICE_READ, "too few lines of one slice were found");
  if ((status = measure_rates(s, warps, &rates)))
    return status;
  why = judge(&rates, &rate, &confidence);
  if (!why && too_slow(s->m, element, rate))
    why = "all slices together would deliver less than L2 does";
  if (why)
    return gc_set_absent(element, GC_SLICE_READ, why);
  element->slice_read_per_cycle = rate;
  return gc_set_measured(element, GC_SLICE_READ,
                         confidence * element->found[GC_SLICES].confidence);
}

int gc_slice_rate(struct gc_slice_probe *probe, struct gc_measurement *m,
                  struct gc_measured *element, const struct gc_slice_seeds *seeds)
{
  struct search *s;
  int status;

  if (!(m->bench.mhz > 0))
    return gc_set_absent(element, GC_SLICE_READ, "the SM clock is not known");
  if (!(s = gc_step_alloc(&m->bench, 1, sizeof(*s))))
    return -ENOMEM;
  s->probe = probe;
  s->m = m;
  s->seeds = seeds;
  s->address = gc_step_alloc(&m->bench, GC_SLICE_LINES, sizeof(*s->address));
  s->results = gc_step_alloc(&m->bench, probe->sms, sizeof(*s->results));
  status = s->address && s->results ? find_lines(s) : -ENOMEM;
  return status ? status : put(s, element);
}
