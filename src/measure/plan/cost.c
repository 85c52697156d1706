/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Measures what measuring costs.
 */
#include "measure/plan/cost.h"

#include "util/clock.h"

#include <errno.h>
#include <math.h>

struct gc_cost_mark gc_cost_now(const struct gc_bench *bench)
{
  return (struct gc_cost_mark){gc_now_ms(), bench->ops->counts(bench->device)->launches};
}

void gc_cost_report(const struct gc_bench *bench, const struct gc_measure_options *options,
                    const char *what, const struct gc_cost_mark *since)
{
  const struct gc_cost_mark now = gc_cost_now(bench);

  if (options->spent)
    options->spent(options->data, what, now.ms - since->ms, now.launches - since->launches);
}

void gc_cost_add(struct gc_cost *cost, const struct gc_bench *bench, double since_ms)
{
  const struct gc_device_counts *counts = bench->ops->counts(bench->device);

  cost->milliseconds += gc_now_ms() - since_ms;
  cost->launches += counts->launches;
  if (cost->device_bytes_peak < counts->device_bytes_peak)
    cost->device_bytes_peak = counts->device_bytes_peak;
}

int gc_cost_publish(const struct gc_cost *cost, struct gc_infos *infos)
{
  int status =
      gc_infos_set_u64(infos, "MeasuringMilliseconds", (uint64_t)llround(cost->milliseconds));

  if (!status)
    status = gc_infos_set_u64(infos, "MeasuringLaunches", cost->launches);
  if (!status)
    status = gc_infos_set_u64(infos, "MeasuringDeviceBytes", cost->device_bytes_peak);
  if (!status)
    status = gc_infos_set_u64(infos, "MeasuringRepeats", cost->repeats);
  if (!status && cost->failures)
    status = gc_infos_set_u64(infos, "MeasuringFailures", cost->failures);
  return status;
}
