/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Checks LatencyBySM of an L2.
 */
#ifndef GC_TESTS_SIM_BY_SM_H
#define GC_TESTS_SIM_BY_SM_H

#include "open.h"

#include "model/chip.h"

/* Each of the three values must be right within 2 %; there must be none if SMs are alike. */
static inline void check_by_sm(const struct opened *o, const struct gc_element *l2)
{
  const char *reported = gc_infos_get(&l2->infos, "LatencyBySM");
  const char *source = gc_infos_get(&l2->infos, "LatencyBySMSource");
  const double latency = gc_model_true_latency(o->model, GC_SPACE_CG, 0);
  double least = latency, most = latency, found[3] = {0};

  for (uint32_t sm = 0; sm < gc_model_facts(o->model)->sms; sm++) {
    least = fmin(least, latency + gc_chip_offset(o->model, sm));
    most = fmax(most, latency + gc_chip_offset(o->model, sm));
  }
  reported = reported ? reported : "";
  source = source ? source : "";
  if (!(most > least)) {
    if (*reported || strncmp(source, "absent:all SMs see the same latency within ", 43))
      fail_msg("%s: LatencyBySM is '%s' (%s)", o->name, reported, source);
    return;
  }
  /* SMs are spread evenly around the latency of the profile */
  if (sscanf(reported, "%lf,%lf,%lf", &found[0], &found[1], &found[2]) != 3 ||
      !(fabs(found[0] - least) <= 0.02 * least) ||
      !(fabs(found[1] - latency) <= 0.02 * latency + 0.2 * (most - least)) ||
      !(fabs(found[2] - most) <= 0.02 * most))
    fail_msg("%s: LatencyBySM is '%s' (%s), in the model from %.0f to %.0f", o->name, reported,
             source, least, most);
}

#endif
