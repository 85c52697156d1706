/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds where the blocks of a launch run.
 */
#include "measure/core/placement.h"

#include <string.h>

bool gc_blocks_met(const struct gc_bench *bench, size_t n)
{
  for (size_t i = 1; i < n; i++)
    for (size_t k = 0; k < i; k++)
      if (bench->results[i].sm == bench->results[k].sm)
        return true;
  return false;
}

int gc_placement_launch(struct gc_bench *bench, bool *met)
{
  const uint32_t n = bench->properties.sms;
  const struct gpu_chase_args args = {.jobs = gc_scratch_jobs(bench),
                                      .results = gc_scratch_results(bench),
                                      .texture = bench->texture,
                                      .threshold = UINT32_MAX};
  int status;

  memset(bench->jobs, 0, n * sizeof(*bench->jobs));
  status =
      bench->ops->upload(bench->device, args.jobs, bench->jobs, n * sizeof(*bench->jobs),
                         bench->err);
  *met = true;
  for (int attempt = 0; attempt < GC_PLACEMENT_LAUNCHES && !status && *met; attempt++) {
    status = gc_bench_launch(bench, GC_KERNEL_chase_cg, n, bench->properties.warp, 0, &args);
    if (!status)
      status = bench->ops->download(bench->device, bench->results, args.results,
                                    n * sizeof(*bench->results), bench->err);
    if (!status)
      *met = gc_blocks_met(bench, n);
  }
  return status;
}
