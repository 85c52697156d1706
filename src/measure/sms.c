/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which SMs there are. Kernels tell on which SM they ran by a number: on NVIDIA GPUs 0, 1, 2 …, on AMD
 * GPUs one that says where in the chip the CU is, and most of these do not exist. Who needs an index calls
 * all of them up once.
 */
#include "measure/bench.h"

#include <errno.h>
#include <stdlib.h>

#define CALLS 4 /* launches until each SM has answered */

static int ascending(const void *left, const void *right)
{
  const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

  return a < b ? -1 : a > b;
}

uint32_t gc_sm_index(const struct gc_bench *bench, uint32_t sm)
{
  const uint32_t *found =
      bench->sm_count ? bsearch(&sm, bench->sm_numbers, bench->sm_count, sizeof(sm), ascending) : NULL;

  return found ? (uint32_t)(found - bench->sm_numbers) : UINT32_MAX;
}

static void add(struct gc_bench *bench, uint32_t sm)
{
  if (gc_sm_index(bench, sm) != UINT32_MAX || bench->sm_count == bench->properties.sms)
    return;
  bench->sm_numbers[bench->sm_count++] = sm;
  qsort(bench->sm_numbers, bench->sm_count, sizeof(sm), ascending);
}

int gc_call_sms(struct gc_bench *bench)
{
  const uint32_t sms = bench->properties.sms;
  int status = 0;

  if (!bench->sm_numbers && !(bench->sm_numbers = calloc(sms, sizeof(*bench->sm_numbers))))
    return gc_fail(bench->err, -ENOMEM, "out of memory");
  for (int call = 0; call < CALLS && bench->sm_count < sms && !status; call++) {
    status = gc_bench_call(bench);
    for (uint32_t i = 0; i < sms && !status; i++)
      add(bench, bench->results[i].sm);
  }
  return status;
}
