/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Clusters of blocks: which SMs run them.
 */
#include "model/chip.h"
#include "model/model.h"

/* Whether a TPC can run blocks of a cluster with so many blocks. */
static bool takes(const struct gc_profile_gpcs *gpcs, uint32_t sm, uint32_t size)
{
  return size <= gpcs->tpc_sms || !gpcs->lone[sm];
}

/* The number of SMs of a GPC that can run blocks of a cluster of this size. 0: too few. */
static uint32_t sms_for(const struct gc_model *model, uint32_t gpc, uint32_t size)
{
  const struct gc_profile_gpcs *gpcs = &model->profile.gpcs;
  uint32_t n = 0;

  for (uint32_t sm = 0; sm < model->profile.facts.sms; sm++)
    n += gpcs->of[sm] == gpc + 1 && takes(gpcs, sm, size);
  return n < size ? 0 : n;
}

bool gc_model_sms_of_cluster(const struct gc_model *model, uint32_t cluster, uint32_t size,
                             uint32_t *sms)
{
  const struct gc_profile_gpcs *gpcs = &model->profile.gpcs;
  uint32_t able = 0, gpc = 0, among = 0, start, at = 0;

  for (uint32_t g = 0; g < gpcs->count; g++)
    able += sms_for(model, g, size) > 0;
  if (!able)
    return false;
  for (uint32_t skip = cluster % able;; gpc++)
    if ((among = sms_for(model, gpc, size)) > 0 && !skip--)
      break;
  start = (uint32_t)((uint64_t)(cluster / able) * size % among);
  for (uint32_t sm = 0; sm < model->profile.facts.sms; sm++)
    if (gpcs->of[sm] == gpc + 1 && takes(gpcs, sm, size)) {
      const uint32_t place = (at++ + among - start) % among;

      if (place < size)
        sms[place] = sm;
    }
  return true;
}
