/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/compare/column.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int gc_column_init(struct gc_column *column, const struct gc_subjects *subjects)
{
  const size_t n = subjects->count + 1;

  *column = (struct gc_column){.subjects = subjects};
  column->with = calloc(n, sizeof *column->with);
  column->without = calloc(n, sizeof *column->without);
  column->numbers = calloc(n, sizeof *column->numbers);
  if (column->with && column->without && column->numbers)
    return 0;
  gc_column_free(column);
  return -ENOMEM;
}

void gc_column_free(struct gc_column *column)
{
  free(column->with);
  free(column->without);
  free(column->numbers);
  memset(column, 0, sizeof *column);
}

const struct gc_compared_property *gc_column_property(const struct gc_column *column)
{
  return &column->subjects->properties[column->property];
}

static const struct gc_compared_value *value_of(const struct gc_column *column, size_t subject)
{
  return gc_subject_value(&column->subjects->array[subject], column->property);
}

/* One step of finding what more than half have (Boyer and Moore 1981). */
static void vote(const char *has, const char **candidate, size_t *lead)
{
  if (!*lead)
    *candidate = has;
  *lead = has == *candidate ? *lead + 1 : *lead - 1;
}

const char *gc_column_majority(const struct gc_column *column)
{
  const char *candidate = NULL;
  size_t lead = 0;

  for (size_t i = 0; i < column->with_count; i++)
    vote(value_of(column, column->with[i])->text, &candidate, &lead);
  return candidate;
}

static const char *commonest_source(const struct gc_column *column, const size_t *group,
                                    size_t count)
{
  const char *candidate = NULL;
  size_t lead = 0;

  for (size_t i = 0; i < count; i++)
    if (value_of(column, group[i])->state == GC_VALUE)
      vote(value_of(column, group[i])->source, &candidate, &lead);
  return candidate;
}

/* The property that says whether a GPU has this kind of element, or -1. */
static long element_of(const struct gc_subjects *subjects, enum gc_kind kind)
{
  for (size_t i = 0; i < subjects->property_count; i++)
    if (subjects->properties[i].kind == kind && !strcmp(subjects->properties[i].name, GC_ELEMENT))
      return (long)i;
  return -1;
}

/* Whether the GPU lacks the whole element. That is a difference itself, and the only one. */
static bool lacks_element(const struct gc_column *column, size_t subject, long element)
{
  return element >= 0 && (size_t)element != column->property &&
         gc_subject_value(&column->subjects->array[subject], (size_t)element)->state != GC_VALUE;
}

/* Whether it says something about a GPU that it has no value: see pair.h. */
static bool absence_counts(const struct gc_column *column, size_t subject)
{
  const struct gc_subject *array = column->subjects->array;

  return !array[subject].provisional && (value_of(column, subject)->state != GC_MISSING ||
                                         array[subject].version == array[column->with[0]].version);
}

void gc_column_fill(struct gc_column *column, size_t property, const size_t *group, size_t count)
{
  const char *source;
  long element;

  column->property = property;
  column->with_count = column->without_count = 0;
  source = commonest_source(column, group, count);
  element = element_of(column->subjects, gc_column_property(column)->kind);
  for (size_t i = 0; i < count; i++) {
    const struct gc_compared_value *value = value_of(column, group[i]);

    if (value->state != GC_VALUE || value->source != source)
      continue;
    column->numbers[column->with_count] = value->number;
    column->with[column->with_count++] = group[i];
  }
  for (size_t i = 0; column->with_count && i < count; i++) {
    const struct gc_compared_value *value = value_of(column, group[i]);

    if ((value->state != GC_VALUE || value->source != source) &&
        !lacks_element(column, group[i], element) && absence_counts(column, group[i]))
      column->without[column->without_count++] = group[i];
  }
}
