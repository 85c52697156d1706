/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/compare/pair.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Why it says little that one of two GPUs lacks a value that the other has; NULL: it counts. */
static const char *why_absence_does_not_count(const struct gc_subject *has,
                                              const struct gc_subject *lacks,
                                              const struct gc_compared_value *value)
{
  if (strcmp(has->method, lacks->method) || strcmp(has->format, lacks->format))
    return "measured with other methods";
  if (lacks->provisional)
    return "the record is provisional";
  if (value->state == GC_MISSING && strcmp(has->version, lacks->version))
    return "the record is of another version of the program";
  return NULL;
}

static bool both_have_values(const struct gc_compared_value *a, const struct gc_compared_value *b)
{
  return a->state == GC_VALUE && b->state == GC_VALUE && a->source == b->source;
}

/* How well a value is determined: measured is better than stated. */
static int rank_of(const struct gc_compared_value *value)
{
  if (value->state != GC_VALUE)
    return 0;
  return value->source && strcmp(value->source, "measured") ? 1 : 2;
}

/* Compares one property. Returns whether it differs. */
static bool differs(const struct gc_pair *pair, const struct gc_compared_property *property,
                    const struct gc_compared_value *a, const struct gc_compared_value *b,
                    double tolerance, struct gc_difference *difference)
{
  const bool a_is_better = rank_of(a) > rank_of(b);

  if (!both_have_values(a, b)) {
    if (a->state != GC_VALUE && b->state != GC_VALUE)
      return false;
    difference->why = why_absence_does_not_count(
        a_is_better ? pair->a : pair->b, a_is_better ? pair->b : pair->a, a_is_better ? b : a);
    return true;
  }
  if (property->limit.alike != GC_WITHIN)
    return a->text != b->text;
  difference->percent = a->number != 0 ? (b->number - a->number) / a->number * 100 : INFINITY;
  /* a hair more: 0.5 % of 200 is 1 also in floating point */
  return fabs(b->number - a->number) >
         gc_limit_of(&property->limit, fmax(a->number, b->number), tolerance) * (1 + 1e-9);
}

/* Whether a property is inside an element that one GPU lacks: that the element is missing says it
 * all. */
static bool is_in_missing_element(const struct gc_subjects *subjects, const bool missing[],
                                  size_t property)
{
  const struct gc_compared_property *p = &subjects->properties[property];

  return p->kind != GC_WHOLE_GPU && missing[p->kind] && strcmp(p->name, GC_ELEMENT);
}

/* Those that count first, otherwise in the order of the properties. */
static int by_counting(const void *x, const void *y)
{
  const struct gc_difference *a = x, *b = y;

  if (!a->why != !b->why)
    return a->why ? 1 : -1;
  return a->property < b->property ? -1 : a->property > b->property;
}

int gc_pair_compare(const struct gc_subjects *subjects, const struct gc_subject *a,
                    const struct gc_subject *b, double tolerance, struct gc_pair *pair)
{
  bool missing[GC_KIND_COUNT + 1] = {false};

  *pair = (struct gc_pair){.a = a, .b = b};
  pair->differences = calloc(subjects->property_count + 1, sizeof *pair->differences);
  if (!pair->differences)
    return -ENOMEM;
  for (size_t i = 0; i < subjects->property_count; i++)
    if (!strcmp(subjects->properties[i].name, GC_ELEMENT))
      missing[subjects->properties[i].kind] =
          gc_subject_value(a, i)->state != gc_subject_value(b, i)->state;
  for (size_t i = 0; i < subjects->property_count; i++) {
    const struct gc_compared_value *x = gc_subject_value(a, i), *y = gc_subject_value(b, i);
    struct gc_difference *difference = &pair->differences[pair->count];

    if (is_in_missing_element(subjects, missing, i))
      continue;
    pair->compared += both_have_values(x, y) && strcmp(subjects->properties[i].name, GC_ELEMENT);
    *difference = (struct gc_difference){.property = i};
    if (!differs(pair, &subjects->properties[i], x, y, tolerance, difference))
      continue;
    pair->counting += !difference->why;
    pair->count++;
  }
  qsort(pair->differences, pair->count, sizeof *pair->differences, by_counting);
  return 0;
}

void gc_pair_free(struct gc_pair *pair)
{
  free(pair->differences);
  pair->differences = NULL;
}

void gc_pair_notes(const struct gc_subject *a, const struct gc_subject *b,
                   void (*say)(const char *sentence, void *data), void *data)
{
  const struct {
    const char *what, *a, *b;
  } rows[] = {
      {"the models differ", a->model, b->model},
      {"the MIG or partition states differ", a->mig, b->mig},
      {"the ECC states differ", a->ecc, b->ecc},
      {"the records are of different method revisions, so values can differ on the same GPU",
       a->method, b->method},
      {"the drivers differ", a->driver, b->driver},
      {"the VBIOS versions differ", a->vbios, b->vbios},
      {"the versions of the program differ", a->version, b->version},
      {"the SM clocks differ (MHz)", a->clock, b->clock},
  };
  char sentence[640];

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (strcmp(rows[i].a, rows[i].b)) {
      snprintf(sentence, sizeof sentence, "%s: %s and %s", rows[i].what,
               *rows[i].a ? rows[i].a : "unknown", *rows[i].b ? rows[i].b : "unknown");
      say(sentence, data);
    }
  if (a->provisional || b->provisional) {
    snprintf(sentence, sizeof sentence, "%s provisional: values can be absent for a passing reason",
             a->provisional && b->provisional ? "both records are"
             : a->provisional                 ? "the record of A is"
                                              : "the record of B is");
    say(sentence, data);
  }
}
