/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the numbers of all SMs.
 */
#include "measure/walk/sms.h"

#include "measure/core/placement.h"

#include <stdlib.h>

#define LAUNCHES 4 /* at most, until each SM has run a block */

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
