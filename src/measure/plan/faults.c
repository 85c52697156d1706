/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes the properties of failed steps absent.
 */
#include "measure/plan/faults.h"

#include <errno.h>

#define FAILURES_MAX 6 /* if more steps fail, nothing is recorded */

static void put_failure(struct gc_measured *element, const struct gc_plan_step *step,
                        const char *why)
{
  element->tried = true;
  for (int property = 0; property < GC_PROPERTY_COUNT; property++)
    if (step->reports.has[property] && element->found[property].origin == GC_UNKNOWN)
      gc_set_absent_for_now(element, (enum gc_property)property, GC_STEP_FAILED, why);
  /* a step that only checks: what it would have withheld has not been checked */
  if (step->use == GC_STEP_CHECKS && element->found[GC_CAPACITY].origin == GC_MEASURED)
    gc_set_absent_for_now(element, GC_CAPACITY, GC_STEP_FAILED, why);
}

int gc_fault_handle(struct gc_measurement *m, const struct gc_measure_options *options,
                    const struct gc_plan_step *step, bool reported)
{
  struct gc_error *err = m->bench.err, sentence;
  char what[96];

  if (!reported)
    put_failure(&m->results->element[step->kind], step, err->text);
  gc_plan_name(step, what, sizeof(what));
  gc_fail_in(err, 0, what);
  if (++m->results->cost.failures > FAILURES_MAX)
    return gc_fail_in(err, -EIO, "too many steps fail");
  if (options->warn) {
    gc_fail(&sentence, 0, "%.480s; this is left out", err->text);
    options->warn(options->data, sentence.text);
  }
  return 0;
}
