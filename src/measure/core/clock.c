/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Warms the GPU up until its clock is steady.
 */
#include "measure/core/clock.h"

#include <errno.h>
#include <math.h>

#define READING_NS 400000
#define READINGS_MAX 60 /* so many without a higher clock: it does not rise any more */
#define STEADY_SHARE 0.005
#define STEADY_TIMES 2 /* successive readings that must be like the reading before them */
/* A clock that stays within this share counts as steady, too: latencies may be wrong by as much. */
#define NARROW_SHARE 0.02
#define CALM_READINGS 20 /* a clock that has fallen may wander; it does not if it stays so long */

/* The readings of a warm-up, MHz. */
struct readings {
  double last, fastest;
  double least, most; /* since the clock was highest */
  double sum;         /* of the readings since then */
  double calm_mhz;    /* the last readings, calm in number, are within 2 % of this one */
  int calm;
  int count, steady; /* readings since then; successive ones that are alike */
  double load_ns;    /* how long the GPU has worked */
};

static int read_clock(struct gc_bench *bench, struct readings *r)
{
  const struct gpu_clock_args args = {.result = bench->scratch, .nanoseconds = READING_NS};
  const double previous = r->last;
  struct gpu_clock_result seen;
  int status = gc_bench_launch(bench, GC_KERNEL_clock, bench->properties.sms,
                               bench->properties.warp, 0, &args);

  if (!status)
    status = bench->ops->download(bench->device, &seen, args.result, sizeof(seen), bench->err);
  if (status)
    return status;
  r->last = seen.nanoseconds ? (double)seen.cycles * 1e3 / (double)seen.nanoseconds : 0;
  /* a wall clock that stands still must not keep the loop going */
  r->load_ns += fmax((double)seen.nanoseconds, READING_NS);
  r->steady = fabs(r->last - previous) < STEADY_SHARE * r->last ? r->steady + 1 : 0;
  if (fabs(r->last - r->calm_mhz) > NARROW_SHARE * r->last) {
    r->calm_mhz = r->last;
    r->calm = 0;
  }
  r->calm++;
  if (r->last > (1 + STEADY_SHARE) * r->fastest) {
    r->fastest = r->last;
    r->count = 0;
    r->sum = r->most = 0;
    r->least = INFINITY;
  }
  r->count++;
  r->sum += r->last;
  r->least = fmin(r->least, r->last);
  r->most = fmax(r->most, r->last);
  return 0;
}

/* May the clock still rise, although it looks steady? Some GPUs stay at a low clock until they have
 * worked for some tenths of a second, or rise so slowly that successive readings are alike. */
static bool may_ramp_up(const struct gc_bench *bench, const struct readings *r)
{
  const double full =
      bench->full_mhz > 0 ? bench->full_mhz : (double)bench->properties.clock_khz / 1e3;
  const bool low = r->last < (1 - GC_OTHER_CLOCK_SHARE) * full;
  const bool rising = r->last < (1 - STEADY_SHARE) * full && r->count < READINGS_MAX;

  return bench->properties.ramps_late && (low || rising) && r->load_ns < bench->ramp_ns;
}

static bool is_steady(const struct readings *r)
{
  const bool fell = r->last < (1 - GC_OTHER_CLOCK_SHARE) * r->fastest;

  return r->steady >= STEADY_TIMES && (!fell || r->calm >= CALM_READINGS);
}

static bool is_wide(const struct readings *r)
{
  return r->most > (1 + NARROW_SHARE) * r->least;
}

int gc_clock_warm_up(struct gc_bench *bench)
{
  struct readings r = {0};
  bool settled, rising;

  do {
    int status = read_clock(bench, &r);

    if (status)
      return status;
    settled = is_steady(&r);
    rising = r.count < READINGS_MAX && r.load_ns < fmax(bench->ramp_ns, READINGS_MAX * READING_NS);
  } while (settled ? may_ramp_up(bench, &r) : rising);
  bench->mhz = settled ? r.last : r.sum / r.count;
  bench->least_mhz = r.least;
  bench->most_mhz = r.most;
  if (!settled && r.most > 0 && (r.count < READINGS_MAX || is_wide(&r)))
    return gc_fail(bench->err, -EBUSY,
                   "its clock does not settle: it went between %.0f and %.0f MHz in %d readings",
                   r.least, r.most, r.count);
  bench->full_mhz = fmax(bench->full_mhz, bench->mhz);
  return 0;
}
