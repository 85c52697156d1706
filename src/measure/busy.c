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
 * A short kernel looks after every step. What passes within a step and leaves no trace at its end
 * is what repetitions and confidences are for; what stays is waited for, and what does not go is a
 * reason to measure nothing.
 */
#include "measure/bench.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#define LOOK_NS 20000
#define STOPPED_NS 100000
#define WAITED_MS 0.3
#define LOOKS 5            /* a first bad look may be the host's fault; two of five are not */
#define OTHER_CLOCK 0.03
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

static int look(struct gc_bench *bench, struct look *seen)
{
  const struct gpu_clock_args args = {.result = bench->scratch, .nanoseconds = LOOK_NS};
  const double start = gc_milliseconds();
  struct gpu_clock_result result;
  int status = gc_bench_launch(bench, GC_KERNEL_clock, 1, bench->properties.warp, 0, &args,
                               sizeof(args));

  seen->waited_ms = gc_milliseconds() - start;
  if (!status)
    status = bench->ops->download(bench->device, &result, args.result, sizeof(result), bench->err);
  if (status)
    return status;
  seen->waited_ms -= (double)result.nanoseconds / 1e6;
  if (bench->properties.simulated)
    seen->waited_ms = 0; /* how fast the simulator runs says nothing about the GPU */
  seen->stopped_ms = result.longest_ns > STOPPED_NS ? (double)result.longest_ns / 1e6 : 0;
  seen->mhz = result.nanoseconds ? (double)result.cycles * 1e3 / (double)result.nanoseconds : 0;
  /* both ends of the window are known to one step of the wall clock */
  seen->mhz_error = 2 * seen->mhz * (double)result.longest_ns / LOOK_NS;
  return 0;
}

/* A sentence's end about what is wrong; empty: nothing. */
static int find_trouble(struct gc_bench *bench, char *why, size_t size)
{
  double waited = 0, stopped = 0;
  struct look seen;
  int bad = 0;

  *why = '\0';
  for (int i = 0; i < LOOKS && (i == 0 || bad); i++) {
    int status = look(bench, &seen);

    if (status)
      return status;
    bad += seen.waited_ms > WAITED_MS || seen.stopped_ms > 0;
    waited = fmax(waited, seen.waited_ms);
    stopped = fmax(stopped, seen.stopped_ms);
  }
  if (bad > 1)
    snprintf(why, size, "another program uses it: kernels %s for %.1f ms",
             waited > stopped ? "wait" : "are stopped", fmax(waited, stopped));
  else if (!seen.stopped_ms &&
           fabs(seen.mhz - bench->mhz) > OTHER_CLOCK * bench->mhz + seen.mhz_error)
    snprintf(why, size, "its clock went from %.0f to %.0f MHz", bench->mhz, seen.mhz);
  return 0;
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

  *peace = GC_PEACE;
  if (!status && *why) {
    *peace = GC_DISTURBED;
    if ((status = await(bench, why, sizeof(why))))
      return status;
    bench->lost_ms += gc_milliseconds() - bench->peace_at;
    if (fabs(bench->mhz - mhz) > OTHER_CLOCK * mhz)
      *peace = GC_OTHER_CLOCK;
    else
      bench->mhz = mhz; /* the values so far belong to this one */
  }
  bench->peace_at = gc_milliseconds();
  return status;
}
