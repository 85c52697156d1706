/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Launches bandwidth kernels and evaluates their repetitions.
 */
#include "measure/bandwidth/rate.h"
#include "measure/core/placement.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdio.h>

#define TOLERANCE 0.03
#define SURE_ENOUGH 0.8 /* a value with less confidence is absent */
/* SMs are alike: if some are this many times as fast as others, another program runs on those. */
#define APART_MAX 2.0
#define CLOCK_SHARE 0.005 /* clock readings at both ends may be wrong by this share */

static int launch(struct gc_bench *bench, const struct gc_flow *flow,
                  struct gpu_bandwidth_result *results, size_t bytes)
{
  const int status = gc_bench_launch(bench, flow->kernel, flow->blocks, flow->threads,
                                     flow->shared_bytes, &flow->args);

  return status
             ? status
             : bench->ops->download(bench->device, results, flow->args.results, bytes, bench->err);
}

int gc_flow_run(struct gc_bench *bench, struct gc_flow *flow, struct gpu_bandwidth_result *results)
{
  const size_t bytes = (size_t)flow->blocks * flow->args.repeats * sizeof(*results);
  bool met = true;
  int status = 0;

  flow->args.results = gc_exchange_results(bench);
  flow->args.sink = bench->scratch;
  if (bytes > gc_exchange_results_bytes(bench))
    return gc_fail(bench->err, -EINVAL, "bandwidth of %u blocks, %u times, is too much at once",
                   flow->blocks, flow->args.repeats);
  for (int attempt = 0; attempt < GC_PLACEMENT_LAUNCHES && !status && met; attempt++)
    if (!(status = launch(bench, flow, results, bytes)))
      met = gc_sms_met(&results->sm, sizeof(*results), flow->blocks);
  if (!status && met)
    bench->signs |= GC_SIGN_BLOCKS_MET;
  return status;
}

int gc_flow_walk(struct gc_bench *bench, struct gc_flow *flow, struct gpu_bandwidth_result *results,
                 uint64_t *bytes, uint64_t *ns)
{
  const uint64_t walked = flow->args.count * flow->args.step;
  uint64_t start = UINT64_MAX, end = 0;
  int status = gc_flow_run(bench, flow, results);

  *bytes = *ns = 0;
  for (size_t i = 0; i < flow->blocks && !status; i++) {
    *bytes += results[i].bytes;
    start = results[i].start_ns < start ? results[i].start_ns : start;
    end = results[i].end_ns > end ? results[i].end_ns : end;
  }
  if (!status && end > start)
    *ns = end - start;
  flow->args.first = (flow->args.first + walked) % flow->args.bytes;
  return status;
}

void gc_rate_of(const struct gc_bench *bench, const struct gc_flow *flow, double *values,
                struct gc_rate *rate)
{
  const bool writes = flow->kernel == GC_KERNEL_write_cg || flow->kernel == GC_KERNEL_write_shared;
  const bool gpu = flow->kernel == GC_KERNEL_read_cg || flow->kernel == GC_KERNEL_write_cg;
  const char *columns = flow->kernel == GC_KERNEL_atomics_cg       ? "repeat\tatomics per ns"
                        : flow->kernel == GC_KERNEL_atomics_shared ? "repeat\tatomics per cycle"
                        : gpu    ? writes ? "repeat\twrite, GB/s" : "repeat\tread, GB/s"
                        : writes ? "repeat\twrite, bytes per cycle and SM"
                                 : "repeat\tread, bytes per cycle and SM";

  for (int i = 0; i < GC_RATE_REPEATS; i++)
    gc_raw_row(bench->raw, columns, (double[]){i + 1, values[i]});
  gc_sort(values, GC_RATE_REPEATS);
  rate->least = values[0];
  rate->most = values[GC_RATE_REPEATS - 1];
  rate->apart = 1;
  rate->fewer = rate->value = gc_median(values, GC_RATE_REPEATS);
  rate->confidence =
      gc_median_confidence(values, GC_RATE_REPEATS, rate->value, TOLERANCE * rate->value);
}

double gc_sm_limit(const struct gc_properties *p)
{
  return p->compute_major < 2 ? 0 : p->warp * (p->compute_major == 3 ? 8.0 : 4.0);
}

int gc_rate_put(struct gc_measurement *m, struct gc_measured *element, enum gc_property property,
                double *value, const struct gc_rate *rate, const struct gc_rate_limit *limit)
{
  char why[160];

  if (!(rate->value > 0))
    return gc_set_absent(element, property, "the clock of the GPU did not advance");
  if (limit->most > 0 && rate->value > (1 + CLOCK_SHARE) * limit->most) {
    snprintf(why, sizeof(why), "%.4g %s were seen, but %s allows %.4g at most", rate->value,
             limit->unit, limit->by, limit->most);
    return gc_withhold(m->results, element->kind, property, why);
  }
  if (rate->apart > APART_MAX) {
    m->bench.signs |= GC_SIGN_SCATTER;
    snprintf(why, sizeof(why), "some SMs are %.1f times as fast as others", rate->apart);
    return gc_set_absent(element, property, why);
  }
  if (rate->confidence < SURE_ENOUGH) {
    m->bench.signs |= GC_SIGN_SCATTER;
    snprintf(
        why, sizeof(why),
        "%d repetitions lie between %.4g and %.4g %s, too few of them within %g %% of their median",
        GC_RATE_REPEATS, rate->least, rate->most, limit->unit, 100 * TOLERANCE);
    return gc_set_absent(element, property, why);
  }
  if (!(rate->fewer > 0))
    return gc_set_absent(element, property,
                         "too few warps to know whether more loads in flight would give more");
  if (rate->value > GC_GAIN_MAX * rate->fewer) {
    snprintf(
        why, sizeof(why),
        "more loads in flight would give more: with half as many, %.4g instead of %.4g %s were "
        "seen",
        rate->fewer, rate->value, limit->unit);
    return gc_set_absent(element, property, why);
  }
  *value = rate->value;
  return gc_set_measured(element, property, rate->confidence);
}
