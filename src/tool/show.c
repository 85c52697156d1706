/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * hwloc-gpucache show: the records, as a table, as JSON, or as they are.
 */
#include "tool/tool.h"

#include <stdio.h>

int gc_tool_show(const struct gc_tool *tool)
{
  struct gc_targets targets;
  struct gc_result *results;
  int status = gc_targets_find(tool, &targets);
  bool first = true;

  if (status != GC_EXIT_DONE)
    return status;
  results = gc_obtain(tool, &targets);
  if (!results) {
    status = GC_EXIT_FAILED;
  } else {
    status = gc_results_status(results, targets.count);
    if (tool->json) {
      status = gc_worse(status, gc_report_json(results, targets.count));
    } else if (tool->xml) {
      status = gc_worse(status, gc_report_xml(results, targets.count));
    } else {
      for (size_t i = 0; i < targets.count; i++) {
        if (!results[i].record)
          continue;
        if (!first)
          putchar('\n');
        first = false;
        status = gc_worse(status, gc_report(results[i].record, results[i].gpu->name));
      }
    }
    gc_results_free(results, targets.count);
  }
  gc_targets_free(&targets);
  return status;
}
