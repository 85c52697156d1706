/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * hwloc-gpucache show: prints records as tables, as JSON, or as XML.
 */
#include "tool/show.h"

#include "tool/hwloc_xml.h"
#include "tool/json.h"
#include "tool/obtain.h"
#include "tool/say.h"
#include "tool/show_notes.h"
#include "tool/show_table.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

int gc_show_elements(const char *list, unsigned *elements, struct gc_error *err)
{
  char known[400] = "", word[64];

  for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',') {
    enum gc_kind kind;

    snprintf(word, sizeof word, "%.*s", (int)strcspn(at, ","), at);
    kind = gc_kind_by_subtype(word);
    if (kind == GC_KIND_COUNT) {
      for (unsigned i = 0; i < GC_KIND_COUNT; i++)
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "",
                 gc_kinds[i].subtype);
      return gc_fail(err, -EINVAL, "no element is named '%s'; elements: %s", word, known);
    }
    *elements |= 1u << kind;
  }
  return 0;
}

static const struct gc_record *record_of(const struct gc_result *result)
{
  return gc_has_tables_only(result) ? result->gpu->tables : result->record;
}

/* Whether the record has one of the chosen elements. */
static bool has_any(const struct gc_tool *tool, const struct gc_record *record)
{
  bool found = false;

  for (size_t i = 0; i < record->count; i++)
    found |= gc_show_has(tool->elements, record->elements[i].kind);
  return found;
}

/* Reports each GPU whose record has none of them. */
static int check_elements(const struct gc_tool *tool, const struct gc_result *results, size_t count)
{
  int status = GC_EXIT_DONE;

  for (size_t i = 0; i < count; i++) {
    const struct gc_record *record = record_of(&results[i]);

    if (!tool->elements || !record || has_any(tool, record))
      continue;
    gc_say(results[i].gpu->name, "this GPU has no such element");
    status = GC_EXIT_FAILED;
  }
  return status;
}

int gc_tool_show(const struct gc_tool *tool)
{
  struct gc_targets targets;
  struct gc_result *results;
  int status = gc_targets_find(tool, &targets);
  bool first = true;

  if (status == GC_EXIT_NO_GPU && tool->json) /* programs get an empty array */
    return gc_worse(status, gc_show_json(NULL, 0, 0));
  if (status != GC_EXIT_DONE)
    return status;
  results = gc_obtain(tool, &targets);
  if (!results) {
    status = GC_EXIT_FAILED;
  } else {
    /* showing the driver tables of a GPU is enough */
    status = gc_results_status(tool, results, targets.count, !tool->xml);
    if (!tool->xml)
      gc_say_caveats(results, targets.count, false);
    status = gc_worse(status, check_elements(tool, results, targets.count));
    if (tool->json) {
      status = gc_worse(status, gc_show_json(results, targets.count, tool->elements));
    } else if (tool->xml) {
      status = gc_worse(status, gc_show_xml(results, targets.count));
    } else {
      for (size_t i = 0; i < targets.count; i++) {
        const struct gc_record *record = record_of(&results[i]);

        if (!record || (tool->elements && !has_any(tool, record)))
          continue;
        if (!first)
          putchar('\n');
        first = false;
        status = gc_worse(status, gc_show_table(record, results[i].gpu->name, tool));
      }
    }
    gc_results_free(results, targets.count);
  }
  gc_targets_free(&targets);
  return status;
}
