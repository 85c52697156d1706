/* SPDX-License-Identifier: BSD-3-Clause */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include "tool/compare/subjects.h"

#include "util/number.h"

#include <errno.h>
#include <hwloc/gpucache.h>
#include <stdlib.h>
#include <string.h>

#define SOURCE HWLOC_GPUCACHE_SOURCE_SUFFIX

/* --- keys and properties -----------------------------------------------------------------------
 */

/* The slot of a key, which is a kept text. */
static struct gc_compared_key *key_slot(struct gc_compared_key *keys, size_t size,
                                        enum gc_kind kind, const char *key)
{
  size_t slot = (((uintptr_t)key >> 4) * 31 + kind) & (size - 1);

  while (keys[slot].key && (keys[slot].kind != kind || keys[slot].key != key))
    slot = (slot + 1) & (size - 1);
  return &keys[slot];
}

static int grow_keys(struct gc_subjects *subjects)
{
  const size_t size = subjects->key_size ? 2 * subjects->key_size : 1024;
  struct gc_compared_key *keys = calloc(size, sizeof *keys);

  if (!keys)
    return -ENOMEM;
  for (size_t i = 0; i < subjects->key_size; i++)
    if (subjects->keys[i].key)
      *key_slot(keys, size, subjects->keys[i].kind, subjects->keys[i].key) = subjects->keys[i];
  free(subjects->keys);
  subjects->keys = keys;
  subjects->key_size = size;
  return 0;
}

/* The index of a property, which is made if necessary. Names are kept texts. -ENOMEM. */
static long property_of(struct gc_subjects *subjects, enum gc_kind kind, const char *name)
{
  struct gc_compared_property *properties;

  for (size_t i = 0; i < subjects->property_count; i++)
    if (subjects->properties[i].kind == kind && subjects->properties[i].name == name)
      return (long)i;
  properties = reallocarray(subjects->properties, subjects->property_count + 1, sizeof *properties);
  if (!properties)
    return -ENOMEM;
  subjects->properties = properties;
  properties[subjects->property_count] =
      (struct gc_compared_property){kind, name, NULL, {.alike = GC_IDENTICAL}};
  return (long)subjects->property_count++;
}

static bool is_source(const char *key)
{
  const size_t length = strlen(key), ending = strlen(SOURCE);

  return length > ending && !strcmp(key + length - ending, SOURCE);
}

/* Finds out what a key means. -ENOMEM: *meaning is then not changed. */
static int explain(struct gc_subjects *subjects, enum gc_kind kind, const char *key,
                   struct gc_compared_key *meaning)
{
  const struct gc_difference_limit limit = gc_limit_find(kind, key);
  const bool source = is_source(key);
  const size_t length = source ? strlen(key) - strlen(SOURCE) : gc_property_length(key);
  long property = -1;

  if (source || limit.alike != GC_NEVER_COMPARED) {
    char *name = strndup(key, length);
    const char *kept = name ? gc_texts_keep(&subjects->texts, name) : NULL;

    free(name);
    property = kept ? property_of(subjects, kind, kept) : -ENOMEM;
    if (property < 0)
      return -ENOMEM;
    if (!source && !subjects->properties[property].key) {
      subjects->properties[property].key = key;
      subjects->properties[property].limit = limit;
    }
  }
  *meaning = (struct gc_compared_key){kind, key, property, source};
  subjects->key_count++;
  return 0;
}

/* The struct gc_compared_key of this key, which is made if it is new. NULL: out of memory. */
static const struct gc_compared_key *meaning_of(struct gc_subjects *subjects, enum gc_kind kind,
                                                const char *key)
{
  struct gc_compared_key *meaning;

  if (!(key = gc_texts_keep(&subjects->texts, key)) ||
      (2 * subjects->key_count >= subjects->key_size && grow_keys(subjects)))
    return NULL;
  meaning = key_slot(subjects->keys, subjects->key_size, kind, key);
  return meaning->key || !explain(subjects, kind, key, meaning) ? meaning : NULL;
}

/* --- subjects ----------------------------------------------------------------------------------
 */

/* Makes room for the value of a property. NULL: out of memory. */
static struct gc_compared_value *value_at(const struct gc_subjects *subjects,
                                          struct gc_subject *subject, long property)
{
  if ((size_t)property >= subject->count) {
    const size_t count = subjects->property_count;
    struct gc_compared_value *values = reallocarray(subject->values, count, sizeof *values);

    if (!values)
      return NULL;
    memset(values + subject->count, 0, (count - subject->count) * sizeof *values);
    subject->values = values;
    subject->count = count;
  }
  return &subject->values[property];
}

/* text: a kept one. Of two keys of one property, as ReadGBps and ReadBytesPerCycle, the first one
 * counts. */
static void set_value(const struct gc_compared_property *property, const char *key,
                      const char *text, struct gc_compared_value *value)
{
  if (property->key != key && value->state == GC_VALUE)
    return;
  value->text = text;
  value->state = GC_VALUE;
  if (property->limit.alike == GC_WITHIN && !gc_number_read(text, &value->number))
    value->number = 0;
}

/* "<Property>Source": the source of a value, or why there is none. 0 or -ENOMEM. */
static int set_source(struct gc_subjects *subjects, const char *text,
                      struct gc_compared_value *value)
{
  const size_t absent = strlen(HWLOC_GPUCACHE_SOURCE_ABSENT);

  if (!strncmp(text, HWLOC_GPUCACHE_SOURCE_ABSENT, absent)) {
    value->state = GC_NO_VALUE;
    value->text = gc_texts_keep(&subjects->texts, text + absent);
    return value->text ? 0 : -ENOMEM;
  }
  value->source = gc_texts_keep(&subjects->texts, text);
  if (value->state == GC_MISSING) { /* SharedWith: found, and it is the empty list */
    value->state = GC_VALUE;
    value->text = gc_texts_keep(&subjects->texts, "none");
  }
  return value->source && value->text ? 0 : -ENOMEM;
}

static int add_info(struct gc_subjects *subjects, struct gc_subject *subject, enum gc_kind kind,
                    const char *key, const char *text, bool sources)
{
  const struct gc_compared_key *meaning = meaning_of(subjects, kind, key);
  struct gc_compared_value *value;

  if (!meaning)
    return -ENOMEM;
  if (meaning->property < 0 || meaning->is_source != sources)
    return 0;
  if (!(value = value_at(subjects, subject, meaning->property)))
    return -ENOMEM;
  if (sources)
    return set_source(subjects, text, value);
  if (!(text = gc_texts_keep(&subjects->texts, text)))
    return -ENOMEM;
  set_value(&subjects->properties[meaning->property], meaning->key, text, value);
  return 0;
}

/* Values first, so that a source without a value is noticed. */
static int add_infos(struct gc_subjects *subjects, struct gc_subject *subject, enum gc_kind kind,
                     const struct gc_infos *infos)
{
  int status = 0;

  for (unsigned sources = 0; sources < 2; sources++)
    for (size_t i = 0; !status && i < infos->count; i++)
      status =
          add_info(subjects, subject, kind, infos->array[i].name, infos->array[i].value, sources);
  return status;
}

static int set_texts(struct gc_subjects *subjects, struct gc_subject *subject,
                     const struct gc_record *record)
{
  const struct gc_identity *id = &record->identity;
  const struct {
    const char **to, *from;
  } texts[] = {
      {&subject->id, id->id},
      {&subject->model, id->model},
      {&subject->driver, id->driver},
      {&subject->vbios, id->vbios},
      {&subject->mig, id->mig},
      {&subject->format, record->format},
      {&subject->method, record->method},
      {&subject->measured, gc_infos_get(&record->infos, "Measured")},
      {&subject->version, gc_infos_get(&record->infos, "Version")},
      {&subject->clock, gc_infos_get(&record->infos, "MeasuredSMClockMHz")},
      {&subject->ecc, gc_infos_get(&record->infos, "ECC")},
  };

  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (!(*texts[i].to = gc_texts_keep(&subjects->texts, texts[i].from ? texts[i].from : "")))
      return -ENOMEM;
  subject->provisional = gc_provisional_why(record) != NULL;
  return 0;
}

int gc_subjects_add(struct gc_subjects *subjects, const char *name, const struct gc_record *record)
{
  struct gc_subject *array =
      reallocarray(subjects->array, subjects->count + 1, sizeof *subjects->array);
  struct gc_subject *subject;
  int status;

  if (!array)
    return -ENOMEM;
  subjects->array = array;
  subject = &array[subjects->count];
  memset(subject, 0, sizeof *subject);
  subject->name = strdup(name);
  status = subject->name ? set_texts(subjects, subject, record) : -ENOMEM;
  if (!status)
    status = add_info(subjects, subject, GC_WHOLE_GPU, "Model", record->identity.model, false);
  if (!status)
    status = add_info(subjects, subject, GC_WHOLE_GPU, "MIG", record->identity.mig, false);
  if (!status)
    status = add_infos(subjects, subject, GC_WHOLE_GPU, &record->infos);
  for (size_t i = 0; !status && i < record->count; i++) {
    const struct gc_element *element = &record->elements[i];

    status = add_info(subjects, subject, element->kind, GC_ELEMENT, "present", false);
    if (!status)
      status = add_infos(subjects, subject, element->kind, &element->infos);
  }
  if (!status) {
    subjects->count++;
    return 0;
  }
  free(subject->name);
  free(subject->values);
  return status;
}

void gc_subjects_free(struct gc_subjects *subjects)
{
  for (size_t i = 0; i < subjects->count; i++) {
    free(subjects->array[i].name);
    free(subjects->array[i].values);
  }
  gc_texts_free(&subjects->texts);
  free(subjects->array);
  free(subjects->properties);
  free(subjects->keys);
  memset(subjects, 0, sizeof *subjects);
}

const struct gc_compared_value *gc_subject_value(const struct gc_subject *subject, size_t property)
{
  static const struct gc_compared_value missing;

  return property < subject->count ? &subject->values[property] : &missing;
}

const char *gc_property_element(const struct gc_compared_property *property)
{
  return gc_kind_name(property->kind);
}

const char *gc_property_title(const struct gc_compared_property *property)
{
  return property->key ? property->key : property->name;
}
