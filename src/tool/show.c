/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * hwloc-gpucache show: prints records as tables, as JSON, or as XML.
 */
#include "tool/show.h"

#include "tool/export.h"
#include "tool/json.h"
#include "tool/obtain.h"
#include "tool/report.h"

#include <stdio.h>

int gc_tool_show(const struct gc_tool *tool)
{
  struct gc_targets targets;
  struct gc_result *results;
  int status = gc_targets_find(tool, &targets);
  bool first = true;

  if (status == GC_EXIT_NO_GPU && tool->json) /* programs get an empty array */
    return gc_worse(status, gc_report_json(NULL, 0));
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
    if (tool->json) {
      status = gc_worse(status, gc_report_json(results, targets.count));
    } else if (tool->xml) {
      status = gc_worse(status, gc_report_xml(results, targets.count));
    } else {
      for (size_t i = 0; i < targets.count; i++) {
        const struct gc_record *record = results[i].record;

        if (gc_has_tables_only(&results[i]))
          record = results[i].gpu->tables;
        if (!record)
          continue;
        if (!first)
          putchar('\n');
        first = false;
        status = gc_worse(status, gc_report(record, results[i].gpu->name));
      }
    }
    gc_results_free(results, targets.count);
  }
  gc_targets_free(&targets);
  return status;
}
