/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Launches walks that keep a bit of each load.
 */
#include "measure/walk/marks.h"

#include "measure/core/placement.h"

#include <errno.h>

/* *met: two blocks ran on the same SM. */
static int launch(struct gc_bench *bench, const struct gc_path *path,
                  const struct gpu_marks_args *args, size_t n, struct gpu_marks_result *seen,
                  bool *met)
{
  int status = gc_bench_launch(bench, path->marks, (uint32_t)n, bench->properties.warp, 0, args);

  if (!status)
    status =
        bench->ops->download(bench->device, seen, args->results, n * sizeof(*seen), bench->err);
  for (size_t i = 0; i < n && !status; i++)
    bench->results[i].sm = seen[i].sm;
  *met = !status && gc_blocks_met(bench, n);
  return status;
}

int gc_marks_walk(struct gc_bench *bench, const struct gc_path *path,
                  const struct gc_marked *marked, struct gpu_marks_result *seen)
{
  const struct gpu_marks_args args = {.jobs = gc_exchange_jobs(bench),
                                      .results = gc_exchange_results(bench),
                                      .texture = bench->texture,
                                      .threshold = marked->threshold,
                                      .late = marked->late};
  bool met = true;
  int status;

  if (marked->n > bench->properties.sms || marked->loads > GPU_MARKS)
    return gc_fail(bench->err, -EINVAL, "%zu x %u marks are too many", marked->n, marked->loads);
  for (size_t i = 0; i < marked->n; i++)
    bench->jobs[i] = (struct gpu_chase_job){.start = marked->starts[i],
                                            .end = marked->ends ? marked->ends[i] : GPU_NEVER,
                                            .warm = marked->warm,
                                            .loads = marked->loads};
  status = bench->ops->upload(bench->device, args.jobs, bench->jobs,
                              marked->n * sizeof(*bench->jobs), bench->err);
  for (int attempt = 0; attempt < GC_PLACEMENT_LAUNCHES && !status && met; attempt++)
    status = launch(bench, path, &args, marked->n, seen, &met);
  if (status || !met)
    return status;
  return gc_fail_blocks_met(bench);
}
