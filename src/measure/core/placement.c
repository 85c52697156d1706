/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds where the blocks of a launch run.
 */
#include "measure/core/placement.h"
#include "measure/results/results.h"

#include <string.h>

/* SMs are entered in a table, each at the first free place from its number on. */
bool gc_sms_met(const uint32_t *first, size_t bytes, size_t n)
{
  uint32_t table[2 * GC_SMS_MAX] = {0}; /* number + 1 */
  const size_t places = sizeof(table) / sizeof(*table);

  if (n > GC_SMS_MAX)
    return true; /* no GPU has so many */
  for (size_t i = 0; i < n; i++) {
    const uint32_t sm = *(const uint32_t *)((const char *)first + i * bytes);
    size_t at = sm % places;

    while (table[at] && table[at] != sm + 1)
      at = (at + 1) % places;
    if (table[at])
      return true;
    table[at] = sm + 1;
  }
  return false;
}

bool gc_blocks_met(const struct gc_bench *bench, size_t n)
{
  return gc_sms_met(&bench->results->sm, sizeof(*bench->results), n);
}

int gc_placement_launch(struct gc_bench *bench, bool *met)
{
  const uint32_t n = bench->properties.sms;
  const struct gpu_chase_args args = {.jobs = gc_exchange_jobs(bench),
                                      .results = gc_exchange_results(bench),
                                      .texture = bench->texture,
                                      .threshold = UINT32_MAX};
  int status;

  memset(bench->jobs, 0, n * sizeof(*bench->jobs));
  status = bench->ops->upload(bench->device, args.jobs, bench->jobs, n * sizeof(*bench->jobs),
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
