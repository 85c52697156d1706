/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A sample of what L2 keeps of an array. The array is read through .cg, which bypasses L1. Then
 * lines scattered over the whole array are timed. Nothing else may go through L2 between reading
 * and timing: if the cache is full, each other line evicts one of the array.
 *
 * NVIDIA: all SMs that are near to the same lines (topology/partitions.c) share the work, which is
 * forty times faster than one SM. If the partitions are not known, one SM does all of it. AMD: all
 * CUs of an XCD are near to all of its L2. So one CU reads for all of them (if there are several
 * XCDs, some CUs of each), and any CU may sample. If L2 loses its contents between launches, one SM
 * reads and samples in one launch. doc/methods.md, "L2 capacity".
 */
#include "measure/walk/l2_sample.h"
#include "measure/core/driver_tables.h"
#include "measure/core/step_memory.h"
#include "measure/walk/evict.h"
#include "measure/walk/path.h"
#include "measure/walk/ring.h"
#include "measure/walk/rounds.h"
#include "measure/walk/sms.h"

#include <errno.h>

/* An ascending sample whose step had a factor in common with the number of sets would meet few of
 * them. Numbers of sets are powers of two, or products with small primes. */
#define SMALL_PRIMES (2 * 3 * 5 * 7)
#define STEP_PRIMES_MIN                                                                            \
  11                     /* a smaller step is odd; else the sample would go around several times */
#define PASSES_AT_ONCE 2 /* that read the array in the launch of the sample */
#define SM_TRIES 16      /* attempts until the sampling block runs on the SM that read */

/* From slot to slot of the sample it is `scatter` slots, modulo `slots`. */
struct plan {
  struct gc_bench *bench;
  const struct gc_binning *binning;
  uint64_t start;                        /* address of the array */
  uint64_t slots, scatter, first, reads; /* first: slot of the first timed load */
  uint32_t stride, read_stride, loads;
};

/* Where part i of n begins. */
static uint64_t part(uint64_t all, uint64_t i, uint64_t n)
{
  return all * i / n;
}

/* The part of the i-th of n SMs: what it reads, and what it times. */
static struct gpu_round read_job(const struct plan *p, uint64_t i, uint64_t n)
{
  const uint64_t from = part(p->reads, i, n), to = part(p->reads, i + 1, n);

  return (struct gpu_round){.at = p->start + from * p->read_stride,
                            .end = p->start + to * p->read_stride,
                            .step = p->read_stride,
                            .loads = (uint32_t)(to - from),
                            .how = GPU_ROUND_TOGETHER};
}

static struct gpu_round sample_job(const struct plan *p, uint64_t i, uint64_t n)
{
  const uint64_t from = part(p->loads, i, n), to = part(p->loads, i + 1, n);
  const uint64_t bytes = p->slots * p->stride;

  return (struct gpu_round){.at = p->start +
                                  (p->first + from * p->scatter) % p->slots * p->stride,
                            .end = p->start + bytes,
                            .step = p->scatter * p->stride,
                            .back = bytes,
                            .timed = (uint32_t)(to - from)};
}

enum { READ, SAMPLE, ROUNDS };

/* The SMs on the side of SM 0 share the work. The other SMs have none. */
static int sample_together(const struct plan *p, const uint8_t *side, struct gpu_chase_result *seen)
{
  const uint32_t all = p->bench->properties.sms;
  struct gpu_round(*jobs)[ROUNDS] = gc_step_alloc(p->bench, all, sizeof(*jobs));
  const struct gc_rounds rounds = {.jobs = *jobs,
                                   .n = all,
                                   .rounds = ROUNDS,
                                   .by_sm = true,
                                   .in_step = true,
                                   .binning = *p->binning,
                                   .results = 1};
  uint32_t n = 0, i = 0;
  int status;

  if (!jobs)
    return -ENOMEM;
  for (uint32_t sm = 0; sm < all; sm++)
    n += side[sm] == side[0];
  for (uint32_t sm = 0; sm < all; sm++)
    if (side[sm] == side[0]) {
      jobs[sm][READ] = read_job(p, i, n);
      jobs[sm][SAMPLE] = sample_job(p, i++, n);
    }
  status = gc_rounds_sure(p->bench, &rounds, &(struct gc_rounds_seen){.sums = seen});
  gc_step_free(p->bench, jobs);
  return status;
}

/* One SM, chosen by the hardware, does these jobs. */
static int sample_by_one(const struct plan *p, const struct gpu_round *jobs, uint32_t n,
                         struct gpu_chase_result *seen)
{
  const struct gc_rounds rounds = {
      .jobs = jobs, .n = 1, .rounds = n, .binning = *p->binning, .results = 1};

  return gc_rounds_sure(p->bench, &rounds,
                        &(struct gc_rounds_seen){.sums = seen, .sm = &seen->sm});
}

static int time_sample(const struct plan *p, uint32_t loads, struct gpu_chase_result *seen)
{
  struct gpu_round job = sample_job(p, 0, 1);

  job.timed = loads;
  return sample_by_one(p, &job, 1, seen);
}

/* One pass is enough: an array that fits is then in the cache. */
static int read_array(const struct plan *p, uint64_t bytes, uint32_t only_sm)
{
  return gc_read_arena(p->bench, &(struct gc_read){0, bytes, p->read_stride, 1, only_sm});
}

/* With an L2 in each XCD: can any SM sample, because all L2 can be filled? That requires that the
 * number of L2 is known. If the tables state one L2 and no measurement has confirmed it, the SM
 * that samples may have another L2 than the SM that reads. */
static bool any_may_sample(const struct gc_measurement *m)
{
  const struct gc_properties *p = &m->bench.properties;
  const uint32_t found = m->results->l2_groups;
  /* the key has the name of the property */
  const uint64_t stated = gc_table_u64(m->tables, GC_L2, gc_properties_names[GC_INSTANCES]);

  return p->l2_per_xcd && (p->l2_count > 1 || found == 1 || (!found && stated == 1));
}

/* Fills the L2 of every SM with the array; then any SM samples. */
static int sample_anywhere(struct gc_measurement *m, const struct plan *p, struct gc_run *run)
{
  struct gc_bench *bench = &m->bench;
  uint32_t reader = GPU_EACH_SM;
  int status;

  if (bench->properties.l2_count == 1) {
    /* one SM alone, in order: many SMs would load the sectors of one line at different times */
    if ((status = gc_number_sms(m)))
      return status;
    reader = m->results->sm_number[0];
  }
  status = read_array(p, run->bytes, reader);
  return status ? status : time_sample(p, p->loads, &run->seen);
}

/* One SM reads and samples. */
static int sample_alone(const struct plan *p, struct gc_run *run)
{
  struct gc_bench *bench = p->bench;
  int status = 0;

  for (int i = 0; i < SM_TRIES && !status; i++) {
    uint32_t sm;

    /* A single block often runs on another SM each time. So find its SM, read the array there, and
     * sample. */
    if ((status = time_sample(p, 1, &run->seen)))
      break;
    sm = run->seen.sm;
    if (!(status = read_array(p, run->bytes, sm)) &&
        !(status = time_sample(p, p->loads, &run->seen)) && run->seen.sm == sm)
      return 0;
  }
  /* If XCDs get the blocks alternately, it may always be another SM. That is no failure, because
   * callers can do without the value. */
  return status ? status
                : gc_fail(bench->err, bench->properties.l2_per_xcd ? -ENOTSUP : -EIO,
                          "the GPU never ran two launches in a row on one SM");
}

/* One SM, chosen by the hardware, reads and samples in one launch. L2 may be empty before, and the
 * first lines that a full cache evicts then follow a pattern (tree-PLRU: every other way), which
 * may be that of the slots. So the array is read twice. */
static int sample_at_once(const struct plan *p, struct gc_run *run)
{
  struct gpu_round jobs[ROUNDS] = {read_job(p, 0, 1), sample_job(p, 0, 1)};

  jobs[READ].loads *= PASSES_AT_ONCE;
  return sample_by_one(p, jobs, ROUNDS, &run->seen);
}

uint32_t gc_l2_threshold(const struct gc_measurement *m)
{
  const struct gc_measured *l2 = &m->results->element[GC_L2];

  if (gc_found(l2, GC_NEAR_LATENCY) && gc_found(l2, GC_FAR_LATENCY))
    return (uint32_t)((l2->near_latency_cycles + l2->far_latency_cycles) / 2 +
                      m->results->overhead.cycles);
  return (uint32_t)((l2->level.hit + l2->level.miss) / 2);
}

int gc_l2_sample(struct gc_measurement *m, const struct gc_l2_sampling *sample,
                 const struct gc_binning *binning, struct gc_run *run)
{
  struct gc_bench *bench = &m->bench;
  const uint64_t slots = run->bytes / sample->stride;
  const uint64_t loads = slots < sample->loads ? slots : sample->loads;
  struct plan plan = {
      .bench = bench,
      .binning = binning,
      .start = bench->arena,
      .slots = slots,
      .scatter =
          sample->ascending
              ? gc_ring_step(slots * (slots / loads < STEP_PRIMES_MIN ? 2 : SMALL_PRIMES),
                             slots / loads)
              : gc_ring_scatter_other(slots, sample->which),
      .reads = run->bytes / sample->read_stride,
      .stride = sample->stride,
      .read_stride = sample->read_stride,
      .loads = (uint32_t)loads};

  plan.first = (sample->ascending ? sample->which + sample->part
                                  : sample->part * loads % slots * plan.scatter) %
               slots;
  if (m->results->l2_lost)
    return sample_at_once(&plan, run);
  if (m->results->l2_sides_known)
    return sample_together(&plan, m->results->l2_side, &run->seen);
  return any_may_sample(m) ? sample_anywhere(m, &plan, run) : sample_alone(&plan, run);
}
