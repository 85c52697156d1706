/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds where the blocks of a launch run, and the numbers of all SMs.
 */
#include "measure/core/placement.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LAUNCHES 4 /* at most, until each SM has run a block */

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

int gc_fail_blocks_met(struct gc_bench *bench)
{
  bench->signs |= GC_SIGN_BLOCKS_MET;
  return gc_fail(bench->err, -EIO, "the blocks of a launch did not spread over all SMs");
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

static int ascending(const void *left, const void *right)
{
  const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

  return a < b ? -1 : a > b;
}

uint32_t gc_sm_index(const struct gc_results *results, uint32_t sm)
{
  const uint32_t *found =
      bsearch(&sm, results->sm_number, results->sm_count, sizeof(sm), ascending);

  return found ? (uint32_t)(found - results->sm_number) : UINT32_MAX;
}

static void add(struct gc_results *results, uint32_t sm)
{
  if (gc_sm_index(results, sm) != UINT32_MAX)
    return;
  results->sm_number[results->sm_count++] = sm;
  qsort(results->sm_number, results->sm_count, sizeof(sm), ascending);
}

int gc_number_sms(struct gc_measurement *m)
{
  struct gc_results *results = m->results;
  const uint32_t sms = m->bench.properties.sms;
  bool met;
  int status = 0;

  for (int launch = 0; launch < LAUNCHES && results->sm_count < sms && !status; launch++) {
    status = gc_placement_launch(&m->bench, &met);
    for (uint32_t i = 0; i < sms && results->sm_count < sms && !status; i++)
      add(results, m->bench.results[i].sm);
  }
  if (!status && results->sm_count < sms)
    m->bench.signs |= GC_SIGN_BLOCKS_MET;
  return status;
}

bool gc_sms_without_gaps(const struct gc_measurement *m)
{
  const uint32_t sms = m->bench.properties.sms;

  return m->results->sm_count == sms && m->results->sm_number[sms - 1] == sms - 1;
}
