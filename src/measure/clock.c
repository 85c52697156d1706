/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How fast the SMs' clock runs. An idle GPU sleeps at a fraction of its clock and takes a while to
 * wake; latencies of what is outside the SM (L2, memory) count in SM cycles, so nothing is measured
 * before the clock is steady: three readings in a row within half a percent.
 */
#include "measure/bench.h"

#include <math.h>

#define READING_NS 400000
#define READINGS_MAX 60

int gc_warm_up(struct gc_bench *bench)
{
  const struct gpu_clock_args args = {.result = bench->scratch, .nanoseconds = READING_NS};
  struct gpu_clock_result reading;
  double previous = 0;
  int steady = 0;

  for (int i = 0; i < READINGS_MAX && steady < 2; i++) {
    int status = gc_bench_launch(bench, GC_KERNEL_clock, bench->properties.sms, bench->properties.warp,
                                 0, &args, sizeof(args));

    if (!status)
      status = bench->ops->download(bench->device, &reading, args.result, sizeof(reading), bench->err);
    if (status)
      return status;
    bench->mhz = reading.nanoseconds ? (double)reading.cycles * 1e3 / (double)reading.nanoseconds : 0;
    steady = fabs(bench->mhz - previous) < 0.005 * bench->mhz ? steady + 1 : 0;
    previous = bench->mhz;
  }
  return 0;
}
