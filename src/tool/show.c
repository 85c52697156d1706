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

  if (status == GC_EXIT_NO_GPU && tool->json) /* a parser is to find none, too */
    return gc_worse(status, gc_report_json(NULL, 0));
  if (status != GC_EXIT_DONE)
    return status;
  results = gc_obtain(tool, &targets);
  if (!results) {
    status = GC_EXIT_FAILED;
  } else {
    /* a GPU of which the kernel driver's tables can be shown is no failure of showing */
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

        if (gc_is_known_only(&results[i]))
          record = results[i].gpu->known;
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
