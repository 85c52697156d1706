/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict/model/placement.h"

#include <stdbool.h>
#include <string.h>

#define SMS_OF_TPC 2

struct placing {
  const struct gc_gpu_model *gpu;
  uint16_t *order;
  unsigned placed;
  bool taken[GC_PREDICT_SMS_MAX];
};

/* Takes up to count of the free SMs of a GPC: of the first `of` of every SMS_OF_TPC. */
static unsigned take(struct placing *placing, unsigned gpc, unsigned count, unsigned of)
{
  unsigned in_gpc = 0, taken = 0;

  for (unsigned sm = 0; sm < placing->gpu->sms && taken < count; sm++) {
    if (placing->gpu->gpc_of_sm[sm] != gpc)
      continue;
    if (in_gpc++ % SMS_OF_TPC < of && !placing->taken[sm]) {
      placing->taken[sm] = true;
      placing->order[placing->placed++] = (uint16_t)sm;
      taken++;
    }
  }
  return taken;
}

/* How many of the first blocks each GPC gets, if they begin with GPC first. */
static void share(const struct gc_gpu_model *gpu, unsigned first, unsigned blocks,
                  unsigned counts[GC_PREDICT_SMS_MAX])
{
  unsigned sizes[GC_PREDICT_SMS_MAX] = {0};

  memset(counts, 0, gpu->gpcs * sizeof *counts);
  for (unsigned sm = 0; sm < gpu->sms; sm++)
    sizes[gpu->gpc_of_sm[sm]]++;
  for (unsigned gpc = first; blocks; gpc = (gpc + 1) % gpu->gpcs)
    if (counts[gpc] < sizes[gpc]) {
      counts[gpc]++;
      blocks--;
    }
}

void gc_place_blocks(const struct gc_gpu_model *gpu, unsigned first, uint64_t blocks,
                     uint16_t order[GC_PREDICT_SMS_MAX])
{
  const unsigned count = blocks && blocks < gpu->sms ? (unsigned)blocks : gpu->sms;
  struct placing placing = {.gpu = gpu, .order = order};
  unsigned counts[GC_PREDICT_SMS_MAX];

  if (!gpu->gpcs) {
    for (unsigned i = 0; i < gpu->sms; i++)
      order[i] = (uint16_t)i;
    return;
  }
  share(gpu, first, count, counts);
  for (unsigned i = 0; i < gpu->gpcs; i++) {
    const unsigned gpc = (first + i) % gpu->gpcs;
    unsigned pairs = 0;

    for (unsigned sm = 0; sm < gpu->sms; sm++)
      pairs += gpu->gpc_of_sm[sm] == gpc;
    pairs = (pairs + 1) / SMS_OF_TPC;
    take(&placing, gpc, counts[gpc], counts[gpc] <= pairs ? 1 : SMS_OF_TPC);
  }
  for (unsigned i = 0; i < gpu->gpcs; i++)
    take(&placing, (first + i) % gpu->gpcs, gpu->sms, SMS_OF_TPC);
}
