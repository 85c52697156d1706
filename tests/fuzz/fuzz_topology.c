/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Fuzz target: a topology as the source of compare, export and report. Whatever the text is, it is
 * refused with a sentence, or each GPU becomes a record within the bounds of a record.
 */
#include "fuzz.h"

#include "tool/sources/topology.h"

#include <string.h>

static void check_infos(const struct gc_infos *infos)
{
  PROMISE(infos->count <= GC_RECORD_MAX_INFOS);
  for (size_t i = 0; i < infos->count; i++)
    PROMISE(is_one_line(infos->array[i].name) && is_one_line(infos->array[i].value));
}

static int check(const char *gpu, struct gc_record *record, void *data)
{
  ++*(size_t *)data;
  PROMISE(gc_id_ok(gpu) && gc_id_ok(record->identity.id));
  PROMISE(is_one_line(record->identity.model) && is_one_line(record->identity.driver));
  PROMISE(record->count > 0 && record->count <= GC_RECORD_MAX_ELEMENTS);
  check_infos(&record->infos);
  for (size_t i = 0; i < record->count; i++)
    check_infos(&record->elements[i].infos);
  gc_record_free(record);
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char *text = malloc(size + 1);
  struct gc_error err = {""};
  size_t count = 0;

  PROMISE(text);
  if (size)
    memcpy(text, data, size);
  text[size] = '\0';
  if (gc_topology_visit(text, size, check, &count, &err))
    PROMISE(err.text[0] && is_one_line(err.text));
  else
    PROMISE(count);
  free(text);
  return 0;
}
