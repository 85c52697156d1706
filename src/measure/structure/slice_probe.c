/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Launches the kernel `slices`.
 */
#include "measure/structure/slice_probe.h"

#include "measure/core/step_memory.h"

#include <errno.h>

#define THREADS 256 /* of a block, so that few SMs keep a slice busy */
#define WARP 32
#define PIECES 4 /* of a line, each of which an operation of a warp needs */
#define HEAD 3000   /* cycles until the line is busy */
#define SMS_LEAST 4 /* of a side */
#define HALVES 2
#define MODES 4 /* all SMs, in one order or another; every other SM is busy, or the rest */
#define TAG_MAX 65536
#define BLOCK_TRIES 8

/* The role of the SM with this index among those of its side. SMs that are near to each other (a
 * TPC, a GPC) have successive numbers or such that differ by a multiple of two, and a common way to
 * L2. On an H100 only SMs wait that share their way with busy ones. So every other SM is busy. */
static uint32_t role_of(uint32_t index, uint32_t sms, uint32_t mode)
{
  switch (mode) {
  case 0:
    return index + 1;
  case 1:
    return (index + sms / 2) % sms + 1;
  default:
    return index % 2 == mode - HALVES ? GPU_SLICES_BUSY : index / 2 + 1;
  }
}

static int upload_roles(struct gc_slice_probe *p, const uint8_t *side)
{
  const size_t n = (size_t)p->sides * MODES * p->sms;
  uint32_t *roles = gc_step_alloc(p->bench, n, sizeof(*roles));

  if (!roles)
    return -ENOMEM;
  for (uint32_t mode = 0; mode < MODES; mode++) {
    uint32_t index[GC_SLICE_SIDES_MAX] = {0};

    for (uint32_t sm = 0; sm < p->sms; sm++)
      roles[(side[sm] * MODES + mode) * p->sms + sm] =
          role_of(index[side[sm]]++, p->side_sms[side[sm]], mode);
  }
  return p->bench->ops->upload(p->bench->device, p->roles, roles, n * sizeof(*roles),
                               p->bench->err);
}

int gc_slice_probe_open(struct gc_slice_probe *p, struct gc_measurement *m)
{
  struct gc_bench *bench = &m->bench;
  const struct gc_results *results = m->results;

  *p = (struct gc_slice_probe){
      .bench = bench, .sms = bench->properties.sms, .repeats = GC_SLICE_REPEATS};
  for (uint32_t sm = 0; sm < p->sms; sm++) {
    if (results->l2_side[sm] >= GC_SLICE_SIDES_MAX)
      return -ENOTSUP;
    p->sides = results->l2_side[sm] >= p->sides ? results->l2_side[sm] + 1u : p->sides;
    p->side_sms[results->l2_side[sm]]++;
  }
  for (uint32_t side = 0; side < p->sides; side++)
    if (p->side_sms[side] < SMS_LEAST)
      return -ENOTSUP;
  p->lines = gc_scratch_trace(bench);
  p->results = p->lines + GC_SLICE_LINES * 8;
  p->done = p->results + GC_SLICE_LINES * 4;
  p->roles = p->done + 8;
  if (p->roles + 4ull * p->sides * MODES * p->sms > p->lines + 4ull * GC_TRACE_MAX)
    return -ENOTSUP;
  p->seen = gc_step_alloc(bench, 2 * GC_SLICE_LINES, sizeof(*p->seen));
  if (!p->seen)
    return -ENOMEM;
  p->fetched = p->seen + GC_SLICE_LINES;
  return upload_roles(p, results->l2_side);
}

int gc_slice_probe_lines(struct gc_slice_probe *p, const uint64_t *address, uint32_t count)
{
  return p->bench->ops->upload(p->bench->device, p->lines, address, count * sizeof(*address),
                               p->bench->err);
}

/* Launches, and fetches the results of the jobs. *complete: all of their lines were timed. */
static int run(struct gc_slice_probe *p, const struct gpu_slices_args *args, size_t n,
               bool *complete)
{
  uint32_t first = UINT32_MAX, end = 0;
  struct gc_fetch fetch = {.to = p->fetched};
  int status;

  for (size_t k = 0; k < n; k++) {
    const struct gpu_slices_job *job = &args->job[k];

    first = job->first < first ? job->first : first;
    end = job->first + job->count > end ? job->first + job->count : end;
  }
  fetch.from = args->results + 4ull * first;
  fetch.bytes = (end - first) * sizeof(*p->fetched);
  status = gc_bench_launch_fetch(p->bench, GC_KERNEL_slices, p->sms, THREADS, 0, args, &fetch);
  for (size_t k = 0; k < n && !status; k++)
    for (uint32_t i = args->job[k].first; i < args->job[k].first + args->job[k].count; i++) {
      *complete &= p->fetched[i - first] >> 16 == args->tag;
      p->seen[i] = p->fetched[i - first] & (TAG_MAX - 1);
    }
  return status;
}

/* One launch. -EAGAIN: a prober did not run, or two blocks ran on its SM. */
static int launch(struct gc_slice_probe *p, struct gpu_slices_args *args, size_t n)
{
  struct gc_bench *bench = p->bench;
  uint32_t done = p->finished;
  bool complete = true;
  int status;

  for (size_t k = 0; k < n; k++)
    done += args->job[k].probers;
  args->tag = ++p->launches % TAG_MAX;
  args->until = done;
  if ((status = run(p, args, n, &complete)))
    return status;
  p->finished = done;
  if (complete)
    return 0;
  status = bench->ops->download(bench->device, &p->finished, p->done, 4, bench->err);
  return status ? status : -EAGAIN;
}

static struct gpu_slices_job job_of(const struct gc_slice_probe *p, const struct gc_slice_job *job,
                                    uint32_t half)
{
  const uint32_t sms = p->side_sms[job->side], mode = job->busy ? HALVES + half : half;
  const uint32_t busy_sms = half ? sms / 2 : sms - sms / 2;

  return (struct gpu_slices_job){.roles = p->roles + 4ull * (job->side * MODES + mode) * p->sms,
                                 .busy = job->busy,
                                 .first = job->first,
                                 .count = job->count,
                                 .probers = job->busy ? sms - busy_sms : sms,
                                 .operations = busy_sms * (THREADS / WARP) * PIECES};
}

int gc_slice_probe_run(struct gc_slice_probe *p, const struct gc_slice_job *jobs, size_t n,
                       uint32_t half)
{
  struct gpu_slices_args args = {.lines = p->lines,
                                 .results = p->results,
                                 .done = p->done,
                                 .repeats = p->repeats,
                                 .sms = p->sms,
                                 .head = HEAD};
  int status = 0;

  if (!p->launches)
    status = p->bench->ops->clear(p->bench->device, p->done, 8, p->bench->err);
  if (status)
    return status;
  for (size_t k = 0; k < n; k++)
    args.job[k] = job_of(p, &jobs[k], half);
  for (int i = 0; i < BLOCK_TRIES; i++)
    if ((status = launch(p, &args, n)) != -EAGAIN)
      return status;
  p->bench->signs |= GC_SIGN_BLOCKS_MET;
  return status;
}
