/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which GPUs of a fleet are equal.
 */
#include "tool/compare/groups.h"

#include "tool/print/format.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Records of other drivers can differ a little in the memory that they leave. */
#define MEMORY_STEP 1.02

/* What equal GPUs have in common. */
struct likeness {
  const char *texts[7];
  double memory;
  size_t subject;
};

static const struct gc_compared_value *value_of(const struct gc_subjects *subjects, size_t subject,
                                                enum gc_kind kind, const char *name)
{
  for (size_t i = 0; i < subjects->property_count; i++)
    if (subjects->properties[i].kind == kind && !strcmp(subjects->properties[i].name, name))
      return gc_subject_value(&subjects->array[subject], i);
  return gc_subject_value(&subjects->array[subject], SIZE_MAX);
}

static const char *text_of(const struct gc_compared_value *value)
{
  return value->state == GC_VALUE ? value->text : "";
}

static struct likeness likeness_of(const struct gc_subjects *subjects, size_t subject)
{
  const struct gc_subject *of = &subjects->array[subject];

  return (struct likeness){
      {of->model, of->mig, of->ecc, of->format, of->method,
       text_of(value_of(subjects, subject, GC_L1, "CarveoutPercent")),
       text_of(value_of(subjects, subject, GC_L1, "CarveoutBlocks"))},
      value_of(subjects, subject, GC_DEVICE_MEMORY, "Capacity")->number,
      subject,
  };
}

static int compare_texts(const struct likeness *a, const struct likeness *b)
{
  for (size_t i = 0; i < sizeof a->texts / sizeof *a->texts; i++) {
    const int order = strcmp(a->texts[i], b->texts[i]);

    if (order)
      return order;
  }
  return 0;
}

static int compare(const void *x, const void *y)
{
  const struct likeness *a = x, *b = y;
  const int order = compare_texts(a, b);

  if (order)
    return order;
  if (a->memory != b->memory)
    return a->memory < b->memory ? -1 : 1;
  return a->subject < b->subject ? -1 : a->subject > b->subject;
}

int gc_groups_find(const struct gc_subjects *subjects, size_t **order, struct gc_group **groups,
                   size_t *count)
{
  struct likeness *all = calloc(subjects->count + 1, sizeof *all);

  *order = calloc(subjects->count + 1, sizeof **order);
  *groups = calloc(subjects->count + 1, sizeof **groups);
  *count = 0;
  if (!all || !*order || !*groups) {
    free(all);
    free(*order);
    free(*groups);
    return -ENOMEM;
  }
  for (size_t i = 0; i < subjects->count; i++)
    all[i] = likeness_of(subjects, i);
  qsort(all, subjects->count, sizeof *all, compare);
  for (size_t i = 0; i < subjects->count; i++) {
    if (!i || compare_texts(&all[i - 1], &all[i]) ||
        all[i].memory > all[i - 1].memory * MEMORY_STEP)
      (*groups)[(*count)++].first = i;
    (*groups)[*count - 1].count++;
    (*order)[i] = all[i].subject;
  }
  free(all);
  return 0;
}

void gc_group_text(const struct gc_subjects *subjects, size_t subject, char *text, size_t size)
{
  const struct likeness like = likeness_of(subjects, subject);
  const char *const *texts = like.texts;
  char memory[32] = "unknown memory";
  int used;

  if (like.memory > 0)
    gc_format_bytes((uint64_t)like.memory, memory, sizeof memory);
  used = snprintf(text, size, "%s, %s", *texts[0] ? texts[0] : "unknown model", memory);
  if (*texts[1] && strcmp(texts[1], "disabled") && (size_t)used < size)
    used += snprintf(text + used, size - (size_t)used, ", MIG or partitions: %.80s", texts[1]);
  if (*texts[2] && (size_t)used < size)
    used += snprintf(text + used, size - (size_t)used, ", ECC %s", texts[2]);
  if (*texts[5] && (size_t)used < size)
    used += snprintf(text + used, size - (size_t)used, ", carve-out %s %%, %s blocks", texts[5],
                     texts[6]);
  if ((size_t)used < size)
    snprintf(text + used, size - (size_t)used, ", method %s", *texts[4] ? texts[4] : "unknown");
}
