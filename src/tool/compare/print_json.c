/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/compare/print_json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

/* Texts of files and drivers may not be UTF-8: only that value is then lost. */
static json_t *text_of(const char *text)
{
  json_t *string = json_string(text);

  return string ? string : json_string("(not UTF-8)");
}

/* JSON has no infinity. */
static json_t *number_of(double number)
{
  return isfinite(number) ? json_real(number) : json_null();
}

/* {"value": 280.0, "source": "measured"}, or {"absent": "reason"}. */
static json_t *value_of(const struct gc_property *property, const struct gc_value *value)
{
  json_t *object = json_object();
  int failed;

  if (value->state != GC_VALUE)
    failed = json_object_set_new(
        object, "absent", text_of(value->state == GC_MISSING ? "not in the record" : value->text));
  else
    failed = json_object_set_new(object, "value",
                                 property->limit.alike == GC_WITHIN ? number_of(value->number)
                                                                    : text_of(value->text));
  if (value->state == GC_VALUE && value->source)
    failed |= json_object_set_new(object, "source", text_of(value->source));
  if (!failed)
    return object;
  json_decref(object);
  return NULL;
}

json_t *gc_json_subject(const struct gc_subject *subject)
{
  const struct {
    const char *key, *text;
  } members[] = {
      {"name", subject->name},     {"id", subject->id},
      {"model", subject->model},   {"driver", subject->driver},
      {"vbios", subject->vbios},   {"mig", subject->mig},
      {"method", subject->method}, {"measured", subject->measured},
  };
  json_t *object = json_object();
  int failed = !object;

  for (size_t i = 0; !failed && i < sizeof members / sizeof *members; i++)
    failed = json_object_set_new(object, members[i].key, text_of(members[i].text));
  if (!failed)
    return object;
  json_decref(object);
  return NULL;
}

/* Members "element" and "property". */
static int set_property(json_t *object, const struct gc_property *property)
{
  return json_object_set_new(object, "element", text_of(gc_property_element(property))) |
         json_object_set_new(object, "property", text_of(gc_property_title(property)));
}

static json_t *difference_of(const struct gc_report *report, const struct gc_pair *pair,
                             const struct gc_difference *difference)
{
  const struct gc_property *property = &report->subjects->properties[difference->property];
  const struct gc_value *a = gc_subject_value(pair->a, difference->property);
  const struct gc_value *b = gc_subject_value(pair->b, difference->property);
  json_t *object = json_object();
  char limit[64];
  int failed;

  gc_limit_text(&property->limit, report->tolerance, limit, sizeof limit);
  failed = set_property(object, property) |
           json_object_set_new(object, "a", value_of(property, a)) |
           json_object_set_new(object, "b", value_of(property, b)) |
           json_object_set_new(object, "limit", text_of(limit)) |
           json_object_set_new(object, "counts", json_boolean(!difference->why));
  if (difference->why)
    failed |= json_object_set_new(object, "why", text_of(difference->why));
  else if (property->limit.alike == GC_WITHIN && a->state == b->state)
    failed |= json_object_set_new(object, "percent", number_of(difference->percent));
  if (!failed)
    return object;
  json_decref(object);
  return NULL;
}

static void add_note(const char *sentence, void *data)
{
  json_array_append_new(data, text_of(sentence));
}

json_t *gc_json_pair(const struct gc_report *report, const struct gc_pair *pair)
{
  json_t *object = json_object(), *notes = json_array(), *differences = json_array();
  int failed = !object || !notes || !differences;

  gc_pair_notes(pair->a, pair->b, add_note, notes);
  for (size_t i = 0; !failed && i < pair->count; i++)
    failed = json_array_append_new(differences, difference_of(report, pair, &pair->differences[i]));
  failed |= json_object_set_new(object, "a", gc_json_subject(pair->a)) |
            json_object_set_new(object, "b", gc_json_subject(pair->b)) |
            json_object_set_new(object, "notes", notes) |
            json_object_set_new(object, "compared", json_integer((json_int_t)pair->compared)) |
            json_object_set_new(object, "alike", json_boolean(!pair->counting)) |
            json_object_set_new(object, "differences", differences);
  if (!failed)
    return object;
  json_decref(object);
  return NULL;
}

static json_t *outlier_of(const struct gc_report *report, const struct gc_outlier *outlier)
{
  const struct gc_subject *subject = &report->subjects->array[outlier->subject];
  const struct gc_property *property = &report->subjects->properties[outlier->property];
  json_t *object = json_object();
  int failed =
      set_property(object, property) | json_object_set_new(object, "gpu", text_of(subject->name)) |
      json_object_set_new(object, "id", text_of(subject->id)) |
      json_object_set_new(object, "is",
                          value_of(property, gc_subject_value(subject, outlier->property)));

  if (outlier->usual)
    failed |= json_object_set_new(object, "usual", text_of(outlier->usual));
  else
    failed |= json_object_set_new(object, "median", number_of(outlier->median)) |
              json_object_set_new(object, "percent", number_of(outlier->percent)) |
              json_object_set_new(object, "sigmas", number_of(outlier->sigmas));
  if (!failed)
    return object;
  json_decref(object);
  return NULL;
}

static json_t *group_of(const struct gc_fleet *fleet, size_t index)
{
  const struct gc_group *group = &fleet->groups[index];
  json_t *object = json_object();
  char text[512];
  int failed;

  gc_group_text(fleet->subjects, fleet->order[group->first], text, sizeof text);
  failed = json_object_set_new(object, "kind", text_of(text)) |
           json_object_set_new(object, "gpus", json_integer((json_int_t)group->count));
  if (!failed)
    return object;
  json_decref(object);
  return NULL;
}

static json_t *divided_of(const struct gc_report *report, const struct gc_divided *divided)
{
  const struct gc_property *property = &report->subjects->properties[divided->property];
  json_t *object = json_object();
  int failed =
      set_property(object, property) |
      json_object_set_new(object, "group", json_integer((json_int_t)divided->group)) |
      json_object_set_new(object, "deviate", json_integer((json_int_t)divided->deviating)) |
      json_object_set_new(object, "haveValue", json_integer((json_int_t)divided->with)) |
      json_object_set_new(object, "counts", json_boolean(!property->limit.by_board));

  if (property->limit.alike == GC_WITHIN)
    failed |= json_object_set_new(object, "low", number_of(divided->low)) |
              json_object_set_new(object, "median", number_of(divided->median)) |
              json_object_set_new(object, "high", number_of(divided->high));
  if (!failed)
    return object;
  json_decref(object);
  return NULL;
}

json_t *gc_json_fleet(const struct gc_report *report, const struct gc_fleet *fleet)
{
  json_t *object = json_object(), *groups = json_array(), *outliers = json_array(),
         *divided = json_array();
  int failed = !object || !groups || !outliers || !divided;

  for (size_t i = 0; !failed && i < fleet->group_count; i++)
    failed = json_array_append_new(groups, group_of(fleet, i));
  for (size_t i = 0; !failed && i < fleet->outlier_count; i++)
    failed = json_array_append_new(outliers, outlier_of(report, &fleet->outliers[i]));
  for (size_t i = 0; !failed && i < fleet->divided_count; i++)
    failed = json_array_append_new(divided, divided_of(report, &fleet->divided[i]));
  failed |=
      json_object_set_new(object, "gpus", json_integer((json_int_t)report->subjects->count)) |
      json_object_set_new(object, "groups", groups) |
      json_object_set_new(object, "sigmas", number_of(fleet->sigmas)) |
      json_object_set_new(object, "outlierGPUs", json_integer((json_int_t)fleet->outlier_gpus)) |
      json_object_set_new(object, "outliers", outliers) |
      json_object_set_new(object, "divided", divided);
  if (!failed)
    return object;
  json_decref(object);
  return NULL;
}

int gc_json_print(json_t *object)
{
  if (!object)
    return -ENOMEM;
  /* main() checks whether writing to stdout failed */
  json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
  putchar('\n');
  json_decref(object);
  return 0;
}
