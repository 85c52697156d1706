/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Warms the GPU up until its clock is steady.
 */
#include "measure/core/clock.h"

#include <errno.h>
#include <math.h>

#define READING_NS 400000
#define READINGS_MAX 60
#define STEADY_SHARE 0.005
#define STEADY_TIMES 2 /* successive readings that must be like the reading before them */

int gc_clock_warm_up(struct gc_bench *bench)
{
  const struct gpu_clock_args args = {.result = bench->scratch, .nanoseconds = READING_NS};
  double previous = 0, least = INFINITY, most = 0;
  struct gpu_clock_result reading;
  int steady = 0;

  for (int i = 0; i < READINGS_MAX && steady < STEADY_TIMES; i++) {
    int status = gc_bench_launch(bench, GC_KERNEL_clock, bench->properties.sms,
                                 bench->properties.warp, 0, &args);

    if (!status)
      status =
          bench->ops->download(bench->device, &reading, args.result, sizeof(reading), bench->err);
    if (status)
      return status;
    bench->mhz =
        reading.nanoseconds ? (double)reading.cycles * 1e3 / (double)reading.nanoseconds : 0;
    steady = fabs(bench->mhz - previous) < STEADY_SHARE * bench->mhz ? steady + 1 : 0;
    previous = bench->mhz;
    least = fmin(least, bench->mhz);
    most = fmax(most, bench->mhz);
  }
  if (steady < STEADY_TIMES && most > 0)
    return gc_fail(bench->err, -EBUSY,
                   "its clock does not settle: it went between %.0f and %.0f MHz in %d readings",
                   least, most, READINGS_MAX);
  return 0;
}
