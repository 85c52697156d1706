/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/compare/print.h"

/* {"value": 280.0, "source": "measured"}, or {"absent": "reason"}. */
static json_t *value_of(const struct gc_compared_property *property,
                        const struct gc_compared_value *value)
{
  json_t *object = json_object();

  if (value->state != GC_VALUE)
    gc_json_set_text(&object, "absent",
                     value->state == GC_MISSING ? "not in the record" : value->text);
  else if (property->limit.alike == GC_WITHIN)
    gc_json_set_real(&object, "value", value->number);
  else
    gc_json_set_text(&object, "value", value->text);
  if (value->state == GC_VALUE && value->source)
    gc_json_set_text(&object, "source", value->source);
  return object;
}

json_t *gc_json_subject(const struct gc_subject *subject)
{
  json_t *object = json_object();

  gc_json_set_text(&object, "name", subject->name);
  gc_json_set_text(&object, "id", subject->id);
  gc_json_set_text(&object, "model", subject->model);
  gc_json_set_text(&object, "driver", subject->driver);
  gc_json_set_text(&object, "vbios", subject->vbios);
  gc_json_set_text(&object, "mig", subject->mig);
  gc_json_set_text(&object, "method", subject->method);
  gc_json_set_text(&object, "measured", subject->measured);
  return object;
}

/* A new object with the members "element" and "property". */
static json_t *object_of(const struct gc_compared_property *property)
{
  json_t *object = json_object();

  gc_json_set_text(&object, "element", gc_property_element(property));
  gc_json_set_text(&object, "property", gc_property_title(property));
  return object;
}

static json_t *difference_of(const struct gc_comparison *report, const struct gc_pair *pair,
                             const struct gc_difference *difference)
{
  const struct gc_compared_property *property = &report->subjects->properties[difference->property];
  const struct gc_compared_value *a = gc_subject_value(pair->a, difference->property);
  const struct gc_compared_value *b = gc_subject_value(pair->b, difference->property);
  json_t *object = object_of(property);
  char limit[64];

  gc_limit_text(&property->limit, report->tolerance, limit, sizeof limit);
  gc_json_set(&object, "a", value_of(property, a));
  gc_json_set(&object, "b", value_of(property, b));
  gc_json_set_text(&object, "limit", limit);
  gc_json_set(&object, "counts", json_boolean(!difference->why));
  if (difference->why)
    gc_json_set_text(&object, "why", difference->why);
  else if (property->limit.alike == GC_WITHIN && a->state == b->state)
    gc_json_set_real(&object, "percent", difference->percent);
  return object;
}

static void add_note(const char *sentence, void *notes)
{
  gc_json_add(notes, gc_json_text(sentence));
}

json_t *gc_json_pair(const struct gc_comparison *report, const struct gc_pair *pair)
{
  json_t *object = json_object(), *notes = json_array(), *differences = json_array();

  gc_pair_notes(pair->a, pair->b, add_note, &notes);
  for (size_t i = 0; i < pair->count; i++)
    gc_json_add(&differences, difference_of(report, pair, &pair->differences[i]));
  gc_json_set(&object, "a", gc_json_subject(pair->a));
  gc_json_set(&object, "b", gc_json_subject(pair->b));
  gc_json_set(&object, "notes", notes);
  gc_json_set_whole(&object, "compared", pair->compared);
  gc_json_set(&object, "alike", json_boolean(!pair->counting));
  gc_json_set(&object, "differences", differences);
  return object;
}

static json_t *outlier_of(const struct gc_comparison *report, const struct gc_outlier *outlier)
{
  const struct gc_subject *subject = &report->subjects->array[outlier->subject];
  const struct gc_compared_property *property = &report->subjects->properties[outlier->property];
  json_t *object = object_of(property);

  gc_json_set_text(&object, "gpu", subject->name);
  gc_json_set_text(&object, "id", subject->id);
  gc_json_set(&object, "is", value_of(property, gc_subject_value(subject, outlier->property)));
  if (outlier->usual) {
    gc_json_set_text(&object, "usual", outlier->usual);
  } else {
    gc_json_set_real(&object, "median", outlier->median);
    gc_json_set_real(&object, "percent", outlier->percent);
    gc_json_set_real(&object, "sigmas", outlier->sigmas);
  }
  return object;
}

static json_t *group_of(const struct gc_fleet *fleet, size_t index)
{
  const struct gc_group *group = &fleet->groups[index];
  json_t *object = json_object();
  char text[512];

  gc_group_text(fleet->subjects, fleet->order[group->first], text, sizeof text);
  gc_json_set_text(&object, "kind", text);
  gc_json_set_whole(&object, "gpus", group->count);
  return object;
}

static json_t *divided_of(const struct gc_comparison *report, const struct gc_divided *divided)
{
  const struct gc_compared_property *property = &report->subjects->properties[divided->property];
  json_t *object = object_of(property);

  gc_json_set_whole(&object, "group", divided->group);
  gc_json_set_whole(&object, "deviate", divided->deviating);
  gc_json_set_whole(&object, "haveValue", divided->with);
  gc_json_set(&object, "counts", json_boolean(!property->limit.by_board));
  if (property->limit.alike == GC_WITHIN) {
    gc_json_set_real(&object, "low", divided->low);
    gc_json_set_real(&object, "median", divided->median);
    gc_json_set_real(&object, "high", divided->high);
  }
  return object;
}

json_t *gc_json_fleet(const struct gc_comparison *report, const struct gc_fleet *fleet)
{
  json_t *object = json_object(), *groups = json_array(), *outliers = json_array(),
         *divided = json_array();

  for (size_t i = 0; i < fleet->group_count; i++)
    gc_json_add(&groups, group_of(fleet, i));
  for (size_t i = 0; i < fleet->outlier_count; i++)
    gc_json_add(&outliers, outlier_of(report, &fleet->outliers[i]));
  for (size_t i = 0; i < fleet->divided_count; i++)
    gc_json_add(&divided, divided_of(report, &fleet->divided[i]));
  gc_json_set_whole(&object, "gpus", report->subjects->count);
  gc_json_set(&object, "groups", groups);
  gc_json_set_real(&object, "sigmas", fleet->sigmas);
  gc_json_set_whole(&object, "outlierGPUs", fleet->outlier_gpus);
  gc_json_set(&object, "outliers", outliers);
  gc_json_set(&object, "divided", divided);
  return object;
}
