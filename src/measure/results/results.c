/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Sets the sources, confidences and values of results.
 */
#include "measure/results/results.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define CONFIDENCE_MAX 0.9999

const char *const gc_properties_names[GC_PROPERTY_COUNT] = {
#define PROPERTY(id, name, judge, section, sentence) [GC_##id] = name,
#include "record/property_table.h"
};

void gc_results_clear(struct gc_results *results)
{
  memset(results, 0, sizeof(*results));
  for (int kind = 0; kind <= GC_WHOLE_GPU; kind++)
    results->element[kind].kind = (enum gc_kind)kind;
}

void gc_results_copy(struct gc_results *to, const struct gc_results *from)
{
  const size_t found = offsetof(struct gc_measured, found), rest = offsetof(struct gc_results, mhz);
  const size_t values = found + sizeof(to->element->found);

  for (int kind = 0; kind <= GC_WHOLE_GPU; kind++) {
    struct gc_measured *t = &to->element[kind];
    const struct gc_measured *f = &from->element[kind];

    memcpy(t, f, found);
    memcpy((char *)t + values, (const char *)f + values, sizeof(*t) - values);
    for (int property = 0; property < GC_PROPERTY_COUNT; property++) {
      memcpy(&t->found[property], &f->found[property], offsetof(struct gc_finding, why[1]));
      if (*f->found[property].why)
        strcpy(t->found[property].why, f->found[property].why);
    }
  }
  memcpy((char *)to + rest, (const char *)from + rest, sizeof(*to) - rest);
}

/* Rounds as printf does, which goes by the exact value: 32.15 is stored as 32.149…, so it is 32.1.
 * But 32.15 * 10 is 321.5, so the part that the product has lost decides there. Exact halves go to
 * even. */
static double rounded(double value, double units)
{
  const double product = value * units, lost = fma(value, units, -product);

  if (product - floor(product) == 0.5 && lost != 0)
    return (lost > 0 ? ceil(product) : floor(product)) / units;
  return rint(product) / units;
}

int gc_set_measured(struct gc_measured *element, enum gc_property property, double confidence)
{
  /* rounding must not turn "almost sure" into "sure" */
  const double most = confidence > CONFIDENCE_MAX ? CONFIDENCE_MAX : confidence;

  element->found[property] =
      (struct gc_finding){.origin = GC_MEASURED, .confidence = rounded(most, 1e4)};
  return 0;
}

int gc_set_stated(struct gc_measured *element, enum gc_property property)
{
  element->found[property] = (struct gc_finding){.origin = GC_STATED};
  return 0;
}

int gc_set_tabulated(struct gc_measured *element, enum gc_property property)
{
  element->found[property] = (struct gc_finding){.origin = GC_TABULATED};
  return 0;
}

int gc_set_absent(struct gc_measured *element, enum gc_property property, const char *why)
{
  struct gc_finding *finding = &element->found[property];

  *finding = (struct gc_finding){.origin = GC_ABSENT, .passing = finding->passing};
  snprintf(finding->why, sizeof(finding->why), "%s", why);
  return 0;
}

int gc_set_all_absent(struct gc_measured *element, union gc_property_set properties,
                      const char *why)
{
  for (int property = 0; property < GC_PROPERTY_COUNT; property++)
    if (properties.has[property])
      gc_set_absent(element, (enum gc_property)property, why);
  return 0;
}

int gc_mark_passing(struct gc_measured *element, enum gc_property property, enum gc_passing passing)
{
  element->found[property].passing = passing;
  return 0;
}

int gc_set_absent_for_now(struct gc_measured *element, enum gc_property property,
                          enum gc_passing passing, const char *why)
{
  gc_mark_passing(element, property, passing);
  return gc_set_absent(element, property, why);
}

int gc_set_latency(struct gc_measured *element, enum gc_property property,
                   const struct gc_latency *latency, double mhz)
{
  double *cycles = property == GC_NEAR_LATENCY  ? &element->near_latency_cycles
                   : property == GC_FAR_LATENCY ? &element->far_latency_cycles
                                                : &element->latency_cycles;
  double *ns = property == GC_NEAR_LATENCY  ? &element->near_latency_ns
               : property == GC_FAR_LATENCY ? &element->far_latency_ns
                                            : &element->latency_ns;

  if (latency->confidence < GC_CONFIDENCE_LEAST)
    return gc_set_absent(element, property, "repetitions disagree");
  *cycles = rounded(latency->cycles, 10);
  *ns = mhz > 0 ? rounded(latency->cycles * 1e3 / mhz, 10) : 0;
  return gc_set_measured(element, property, latency->confidence);
}

int gc_set_latency_p95(struct gc_measured *element, const struct gc_latency *p95)
{
  if (p95->confidence < GC_CONFIDENCE_LEAST)
    return gc_set_absent(element, GC_LATENCY_P95, "repetitions disagree");
  element->latency_p95_cycles = rounded(p95->cycles, 10);
  return gc_set_measured(element, GC_LATENCY_P95, p95->confidence);
}

int gc_set_latency_by_sm(struct gc_measured *element, const struct gc_by_sm *cycles,
                         double confidence)
{
  if (confidence < GC_CONFIDENCE_LEAST)
    return gc_set_absent(element, GC_LATENCY_BY_SM, "too few loads of each SM were timed");
  element->latency_by_sm = (struct gc_by_sm){
      rounded(cycles->least, 10), rounded(cycles->middle, 10), rounded(cycles->most, 10)};
  return gc_set_measured(element, GC_LATENCY_BY_SM, confidence);
}

int gc_set_miss_penalty(struct gc_measured *element, double cycles, double confidence)
{
  if (confidence < GC_CONFIDENCE_LEAST)
    return gc_set_absent(element, GC_MISS_PENALTY, "repetitions disagree");
  element->miss_penalty_cycles = rounded(cycles, 10);
  return gc_set_measured(element, GC_MISS_PENALTY, confidence);
}

int gc_withhold(struct gc_results *results, enum gc_kind kind, enum gc_property property,
                const char *why)
{
  gc_set_absent(&results->element[kind], property, why);
  gc_warn(results, "%s of %s is withheld: %s", gc_properties_names[property], gc_kind_name(kind),
          why);
  return 0;
}

void gc_warn(struct gc_results *results, const char *format, ...)
{
  const size_t used = strlen(results->warnings), space = sizeof(results->warnings) - used;
  va_list args;
  int length;

  va_start(args, format);
  length = vsnprintf(results->warnings + used, space, format, args);
  va_end(args);
  if (length < 0 || (size_t)length + 1 >= space)
    results->warnings[used] = '\0';
  else
    strcat(results->warnings, "\n");
}
