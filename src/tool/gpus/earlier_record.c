/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/gpus/earlier_record.h"

#include "store/store.h"
#include "tool/gpus/hwloc_xml.h"
#include "tool/print/messages.h"
#include "tool/process/environment.h"
#include "tool/process/watch.h"
#include "util/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *gc_keep_date(const struct gc_record *record)
{
  const char *when = gc_infos_get(&record->infos, "Measured");

  return when ? when : "an unknown date";
}

bool gc_keep_is_due(const struct gc_tool *tool, const struct gc_gpu *gpu, struct gc_record *record)
{
  const bool moved = gc_gpus_drop_host(gc_environment_root(), gpu, record);

  return gc_store_is_due(&gpu->identity, record, moved) || (moved && tool->must_store);
}

bool gc_keep_all_but_host(const struct gc_tool *tool, const struct gc_result *result)
{
  return result->earlier && !tool->force && !tool->only && !tool->no_store &&
         !gc_provisional_why(result->earlier) &&
         gc_gpus_drop_host(gc_environment_root(), result->gpu, result->earlier);
}

int gc_keep_merge(struct gc_result *result, struct gc_record **record)
{
  const char *place = gc_infos_get(&(*record)->infos, "HostPlace");
  int status = gc_record_take_host(result->earlier, *record);

  if (!status && place)
    status = gc_infos_set(&result->earlier->infos, "HostPlace", place);
  if (!status && gc_provisional_why(*record)) /* a later load tries again */
    status = gc_infos_set(&result->earlier->infos, GC_PROVISIONAL, gc_provisional_why(*record));
  if (status)
    return status;
  gc_record_free(*record);
  *record = result->earlier;
  result->earlier = NULL;
  return 0;
}

/* Writes the record again with one try more. If that fails, the GPU is measured nevertheless. */
static void store_try(const struct gc_tool *tool, const struct gc_gpu *gpu,
                      struct gc_record *record)
{
  struct gc_error err = {""};
  char *xml = NULL;
  size_t length;
  int status = gc_provisional_note_try(record, gc_provisional_tries(record), time(NULL));

  if (!status)
    status = gc_export(record, gpu->name, &xml, &length, &err);
  if (!status) {
    gc_watch_hold();
    status = gc_store_write(&gpu->identity, xml, length, &err);
    gc_watch_release();
  }
  free(xml);
  if (status && tool->verbose)
    gc_say(gpu->name, "this try is not noted: %s", err.text[0] ? err.text : "out of memory");
}

void gc_keep_begin(const struct gc_tool *tool, struct gc_result *result)
{
  const struct gc_gpu *gpu = result->gpu;

  gc_record_free(result->earlier);
  result->earlier = NULL;
  if (gc_store_find(&gpu->identity, &result->earlier, NULL))
    return;
  gc_gpus_drop_host(gc_environment_root(), gpu, result->earlier);
  if (gc_provisional_why(result->earlier))
    store_try(tool, gpu, result->earlier);
}

bool gc_keep_allows(const struct gc_tool *tool, const struct gc_result *result,
                    struct gc_error *why)
{
  const struct gc_record *earlier = result->earlier;
  char lost[160];

  if (tool->replace || !earlier || gc_record_may_replace(earlier, result->record))
    return true;
  gc_record_lost(earlier, result->record, lost, sizeof lost);
  gc_fail(why, 0,
          "the new measurement is not stored: it lacks %s, which the record of %s has; "
          "measure --replace stores it nevertheless",
          lost, gc_keep_date(earlier));
  return false;
}

int gc_keep_note_try(struct gc_result *result)
{
  const uint64_t tries = result->earlier ? gc_provisional_tries(result->earlier) : 0;

  /* gc_keep_begin has counted this try */
  return gc_provisional_note_try(result->record, tries ? tries - 1 : 0, time(NULL));
}

void gc_keep_show(struct gc_result *result)
{
  if (!result->earlier || (result->record && !result->kept))
    return;
  gc_record_free(result->record);
  result->record = result->earlier;
  result->earlier = NULL;
  result->fresh = result->kept = false;
  result->status = GC_EXIT_DONE;
}

void gc_keep_look(const struct gc_tool *tool, struct gc_result *result)
{
  struct gc_error why;

  if (!result->record || tool->no_store || tool->only)
    return;
  gc_record_free(result->earlier);
  result->earlier = NULL;
  result->kept = !gc_store_find(&result->gpu->identity, &result->earlier, NULL) &&
                 !gc_keep_allows(tool, result, &why);
}

void gc_keep_words(const struct gc_result *result, char *text, size_t size)
{
  *text = '\0';
  if (result->earlier)
    snprintf(text, size, "; the record of %s is kept", gc_keep_date(result->earlier));
}

void gc_keep_describe(const struct gc_record *record, char *text, size_t size)
{
  const char *why = gc_provisional_why(record);
  const time_t next = gc_provisional_next(record);
  char date[GC_DATE], when[64] = "; the next load or measure tries again";
  const char *dots = "";
  size_t room, length;

  *text = '\0';
  if (!why)
    return;
  if (!next) /* it was not stored */
    *when = '\0';
  else if (!gc_provisional_is_due(record, time(NULL))) {
    gc_date_write(next, date);
    snprintf(when, sizeof when, "; measured again from %s on", date);
  }
  room = size - sizeof "provisional: " - strlen(when);
  length = strlen(why);
  if (length > room) {
    dots = " ...";
    for (length = room - strlen(dots); length && why[length] != ' ';)
      length--;
  }
  snprintf(text, size, "provisional: %.*s%s%s", (int)length, why, dots, when);
}
