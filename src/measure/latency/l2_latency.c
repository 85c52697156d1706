/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The latency of L2: all SMs time single loads of lines in L2, scattered over all of its slices.
 * The value is the median of all these loads, less the timing overhead. doc/methods.md, "Latency".
 *
 * This is the first step that needs data in L2. So it also finds out whether L2 keeps them from one
 * launch to the next (walk/l2_survives.h). If not, each SM reads all lines in the launch in which it
 * times some of them.
 */
#include "measure/latency/latency.h"
#include "measure/core/step_memory.h"
#include "measure/latency/tail.h"
#include "measure/walk/chase.h"
#include "measure/walk/evict.h"
#include "measure/walk/l2_survives.h"
#include "measure/walk/ring.h"
#include "stats/stats.h"

#include <errno.h>

#define LINE 128       /* bytes: distance of slots, so that each is in a line of its own */
#define READ_STRIDE 32 /* bytes: at most the sector of any L2 */
/* Less than any TLB of the GPUs with published measurements reaches (2 MiB), so that loads do not
 * wait for translations; or this part of the L2, if that is less: */
#define RING_BYTES ((uint64_t)256 << 10)
#define RING_SHARE 4
#define LOADS 64 /* of each SM in one repetition */
#define REPEATS 9
#define AT_ONCE 3 /* repetitions in one launch, so that there are several launches */
#define TOLERANCE 0.02
/* L2 may have lost the lines if so large a share of loads takes at least this many times as long as
 * memory. If it has lost them, every line misses once: the first time that any SM loads it. */
#define LOST_SHARE 0.01
#define LIKE_MEMORY 0.75

/* The ring, and the SMs that walk it. */
struct walk {
  uint64_t bytes, slots, scatter;
  uint32_t sms, at_once; /* repetitions in one launch */
  uint64_t *starts;      /* [sms] */
  uint32_t *trace;       /* [sms * at_once * LOADS] raw cycles */
  double *cycles;        /* [sms * LOADS] those of one repetition, for the median */
};

static void plan_walk(const struct gc_bench *bench, struct walk *walk)
{
  const uint64_t part = bench->properties.l2_bytes / RING_SHARE;
  const uint32_t most = GC_TRACE_MAX / LOADS;

  walk->bytes = bench->properties.l2_bytes && part < RING_BYTES ? part / LINE * LINE : RING_BYTES;
  walk->slots = walk->bytes / LINE;
  walk->scatter = gc_ring_scatter(walk->slots);
  walk->sms = bench->properties.sms < most ? bench->properties.sms : most;
  walk->at_once = walk->sms * AT_ONCE <= most ? AT_ONCE : 1;
}

static int lay(struct gc_bench *bench, const struct walk *walk)
{
  return gc_ring_lay(bench, gc_path_of(GC_L2)->space, walk->bytes, LINE, walk->scatter);
}

/* Of all loads of a walk, raw cycles. */
struct middle_and_tail {
  double median, p95;
};

/* Fills L2 and walks: n repetitions, from this one on. */
static int walk_once(struct gc_measurement *m, struct walk *walk, uint64_t repetition, uint32_t n,
                     struct middle_and_tail *seen)
{
  struct gc_bench *bench = &m->bench;
  const bool lost = m->results->l2_lost;
  const struct gc_path *path = gc_path_of(GC_L2);
  const struct gc_traced traced = {.starts = walk->starts,
                                   .n = walk->sms,
                                   .warm = lost ? (uint32_t)walk->slots : 0,
                                   .loads = n * LOADS};
  const size_t loads = (size_t)walk->sms * LOADS;
  int status = 0;

  for (uint64_t i = 0; i < walk->sms; i++) {
    const uint64_t slot = (i * traced.loads + repetition) * walk->scatter % walk->slots;

    walk->starts[i] = gc_ring_address(bench, path->space, slot * LINE);
  }
  if (!lost)
    status = gc_fill_l2(bench, 0, walk->bytes, READ_STRIDE, 1);
  if (status || (status = gc_chase_trace(bench, path, &traced, walk->trace)))
    return status;
  for (uint32_t r = 0; r < n; r++) {
    for (size_t i = 0; i < loads; i++)
      walk->cycles[i] = walk->trace[i / LOADS * traced.loads + r * LOADS + i % LOADS];
    seen[r].median = gc_median(walk->cycles, loads);
    seen[r].p95 = gc_quantile(walk->cycles, loads, GC_TAIL);
  }
  return 0;
}

/* Do some loads of the last walk take as long as loads of memory? Also if that is not known. */
static bool may_be_lost(const struct gc_measurement *m, const struct walk *walk)
{
  const struct gc_measured *memory = &m->results->element[GC_DEVICE_MEMORY];
  const double slow = LIKE_MEMORY * memory->latency_cycles + m->results->overhead.cycles;
  const size_t loads = (size_t)walk->sms * LOADS;
  size_t count = 0;

  for (size_t i = 0; i < loads; i++)
    count += walk->cycles[i] > slow;
  /* behind L2 may be an L3, which takes much less time than memory */
  return m->bench.properties.l3_bytes || !gc_found(memory, GC_LATENCY) ||
         (double)count > LOST_SHARE * (double)loads;
}

/* The first repetition is discarded: it is a warm-up, and shows whether L2 must be tested. */
static int measure(struct gc_measurement *m, struct walk *walk, struct gc_latency *latency,
                   struct gc_latency *p95)
{
  const struct gc_latency *overhead = &m->results->overhead;
  double medians[REPEATS], tails[REPEATS];
  struct middle_and_tail seen[REPEATS];
  int status = lay(&m->bench, walk);

  if (status || (status = walk_once(m, walk, 0, 1, seen)))
    return status;
  if (may_be_lost(m, walk) &&
      ((status = gc_test_l2_survival(m)) || (status = lay(&m->bench, walk))))
    return status;
  for (uint32_t r = 0; r < REPEATS && !status; r += walk->at_once)
    status = walk_once(m, walk, r + 1, walk->at_once, &seen[r]);
  for (uint32_t r = 0; r < REPEATS && !status; r++) {
    medians[r] = seen[r].median - overhead->cycles;
    tails[r] = seen[r].p95 - overhead->cycles;
  }
  if (status)
    return status;
  latency->cycles = gc_median(medians, REPEATS);
  latency->confidence =
      overhead->confidence *
      gc_median_confidence(medians, REPEATS, latency->cycles, TOLERANCE * latency->cycles);
  gc_conclude_tail(overhead->confidence, tails, REPEATS, p95);
  return 0;
}

int gc_step_l2_latency(struct gc_measurement *m, struct gc_measured *element)
{
  struct gc_bench *bench = &m->bench;
  struct gc_latency latency, p95;
  struct walk walk;
  size_t loads;
  int status;

  plan_walk(bench, &walk);
  loads = (size_t)walk.sms * LOADS;
  walk.starts = gc_step_alloc(bench, walk.sms, sizeof(*walk.starts));
  walk.trace = gc_step_alloc(bench, walk.at_once * loads, sizeof(*walk.trace));
  walk.cycles = gc_step_alloc(bench, loads, sizeof(*walk.cycles));
  status = walk.starts && walk.trace && walk.cycles ? measure(m, &walk, &latency, &p95) : -ENOMEM;
  if (!status)
    status = gc_set_latency(element, GC_LATENCY, &latency, bench->mhz) ||
             gc_set_latency_p95(element, &p95);
  return status;
}
