/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A JSON array with one object for each GPU. The object has the elements in tree order, and each
 * element has its attributes as members. A value that is a plain decimal number becomes a JSON
 * number.
 */
#include "tool/json.h"

#include "graft/graft.h"
#include "tool/messages.h"
#include "tool/show_notes.h"
#include "util/number.h"

#include <errno.h>
#include <jansson.h>
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

static int set_text(json_t *object, const char *key, const char *text)
{
  /* text of a driver may not be UTF-8: only that value is then lost */
  json_t *value = json_string(text);

  return json_object_set_new(object, key, value ? value : json_string("(not UTF-8)"));
}

static int set_value(json_t *object, const char *key, const char *value)
{
  json_t *plain = is_text(key) ? NULL : number(value);

  return plain ? json_object_set_new(object, key, plain) : set_text(object, key, value);
}

static int set_infos(json_t *object, const struct gc_infos *infos)
{
  int failed = 0;

  for (size_t i = 0; i < infos->count; i++)
    failed |= set_value(object, infos->array[i].name, infos->array[i].value);
  return failed;
}

static json_t *elements_of(const struct gc_record *record, const char *gpu, unsigned only)
{
  json_t *array = json_array();
  char name[256];

  for (size_t i = 0; array && i < record->count; i++) {
    long up = gc_record_parent(record, i);
    const char *parent = up < 0 ? NULL : gc_kinds[record->elements[up].kind].subtype;
    json_t *element;

    if (!gc_show_has(only, record->elements[i].kind))
      continue;
    element = json_object();
    gc_record_element_name(record, i, gpu, name, sizeof name);
    if (set_text(element, "subtype", gc_kinds[record->elements[i].kind].subtype) |
        set_text(element, "name", name) |
        json_object_set_new(element, "parent", parent ? json_string(parent) : json_null()) |
        set_infos(element, &record->elements[i].infos) | json_array_append_new(array, element)) {
      json_decref(array);
      return NULL;
    }
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
  int failed;

  if (result->record && result->record->identity.id[0])
    id = &result->record->identity;
  failed = set_text(object, "name", gpu->name) | set_text(object, "id", id->id) |
           set_text(object, "model", id->model) | set_text(object, "driver", id->driver) |
           set_text(object, "vbios", id->vbios) | set_text(object, "mig", id->mig) |
           json_object_set_new(object, "simulated", json_boolean(gpu->vendor == GC_VENDOR_SIM));
  if (gpu->has_pci) {
    snprintf(bus, sizeof bus, "%04x:%02x:%02x.%x", gpu->domain, gpu->bus, gpu->dev, gpu->func);
    failed |= set_text(object, "bus", bus);
  }
  if (result->record)
    failed |= set_value(object, "Format", result->record->format) |
              set_value(object, "Method", result->record->method);
  if (record)
    failed |= set_infos(object, &record->infos) |
              json_object_set_new(object, "elements", elements_of(record, gpu->name, only));
  if (gpu->gfx[0] && !json_object_get(object, "GFX")) /* the record may have it */
    failed |= set_text(object, "GFX", gpu->gfx);
  if (!result->record)
    failed |= set_text(object, "problem", result->problem.text);
  if (gc_has_tables_only(result))
    failed |= set_text(object, "Status", GC_STATUS_TABLES);
  if (!failed)
    return object;
  json_decref(object);
  return NULL;
}

int gc_show_json(const struct gc_result *results, size_t count, unsigned only)
{
  json_t *array = json_array();
  int failed = !array;

  for (size_t i = 0; !failed && i < count; i++)
    failed = json_array_append_new(array, gpu_object(&results[i], only));
  if (!failed) {
    /* main() checks whether writing to stdout failed */
    json_dumpf(array, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    putchar('\n');
  }
  json_decref(array);
  if (!failed)
    return GC_EXIT_DONE;
  gc_say(NULL, "out of memory");
  return GC_EXIT_FAILED;
}
