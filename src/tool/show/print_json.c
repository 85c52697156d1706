/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A JSON array with one object for each GPU. The object has the elements in tree order, and each
 * element has its attributes as members. A value that is a plain decimal number becomes a JSON
 * number.
 */
#include "tool/show/print_json.h"

#include "graft/graft.h"
#include "tool/describe/notes.h"
#include "tool/print/json.h"
#include "tool/print/messages.h"
#include "util/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Versions look like numbers, but 10.10 is not 10.1. */
static bool is_text(const char *key)
{
  return !strcmp(key, "Version") || !strcmp(key, "ComputeCapability");
}

/* Digits, or digits '.' digits, without sign and leading zeros, that can be represented exactly.
 * NULL: something else. */
static json_t *number(const char *text)
{
  size_t whole = strspn(text, "0123456789"), fraction = 0;
  uint64_t integer;
  const char *rest = text + whole;

  if (!whole || (whole > 1 && text[0] == '0'))
    return NULL;
  if (*rest == '.') {
    fraction = strspn(rest + 1, "0123456789");
    if (!fraction || rest[1 + fraction] || whole + fraction > 15)
      return NULL;
    return json_real(strtod(text, NULL));
  }
  return whole <= 18 && gc_number_whole(text, &integer) ? json_integer((json_int_t)integer) : NULL;
}

static void set_value(json_t **object, const char *key, const char *value)
{
  json_t *plain = is_text(key) ? NULL : number(value);

  gc_json_set(object, key, plain ? plain : gc_json_text(value));
}

static void set_infos(json_t **object, const struct gc_infos *infos)
{
  for (size_t i = 0; i < infos->count; i++)
    set_value(object, infos->array[i].name, infos->array[i].value);
}

static json_t *elements_of(const struct gc_record *record, const char *gpu, unsigned only)
{
  json_t *array = json_array();
  char name[256];

  for (size_t i = 0; i < record->count; i++) {
    const long up = gc_record_parent(record, i);
    json_t *element;

    if (!gc_show_has(only, record->elements[i].kind))
      continue;
    element = json_object();
    gc_record_element_name(record, i, gpu, name, sizeof name);
    gc_json_set_text(&element, "subtype", gc_kinds[record->elements[i].kind].subtype);
    gc_json_set_text(&element, "name", name);
    gc_json_set(&element, "parent",
                up < 0 ? json_null() : gc_json_text(gc_kinds[record->elements[up].kind].subtype));
    set_infos(&element, &record->elements[i].infos);
    gc_json_add(&array, element);
  }
  return array;
}

static json_t *gpu_object(const struct gc_result *result, unsigned only)
{
  const struct gc_gpu *gpu = result->gpu;
  const struct gc_record *record = gc_has_tables_only(result) ? gpu->tables : result->record;
  const struct gc_identity *id = &gpu->identity;
  json_t *object = json_object();
  char bus[32];

  if (result->record && result->record->identity.id[0])
    id = &result->record->identity;
  gc_json_set_text(&object, "name", gpu->name);
  gc_json_set_text(&object, "id", id->id);
  gc_json_set_text(&object, "model", id->model);
  gc_json_set_text(&object, "driver", id->driver);
  gc_json_set_text(&object, "vbios", id->vbios);
  gc_json_set_text(&object, "mig", id->mig);
  gc_json_set(&object, "simulated", json_boolean(gpu->vendor == GC_VENDOR_SIM));
  if (gpu->has_pci) {
    snprintf(bus, sizeof bus, "%04x:%02x:%02x.%x", gpu->domain, gpu->bus, gpu->dev, gpu->func);
    gc_json_set_text(&object, "bus", bus);
  }
  if (result->record) {
    set_value(&object, "Format", result->record->format);
    set_value(&object, "Method", result->record->method);
  }
  if (record) {
    set_infos(&object, &record->infos);
    gc_json_set(&object, "elements", elements_of(record, gpu->name, only));
  }
  if (gpu->gfx[0] && !json_object_get(object, "GFX")) /* the record may have it */
    gc_json_set_text(&object, "GFX", gpu->gfx);
  if (!result->record)
    gc_json_set_text(&object, "problem", result->problem.text);
  if (gc_has_tables_only(result))
    gc_json_set_text(&object, "Status", GC_STATUS_TABLES);
  return object;
}

int gc_show_json(const struct gc_result *results, size_t count, unsigned only)
{
  json_t *array = json_array();

  for (size_t i = 0; i < count; i++)
    gc_json_add(&array, gpu_object(&results[i], only));
  return gc_json_print(array, 15) ? gc_no_memory() : GC_EXIT_DONE;
}
