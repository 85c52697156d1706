/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Is the GPU ours alone, and does its clock still run as it did? Another program's kernels take
 * turns with ours: a launch then waits for the end of the other's turn, and a kernel is stopped in
 * the middle when its own turn ends. On an H200 a launch that lasts 20 us is done 10 us later when
 * nobody else is there, and 1,700 to 2,400 us later when somebody is; the wall clock, read over and
 * over, goes on by 32 to 256 ns or by 1,800,000. Between such values there is room for limits that
 * no GPU at peace comes near.
 *
 * A short kernel looks after every step, and after every launch that took long enough to have
 * waited: so hardly more than a launch in a row is spoiled unseen, and medians of repetitions stand
 * that. If it saw something, the step is done again. What stays is waited for, and what does not go
 * is a reason to measure nothing.
 */
#include "measure/bench.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#define LOOK_NS 20000
#define GLANCE_NS 5000     /* too short to see the clock of the SMs */
#define LONG_MS 1.5        /* launches shorter than this have not waited for anybody's turn */
#define STOPPED_NS 100000
#define WAITED_MS 0.3
#define LOOKS 5            /* a first bad look may be the host's fault; two of five are not */
#define FIRST_PAUSE_MS 5.0
#define LONGEST_PAUSE_MS 100.0

struct look {
  double waited_ms; /* from launch to end, without the time that the kernel ran */
  double stopped_ms;
  double mhz, mhz_error;
};

double gc_milliseconds(void)
{
  struct timespec t;

  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void pause_for(double milliseconds)
{
  const struct timespec t = {(time_t)(milliseconds / 1e3), (long)(fmod(milliseconds, 1e3) * 1e6)};

  nanosleep(&t, NULL);
}

static int look(struct gc_bench *bench, uint64_t nanoseconds, struct look *seen)
{
  const struct gpu_clock_args args = {.result = bench->watch, .nanoseconds = nanoseconds};
  /* on all SMs: who launches a lone block again and again counts on where it lands */
  const struct gc_launch launch = {.kernel = GC_KERNEL_clock, .blocks = bench->properties.sms,
                                   .threads = bench->properties.warp, .args = &args,
                                   .args_bytes = sizeof(args)};
  const double start = gc_milliseconds();
  struct gpu_clock_result result;
  int status = bench->ops->launch(bench->device, &launch, bench->err);

  if (!status)
    status = bench->ops->wait(bench->device, bench->err);
  seen->waited_ms = gc_milliseconds() - start;
  if (!status)
    status =
      bench->ops->download(bench->device, &result, args.result, sizeof(result), bench->err);
  if (status)
    return status;
  seen->waited_ms -= (double)result.nanoseconds / 1e6;
  if (bench->properties.simulated)
    seen->waited_ms = 0; /* how fast the simulator runs says nothing about the GPU */
  seen->stopped_ms = result.longest_ns > STOPPED_NS ? (double)result.longest_ns / 1e6 : 0;
  seen->mhz = result.nanoseconds ? (double)result.cycles * 1e3 / (double)result.nanoseconds : 0;
  /* both ends of the window are known to one step of the wall clock */
  seen->mhz_error = 2 * seen->mhz * (double)result.longest_ns / (double)nanoseconds;
  return 0;
}

/* Looks until it is clear whether somebody else is there; *worst: the longest times of all looks,
 * and the clock of the last. */
static int find_others(struct gc_bench *bench, uint64_t nanoseconds, struct look *worst,
                       bool *found)
{
  struct look seen;
  int bad = 0;

  *worst = (struct look){.mhz = 0};
  for (int i = 0; i < LOOKS && (i == 0 || bad); i++) {
    int status = look(bench, nanoseconds, &seen);

    if (status)
      return status;
    bad += seen.waited_ms > WAITED_MS || seen.stopped_ms > 0;
    seen.waited_ms = fmax(worst->waited_ms, seen.waited_ms);
    seen.stopped_ms = fmax(worst->stopped_ms, seen.stopped_ms);
    *worst = seen;
  }
  *found = bad > 1;
  return 0;
}

/* A sentence's end about what is wrong; empty: nothing. */
static int find_trouble(struct gc_bench *bench, char *why, size_t size)
{
  struct look seen;
  bool others;
  int status = find_others(bench, LOOK_NS, &seen, &others);

  *why = '\0';
  if (status)
    return status;
  if (others)
    snprintf(why, size, "another program uses it: kernels %s for %.1f ms",
             seen.waited_ms > seen.stopped_ms ? "wait" : "are stopped",
             fmax(seen.waited_ms, seen.stopped_ms));
  else if (!(seen.stopped_ms > 0) &&
           fabs(seen.mhz - bench->mhz) > GC_OTHER_CLOCK_SHARE * bench->mhz + seen.mhz_error)
    snprintf(why, size, "its clock went from %.0f to %.0f MHz", bench->mhz, seen.mhz);
  return 0;
}

int gc_watch_launch(struct gc_bench *bench, double milliseconds)
{
  struct look seen;
  bool found = false;
  int status;

  /* how long the simulator takes says nothing, so there every launch is one that took long */
  if (!bench->watch || bench->trouble || (milliseconds < LONG_MS && !bench->properties.simulated))
    return 0;
  status = find_others(bench, GLANCE_NS, &seen, &found);
  bench->trouble = found;
  return status;
}

/* Until nothing is wrong, or patience ends. */
static int await(struct gc_bench *bench, char *why, size_t size)
{
  double pause = FIRST_PAUSE_MS;

  while (*why) {
    int status;

    if (bench->lost_ms + gc_milliseconds() - bench->peace_at > bench->patience_ms)
      return gc_fail(bench->err, -EBUSY, "the GPU is busy: %s", why);
    pause_for(pause);
    pause = fmin(2 * pause, LONGEST_PAUSE_MS);
    /* a GPU that had nothing to do meanwhile has to wake up again */
    if ((status = gc_warm_up(bench)) || (status = find_trouble(bench, why, size)))
      return status;
  }
  return 0;
}

int gc_await_peace(struct gc_bench *bench, enum gc_peace *peace)
{
  const double mhz = bench->mhz;
  char why[160];
  int status = find_trouble(bench, why, sizeof(why));

  if (!status && !*why && bench->trouble)
    snprintf(why, sizeof(why), "another program uses it again and again");
  *peace = GC_PEACE;
  if (!status && *why) {
    *peace = GC_DISTURBED;
    status = await(bench, why, sizeof(why));
    bench->lost_ms += gc_milliseconds() - bench->peace_at;
    if (fabs(bench->mhz - mhz) > GC_OTHER_CLOCK_SHARE * mhz)
      *peace = GC_OTHER_CLOCK;
    else
      bench->mhz = mhz; /* the values so far belong to this one */
  }
  bench->trouble = false;
  bench->peace_at = gc_milliseconds();
  return status;
}
