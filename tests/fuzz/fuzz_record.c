/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Fuzz target: the reader of records. Whatever the text is, the reader refuses it with a sentence,
 * or returns a record within the bounds of record/elements.h.
 */
#include "fuzz.h"

#include "record/record.h"
#include "record/values.h"
#include "record/reader.h"

static void check_infos(const struct gc_infos *infos)
{
  PROMISE(infos->count <= GC_RECORD_MAX_INFOS);
  for (size_t i = 0; i < infos->count; i++) {
    PROMISE(infos->array[i].name[0] && is_one_line(infos->array[i].name));
    PROMISE(is_one_line(infos->array[i].value));
  }
}

static void check(const struct gc_record *record)
{
  PROMISE(record->count > 0 && record->count <= GC_RECORD_MAX_ELEMENTS);
  PROMISE(gc_id_ok(record->identity.id));
  check_infos(&record->infos);
  for (size_t i = 0; i < record->count; i++)
    check_infos(&record->elements[i].infos);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct gc_error err = {""};
  struct gc_record *record = NULL;
  int status = gc_record_read_xml((const char *)data, size, &record, &err);

  if (status) {
    PROMISE(!record && err.text[0] && is_one_line(err.text));
    return 0;
  }
  check(record);
  gc_record_free(record);
  return 0;
}
