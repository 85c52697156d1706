/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Measured on an H200 with a launch of 20 us: if nothing else runs, its end is seen 10 us late; if
 * another program runs, 1,700 to 2,400 us late. Two successive readings of the wall clock are 32 to
 * 256 ns apart, or 1,800,000 ns if the kernel was interrupted between them. The limits below lie
 * far from both.
 *
 * A short kernel probes the GPU after a few steps (plan/runner.c), and after every launch that took
 * long enough to have waited for a time slice. So at most about one launch in a row is disturbed
 * without notice. Medians of repetitions tolerate that.
 */
#include "measure/core/interference.h"

#include "measure/core/clock.h"
#include "measure/core/placement.h"
#include "util/clock.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#define PROBE_NS 20000.0
#define SHORT_PROBE_NS 5000.0 /* too short for the clock of the SMs */
#define LONG_MS 1.5           /* a shorter launch has not waited for a time slice */
#define STOPPED_NS 100000
#define WAITED_MS 0.3
#define RAMP_SHARE (1 / 3.0) /* of the patience, for a clock that ramps up late */
#define PROBES 5             /* the host may delay one probe, but not two of five */
#define FIRST_PAUSE_MS 5.0
#define LONGEST_PAUSE_MS 100.0
/* If a GPU is throttled and released, its clock changes twice. */
#define UNSTEADY_MAX 3

struct probe {
  double waited_ms; /* from launch to end, less the time that the kernel ran */
  double stopped_ms;
  double mhz, mhz_error;
};

static void pause_for(double milliseconds)
{
  const struct timespec t = {(time_t)(milliseconds / 1e3), (long)(fmod(milliseconds, 1e3) * 1e6)};

  nanosleep(&t, NULL);
}

/* One probe. It bypasses the bench, which would call the observer. */
static int probe(struct gc_interference *in, double nanoseconds, struct probe *seen)
{
  struct gc_bench *bench = in->bench;
  const struct gpu_clock_args args = {.result = gc_exchange_clock(bench),
                                      .nanoseconds = (uint64_t)nanoseconds};
  /* on all SMs: repeated launches of a single block change where the next single block runs */
  const struct gc_launch launch = {.kernel = GC_KERNEL_clock,
                                   .blocks = bench->properties.sms,
                                   .threads = bench->properties.warp,
                                   .args = &args,
                                   .args_bytes = sizeof(args)};
  const double start = gc_now_ms();
  struct gpu_clock_result result;
  int status = bench->ops->launch(bench->device, &launch, bench->err);

  if (!status)
    status = bench->ops->wait(bench->device, bench->err);
  seen->waited_ms = gc_now_ms() - start;
  if (!status)
    status = bench->ops->download(bench->device, &result, args.result, sizeof(result), bench->err);
  if (status)
    return status;
  seen->waited_ms -= (double)result.nanoseconds / 1e6;
  if (bench->properties.simulated)
    seen->waited_ms = 0; /* the speed of the simulator says nothing about the GPU */
  seen->stopped_ms = result.longest_ns > STOPPED_NS ? (double)result.longest_ns / 1e6 : 0;
  seen->mhz = result.nanoseconds ? (double)result.cycles * 1e3 / (double)result.nanoseconds : 0;
  /* two readings are at least one step of the wall clock apart, so the smallest longest_ns is a
   * step */
  if (result.longest_ns && result.longest_ns <= STOPPED_NS &&
      (!(in->tick_ns > 0) || (double)result.longest_ns < in->tick_ns))
    in->tick_ns = (double)result.longest_ns;
  /* each end of the probe may be wrong by one step */
  seen->mhz_error =
      result.nanoseconds ? 2 * seen->mhz * in->tick_ns / (double)result.nanoseconds : 0;
  return 0;
}

/* Probes until it is clear whether another program uses the GPU. *worst: the longest times of all
 * probes, and the clock of the last one. */
static int find_other_program(struct gc_interference *in, double nanoseconds, struct probe *worst,
                              bool *found)
{
  struct probe seen;
  int bad = 0;

  *worst = (struct probe){.mhz = 0};
  for (int i = 0; i < PROBES && (i == 0 || bad); i++) {
    int status = probe(in, nanoseconds, &seen);

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

/* Length of a probe: the steps of the wall clock must not make a larger error than the share from
 * which on clocks count as different. */
static double probe_ns(const struct gc_interference *in)
{
  return fmax(PROBE_NS, 2 * in->tick_ns / GC_OTHER_CLOCK_SHARE);
}

/* Whether our blocks reach all SMs, one block on each. */
static int find_crowd(struct gc_interference *in, char *why, size_t size)
{
  struct gc_bench *bench = in->bench;
  const uint32_t sms = bench->properties.sms;
  uint32_t reached = 0;
  bool met;
  int status = gc_placement_launch(bench, &met);

  in->crowded = !status && met;
  if (!in->crowded)
    return status;
  for (uint32_t i = 0; i < sms; i++) {
    bool first = true;

    for (uint32_t k = 0; k < i && first; k++)
      first = bench->results[i].sm != bench->results[k].sm;
    reached += first;
  }
  snprintf(why, size, "launches reach %u of its %u SMs: another program occupies the others",
           reached, sms);
  return 0;
}

/* Only the clock is wrong. */
static void note_unsteady(struct gc_interference *in, double least, double most)
{
  in->unsteady++;
  in->least_mhz = in->least_mhz > 0 ? fmin(in->least_mhz, least) : least;
  in->most_mhz = fmax(in->most_mhz, most);
}

/* From now on the clock does not matter. */
static void accept_clock(struct gc_interference *in, char *why)
{
  in->wanders = true;
  in->bench->mhz = 0;
  *why = '\0';
}

/* why: the end of a sentence that says what is wrong; empty: nothing. */
static int find_interference(struct gc_interference *in, char *why, size_t size)
{
  const double mhz = in->bench->mhz;
  double nanoseconds = probe_ns(in);
  struct probe seen;
  bool other_program;
  int status = find_other_program(in, nanoseconds, &seen, &other_program);

  /* the first probe may have found a longer step of the clock, which needs longer probes */
  if (!status && !other_program && nanoseconds < probe_ns(in))
    status = find_other_program(in, probe_ns(in), &seen, &other_program);
  *why = '\0';
  if (status)
    return status;
  if (other_program)
    snprintf(why, size, "another program uses it: kernels %s for %.1f ms",
             seen.waited_ms > seen.stopped_ms ? "wait" : "are stopped",
             fmax(seen.waited_ms, seen.stopped_ms));
  else if (!(seen.stopped_ms > 0) && !in->wanders &&
           fabs(seen.mhz - mhz) > GC_OTHER_CLOCK_SHARE * mhz + seen.mhz_error) {
    snprintf(why, size, "its clock went from %.0f to %.0f MHz", mhz, seen.mhz);
    note_unsteady(in, fmin(mhz, seen.mhz), fmax(mhz, seen.mhz));
  }
  in->only_clock = *why && !other_program;
  return 0;
}

/* Is called for every launch: may it have waited for another program? */
static int observe(void *data, double milliseconds)
{
  struct gc_interference *in = data;
  struct probe seen;
  bool found = false;
  int status;

  /* the simulator's speed says nothing about the GPU, so all of its launches count as long */
  if (in->suspected || (milliseconds < LONG_MS && !in->bench->properties.simulated))
    return 0;
  status = find_other_program(in, SHORT_PROBE_NS, &seen, &found);
  in->suspected = found;
  return status;
}

void gc_interference_start(struct gc_interference *in, struct gc_bench *bench, double patience_ms)
{
  *in = (struct gc_interference){
      .bench = bench, .patience_ms = patience_ms, .checked_ms = gc_now_ms()};
  bench->ramp_ns = fmin(GC_RAMP_NS, RAMP_SHARE * patience_ms * 1e6);
  bench->observer = (struct gc_launch_observer){observe, in};
}

/* Warms the GPU up. why: as above. A clock that does not settle is no error here, because
 * wait_until_free() waits for it. */
static int warm_up(struct gc_interference *in, char *why, size_t size)
{
  struct gc_bench *bench = in->bench;
  int status = gc_clock_warm_up(bench);
  const bool settled = status != -EBUSY;
  char clock[160] = "";

  if (!settled)
    snprintf(clock, sizeof(clock), "%.150s", bench->err->text);
  if (in->wanders)
    bench->mhz = 0;
  if (!status || !settled)
    status = find_interference(in, why, size);
  if (!status && !*why && in->crowded)
    status = find_crowd(in, why, size);
  if (!status && !*why && !settled && !in->wanders) {
    snprintf(why, size, "%s", clock);
    note_unsteady(in, bench->least_mhz, bench->most_mhz);
    in->only_clock = true;
  }
  return status;
}

/* Waits until nothing is wrong, or until the patience is used up. */
static int wait_until_free(struct gc_interference *in, char *why, size_t size)
{
  double pause = FIRST_PAUSE_MS;

  while (*why) {
    const bool patient = in->lost_ms + gc_now_ms() - in->checked_ms <= in->patience_ms;
    int status;

    if (in->only_clock && (!patient || in->unsteady > UNSTEADY_MAX)) {
      accept_clock(in, why);
      return 0;
    }
    if (!patient)
      return gc_fail(in->bench->err, -EBUSY, "the GPU is busy: %s", why);
    pause_for(pause);
    pause = fmin(2 * pause, LONGEST_PAUSE_MS);
    /* the GPU was idle and must ramp up again */
    if ((status = warm_up(in, why, size)))
      return status;
  }
  return 0;
}

int gc_interference_warm_up(struct gc_interference *in)
{
  char why[160] = "";
  int status;

  in->checked_ms = gc_now_ms();
  if ((status = warm_up(in, why, sizeof(why))))
    return status;
  if (*why) {
    status = wait_until_free(in, why, sizeof(why));
    in->lost_ms += gc_now_ms() - in->checked_ms;
  }
  in->suspected = false;
  in->checked_ms = gc_now_ms();
  return status;
}

int gc_interference_check(struct gc_interference *in, enum gc_interference_result *disturbance)
{
  struct gc_bench *bench = in->bench;
  const double mhz = bench->mhz;
  char why[160];
  int status = find_interference(in, why, sizeof(why));

  if (!status && !*why && in->suspected)
    snprintf(why, sizeof(why), "another program uses it again and again");
  if (!status && !*why && bench->signs & (GC_SIGN_BLOCKS_MET | GC_SIGN_DOUBT))
    status = find_crowd(in, why, sizeof(why));
  *disturbance = bench->signs & GC_SIGN_EARLIER ? GC_ALL_DOUBTED
                 : bench->signs & GC_SIGN_DOUBT ? GC_DOUBTED
                 : bench->signs                 ? GC_SUSPECTED
                                                : GC_UNDISTURBED;
  bench->signs = 0;
  if (!status && *why) {
    *disturbance = GC_DISTURBED;
    status = wait_until_free(in, why, sizeof(why));
    in->lost_ms += gc_now_ms() - in->checked_ms;
    if (!in->wanders && fabs(bench->mhz - mhz) > GC_OTHER_CLOCK_SHARE * mhz)
      *disturbance = GC_CLOCK_CHANGED;
    else if (!in->wanders)
      bench->mhz = mhz; /* the values so far belong to this clock */
  }
  in->suspected = false;
  in->checked_ms = gc_now_ms();
  return status;
}
