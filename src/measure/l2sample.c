/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A sample of what L2 keeps of an array: the array is read through .cg, which leaves L1 out, and then
 * lines scattered all over it are timed. All SMs that are near to the same lines (partition.c) share the
 * work, which makes it forty times faster than by one alone; and one alone does it where it is not known
 * who is near to what. On AMD GPUs all CUs of an XCD are near to all of its L2; there one reads for them all,
 * or some in each XCD where there are several, and any may sample. Between reading and timing nothing else
 * must go through L2: when it is full, each line of anything else pushes one of the array out.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/known.h"

#include <errno.h>
#include <stdlib.h>

#define TOUCH_PASSES 1 /* enough: what one pass over an array that fits leaves is all of it */
#define SM_TRIES 16    /* until the sampling block lands on the SM that read */

/* The array is a ring of `slots`, laid `scatter` apart: where to read, and how much of it to time. */
struct plan {
  uint64_t slots, scatter, reads;
  uint32_t stride, read_stride, sample;
};

/* Where the part of the i-th of n begins. */
static uint64_t part(uint64_t all, uint64_t i, uint64_t n)
{
  return all * i / n;
}

/* What the i-th of n SMs reads, and what it times. */
static struct gpu_chase_job read_job(uint64_t base, const struct plan *p, uint64_t i, uint64_t n)
{
  const uint64_t from = part(p->reads, i, n), to = part(p->reads, i + 1, n);

  return (struct gpu_chase_job){.start = base + from * p->read_stride,
                                .end = base + to * p->read_stride,
                                .warm = (uint32_t)(to - from)};
}

static struct gpu_chase_job sample_job(uint64_t base, const struct plan *p, uint64_t i, uint64_t n)
{
  const uint64_t from = part(p->sample, i, n), to = part(p->sample, i + 1, n);

  return (struct gpu_chase_job){.start = base + from * p->scatter % p->slots * p->stride,
                                .end = GPU_NEVER,
                                .loads = (uint32_t)(to - from)};
}

/* The SMs on the side of SM 0 share the work, the others have none. */
static int sample_together(struct gc_bench *bench, const struct gc_path *path,
                           const struct gc_window *window, struct gc_run *run, const struct plan *p)
{
  const uint32_t all = bench->properties.sms;
  const uint64_t base = gc_bench_address(bench, path->form, 0);
  struct gpu_chase_job *jobs = calloc(2 * (size_t)all, sizeof(*jobs));
  uint32_t n = 0, i = 0;
  int status;

  if (!jobs)
    return gc_fail(bench->err, -ENOMEM, "out of memory");
  for (uint32_t sm = 0; sm < all; sm++)
    n += bench->l2_side[sm] == bench->l2_side[0];
  for (uint32_t sm = 0; sm < all; sm++)
    if (bench->l2_side[sm] == bench->l2_side[0]) {
      jobs[sm] = read_job(base, p, i, n);
      jobs[all + sm] = sample_job(base, p, i++, n);
    }
  status = gc_bench_together(bench, path, window, p->read_stride, jobs, &run->seen);
  free(jobs);
  return status;
}

/* AMD: is it known how many L2 there are, so that all can be filled? Where the tables say one, and it was not
 * found to be one, who samples may have another than the reader. */
static bool any_may_sample(const struct gc_bench *bench)
{
  const struct gc_properties *p = &bench->properties;

  if (!p->has_scalar)
    return false;
  return p->l2_count > 1 || bench->l2_groups == 1 ||
         (!bench->l2_groups && gc_known_u64(bench->known, GC_L2, HWLOC_GPUCACHE_INSTANCES) == 1);
}

/* By an SM alone, whichever it is, of what is in the L2 of each. */
static int sample_anywhere(struct gc_bench *bench, const struct gc_path *path,
                           const struct gc_window *window, struct gc_run *run, const struct plan *p)
{
  const uint64_t start = gc_bench_address(bench, path->form, 0);
  uint32_t reader = GPU_EACH_SM;
  int status;

  if (bench->properties.l2_count == 1) {
    /* one alone, in order: all together would come to a line's sectors at different times */
    if ((status = gc_call_sms(bench)))
      return status;
    reader = bench->sm_numbers[0];
  }
  status = gc_bench_read(bench, 0, run->bytes, p->read_stride, TOUCH_PASSES, reader);
  return status ? status
                : gc_bench_sample(bench, path, window, start, 0, p->sample, &run->seen);
}

/* The same by one SM that reads and samples, whichever it is. */
static int sample_alone(struct gc_bench *bench, const struct gc_path *path,
                        const struct gc_window *window, struct gc_run *run, const struct plan *p)
{
  const uint64_t start = gc_bench_address(bench, path->form, 0);
  int status = 0;

  for (int i = 0; i < SM_TRIES && !status; i++) {
    uint32_t sm;

    /* where does the hardware put a lone block? It often takes turns: look, read there, sample. */
    if ((status = gc_bench_sample(bench, path, window, start, 0, 1, &run->seen)))
      break;
    sm = run->seen.sm;
    if (!(status =
              gc_bench_read(bench, 0, run->bytes, p->read_stride, TOUCH_PASSES, sm)) &&
        !(status = gc_bench_sample(bench, path, window, start, 0, p->sample, &run->seen)) &&
        run->seen.sm == sm)
      return 0;
  }
  /* on AMD GPUs, whose blocks may always take turns, that is no failure: callers do without */
  return status ? status
                : gc_fail(bench->err, bench->properties.has_scalar ? -ENOTSUP : -EIO,
                          "the GPU never ran two launches in a row on one SM");
}

int gc_l2_sample(struct gc_bench *bench, const struct gc_path *path, const struct gc_window *window,
                 struct gc_run *run, uint32_t stride, uint32_t read_stride, uint32_t sample,
                 uint64_t which)
{
  const uint64_t slots = run->bytes / stride;
  const struct plan p = {.slots = slots,
                         .scatter = gc_bench_scatter_otherwise(slots, which),
                         .reads = run->bytes / read_stride,
                         .stride = stride,
                         .read_stride = read_stride,
                         .sample = slots < sample ? (uint32_t)slots : sample};
  const int status = gc_bench_ring(bench, path->form, run->bytes, stride, p.scatter);

  if (status)
    return status;
  if (bench->l2_side)
    return sample_together(bench, path, window, run, &p);
  return any_may_sample(bench) ? sample_anywhere(bench, path, window, run, &p)
                               : sample_alone(bench, path, window, run, &p);
}
