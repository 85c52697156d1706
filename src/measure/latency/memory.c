/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The latency of device memory: single loads, in scattered order, of lines that no cache holds. The
 * ring lies in one part of the arena. Reading the rest, which is no smaller than
 * all caches, evicts it.
 *
 * Loads that are far apart may wait for the translation of their address (a TLB miss; on an H200
 * these begin only beyond tens of GB), hence the pages (walk/cold_pages.h). On an H200, the latency
 * is the same within 0.5 % as that of single lines far apart, although loads that are near to each
 * other could find a row of the memory open.
 *
 * Memory can be near or far. On an H200 half of all lines belong to the other L2 partition, so
 * every SM sees two modes, around 550 and 750 cycles, and almost nothing between them. A median may
 * lie anywhere in that gap. The value is then the midhinge, the mean of the quartiles, which is the
 * middle between the median of the near half and that of the far half; where the median lies in no
 * gap, it is the median (gc_middle). A tail of slow loads does not change it, nor do delayed loads
 * that are fewer than 40 %. All SMs take part, each with its own lines, because a single SM may be
 * nearer to one half. doc/methods.md, "Device memory latency".
 */
#include "measure/latency/latency.h"
#include "measure/core/step_memory.h"
#include "measure/latency/tail.h"
#include "measure/walk/chase.h"
#include "measure/walk/cold_pages.h"
#include "measure/walk/evict.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>

#define REPEATS 9
#define TOLERANCE 0.02
/* Two latencies that are right within the tolerance differ by no more. */
#define OTHER_SHARE (2 * TOLERANCE)
/* Least number of loads in one repetition, by all SMs together. One load in twenty is beyond the
 * 95th percentile, so it needs more loads than a middle: with 1,024, repetitions differ by 4 % on
 * an H100. */
#define LOADS 4096

/* SMs that take part, and the loads of each in one repetition. */
struct share {
  uint32_t sms, loads;
};

/* For one launch. */
struct space {
  uint64_t *starts; /* one of each SM */
  uint32_t *trace;
  double *cycles;
};

/* The middle of the latencies, and their 95th percentile. */
struct conclusion {
  struct gc_latency latency, p95;
};

/* Repetition r is the r-th part of every SM's trace. cycles: space for all loads of one
 * repetition. The first load of each page does not count. */
static void conclude(const struct gc_measurement *m, const struct share *share,
                     const uint32_t *trace, double *cycles, struct conclusion *conclusion)
{
  const struct gc_latency *overhead = &m->results->overhead;
  struct gc_latency *latency = &conclusion->latency;
  double middles[REPEATS], tails[REPEATS];

  for (uint32_t r = 0; r < REPEATS; r++) {
    size_t n = 0;

    for (uint32_t sm = 0; sm < share->sms; sm++)
      for (uint32_t i = 0; i < share->loads; i++)
        if (i % GC_OF_PAGE)
          cycles[n++] = trace[(sm * REPEATS + r) * share->loads + i];
    middles[r] = gc_middle(cycles, n) - overhead->cycles;
    tails[r] = gc_quantile(cycles, n, GC_TAIL) - overhead->cycles;
  }
  gc_raw_repeats(m->bench.raw, middles, REPEATS);
  latency->cycles = gc_median(middles, REPEATS);
  latency->confidence =
      overhead->confidence *
      gc_median_confidence(middles, REPEATS, latency->cycles, TOLERANCE * latency->cycles);
  gc_conclude_tail(overhead->confidence, tails, REPEATS, &conclusion->p95);
}

/* All repetitions in one launch. Each SM has whole pages of its own, which may need more memory
 * than there is: then fewer loads of each SM, or fewer SMs. */
static int walk_pages(struct gc_bench *bench, struct share *share, struct space *space)
{
  /* pages of one repetition; the last page has slots that no chain uses */
  const uint64_t rows = (gc_cold_bytes(bench) / GC_PAGE - 1) / REPEATS;
  const uint32_t sms = share->sms < rows ? share->sms : (uint32_t)rows;
  const uint64_t wanted = (share->loads + GC_OF_PAGE - 1) / GC_OF_PAGE;
  const uint64_t each = !sms ? 0 : wanted < rows / sms ? wanted : rows / sms;
  const uint64_t pages = each * REPEATS * sms;
  struct gc_traced traced = {
      .starts = space->starts, .n = sms, .loads = (uint32_t)each * GC_OF_PAGE * REPEATS};
  int status;

  *share = (struct share){sms, (uint32_t)each * GC_OF_PAGE};
  if (!pages)
    return gc_fail(bench->err, -ENOMEM, "too little memory for a chain of pages");
  for (uint64_t sm = 0; sm < sms; sm++)
    space->starts[sm] = gc_cold_pages_at(bench, pages, sm * each * REPEATS);
  status = gc_cold_pages_lay(bench, pages);
  return status ? status : gc_chase_trace(bench, gc_path_of(GC_L2), &traced, space->trace);
}

static int measure(struct gc_measurement *m, struct conclusion *conclusion)
{
  struct gc_bench *bench = &m->bench;
  const uint32_t sms = bench->properties.sms;
  struct share share = {.sms = sms, .loads = LOADS / sms + 1};
  /* whole pages may be a few loads more */
  const size_t loads = REPEATS * (size_t)share.sms * (share.loads + GC_OF_PAGE);
  struct space space = {gc_step_alloc(bench, share.sms, sizeof(*space.starts)),
                        gc_step_alloc(bench, loads, sizeof(*space.trace)),
                        gc_step_alloc(bench, loads, sizeof(*space.cycles))};
  const int status =
      space.starts && space.trace && space.cycles ? walk_pages(bench, &share, &space) : -ENOMEM;

  if (!status)
    conclude(m, &share, space.trace, space.cycles, conclusion);
  return status;
}

int gc_step_memory_latency(struct gc_measurement *m, struct gc_measured *element)
{
  struct conclusion conclusion;
  const int status = measure(m, &conclusion);

  if (status)
    return status;
  gc_set_latency_p95(element, &conclusion.p95);
  return gc_set_latency(element, GC_LATENCY, &conclusion.latency, m->bench.mhz);
}

static bool is_other(double cycles, const struct gc_measured *element)
{
  return fabs(cycles - element->latency_cycles) > OTHER_SHARE * element->latency_cycles;
}

/* The driver clears memory that another program has given back, for some 0.3 s on an H200 with 140
 * GB. Meanwhile loads of device memory take longer, and fewer lines stay in L2, but no kernel of
 * another program runs that the interference check could notice. So the first latency must still be
 * right after the steps that depend on it. The latency without load is nearly the same. If it
 * differs from the first one, the loads of the first step are made again. */
int gc_step_memory_again(struct gc_measurement *m, struct gc_measured *element)
{
  const struct gc_by_load *load = &element->under_load;
  struct conclusion again;
  int status;

  if (!gc_found(element, GC_LATENCY) || !(m->bench.mhz > 0) ||
      (load->count && !is_other(load->ns[0] * m->bench.mhz / 1e3, element)))
    return 0;
  if ((status = measure(m, &again)))
    return status;
  if (is_other(again.latency.cycles, element))
    m->bench.signs |= GC_SIGN_EARLIER;
  return 0;
}
