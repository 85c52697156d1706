/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * hwloc-gpucache measure: makes sure that each GPU has a valid record, and prints new ones.
 */
#include "tool/commands.h"

#include "tool/describe/gpu.h"
#include "tool/gpus/earlier_record.h"
#include "tool/gpus/hwloc_xml.h"
#include "tool/measure/obtain.h"
#include "tool/measure/peers.h"
#include "tool/measure/raw_dir.h"
#include "tool/print/messages.h"
#include "tool/process/child.h"

#include <errno.h>
#include <stdio.h>

static void say_already(const struct gc_result *result)
{
  const char *why = gc_provisional_why(result->record);

  printf("%s: already measured on %s%s%s (--force measures again)\n", result->gpu->name,
         gc_keep_date(result->record), why ? ", provisional: " : "", why ? why : "");
}

int gc_tool_measure(const struct gc_tool *tool)
{
  struct gc_tool must = *tool;
  struct gc_targets targets;
  struct gc_result *results;
  bool first = true;
  int status = gc_targets_find(tool, &targets);

  if (status != GC_EXIT_DONE) {
    if (tool->resume)
      gc_child_report(-ENODEV, "the process that measures the rest cannot find the GPU");
    return status;
  }
  if (tool->peers) {
    status = gc_measure_peers(tool, &targets);
    gc_targets_free(&targets);
    return status;
  }
  if (tool->resume && targets.count != 1) { /* the standard input has the results of one GPU */
    gc_say(NULL, "--resume needs one GPU, not %zu", targets.count);
    gc_targets_free(&targets);
    return GC_EXIT_USAGE;
  }
  if (tool->raw && (status = gc_raw_dir_check(&must)) != GC_EXIT_DONE) {
    gc_targets_free(&targets);
    return status;
  }
  must.must_store = true;
  must.force |= tool->raw != NULL; /* a record has no raw data */
  results = gc_obtain(&must, &targets);
  if (!results) {
    status = GC_EXIT_FAILED;
  } else {
    status = gc_results_status(tool, results, targets.count, false);
    /* the parent notes the reason and may print it */
    if (tool->resume && !results[0].record)
      gc_child_report(results[0].error ? results[0].error : -EIO, results[0].problem.text);
    if (tool->xml) {
      status = gc_worse(status, gc_show_xml(results, targets.count));
    } else {
      gc_say_caveats(results, targets.count, true);
      for (size_t i = 0; i < targets.count; i++) {
        const char *name = results[i].gpu->name;

        if (!results[i].record)
          continue;
        if (!first && results[i].fresh)
          putchar('\n');
        first = false;
        if (results[i].kept)
          printf("%s: the record of %s is kept\n", name, gc_keep_date(results[i].earlier));
        else if (results[i].fresh)
          status = gc_worse(status, gc_show_gpu(results[i].record, name, tool));
        else
          say_already(&results[i]);
      }
    }
    gc_results_free(results, targets.count);
  }
  gc_raw_dir_leave(&must);
  gc_targets_free(&targets);
  return status;
}
