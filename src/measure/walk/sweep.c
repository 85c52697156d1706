/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/walk/sweep.h"

#include "measure/results/results.h"

int gc_sweep(struct gc_bench *bench, const struct gc_sweeping *sweep, double *ns)
{
  const uint32_t blocks = bench->properties.sms;
  const struct gpu_sweep_args args = {.base = sweep->address,
                                      .bytes = sweep->bytes,
                                      .results = gc_scratch_large(bench),
                                      .sink = bench->scratch,
                                      .value = sweep->value,
                                      .wait_ns = sweep->wait_ns};
  struct gpu_sweep_result results[GC_SMS_MAX];
  uint64_t start = UINT64_MAX, end = 0;
  const struct gc_fetch fetch = {results, args.results, ns ? blocks * sizeof(*results) : 0};
  const int status = gc_bench_launch_fetch(bench, GC_KERNEL_sweep, blocks,
                                           bench->properties.threads_per_block, 0, &args, &fetch);

  if (status || !ns)
    return status;
  for (uint32_t i = 0; i < blocks; i++) {
    start = results[i].start_ns < start ? results[i].start_ns : start;
    end = results[i].end_ns > end ? results[i].end_ns : end;
  }
  *ns = end > start ? (double)(end - start) : 0;
  return 0;
}
