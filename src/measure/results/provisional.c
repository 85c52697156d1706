/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the properties that are absent for a reason that can pass.
 */
#include "measure/results/provisional.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NAMED 2 /* properties that are named for each reason */

static const char *const reasons[GC_PASSING_COUNT] = {
    [GC_LITTLE_MEMORY] = "too little free device memory",
    [GC_GPU_BUSY] = "another program used the GPU",
    [GC_STEP_FAILED] = "steps failed",
    [GC_CLOCK_WANDERS] = "the SM clock did not settle",
};

static void append(char why[GC_PROVISIONAL_BYTES], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void append(char why[GC_PROVISIONAL_BYTES], const char *format, ...)
{
  const size_t used = strlen(why);
  va_list args;

  va_start(args, format);
  vsnprintf(why + used, GC_PROVISIONAL_BYTES - used, format, args);
  va_end(args);
}

static bool lacks(const struct gc_measured *element, int property, enum gc_passing passing)
{
  return element->tried && element->found[property].origin == GC_ABSENT &&
         element->found[property].passing == passing;
}

static void add_reason(const struct gc_results *results, enum gc_passing passing,
                       char why[GC_PROVISIONAL_BYTES])
{
  unsigned count = 0;

  for (int kind = 0; kind <= GC_WHOLE_GPU; kind++)
    for (int property = 0; property < GC_PROPERTY_COUNT; property++) {
      if (!lacks(&results->element[kind], property, passing) || ++count > NAMED)
        continue;
      if (count == 1)
        append(why, "%s%s (", *why ? "; " : "", reasons[passing]);
      append(why, "%s%s %s", count == 1 ? "" : ", ", gc_kind_name((enum gc_kind)kind),
             gc_properties_names[property]);
    }
  if (count > NAMED)
    append(why, " and %u more", count - NAMED);
  if (count)
    append(why, ")");
}

bool gc_results_provisional(const struct gc_results *results, char why[GC_PROVISIONAL_BYTES])
{
  *why = '\0';
  for (int passing = GC_LASTING + 1; passing < GC_PASSING_COUNT; passing++)
    add_reason(results, (enum gc_passing)passing, why);
  return *why;
}
