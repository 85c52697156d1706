/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * hwloc-gpucache show: prints records as tables, as JSON, or as XML.
 */
#include "record/per_sm.h"
#include "tool/commands.h"
#include "tool/describe/gpu.h"
#include "tool/gpus/hwloc_xml.h"
#include "tool/gpus/targets.h"
#include "tool/measure/obtain.h"
#include "tool/print/messages.h"
#include "tool/show/print_json.h"
#include "tool/sources/sources.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct gc_record *record_of(const struct gc_result *result)
{
  return gc_has_tables_only(result) ? result->gpu->tables : result->record;
}

/* The kinds of elements that the record has. */
static unsigned kinds_of(const struct gc_record *record)
{
  unsigned kinds = 0;

  for (size_t i = 0; i < record->count; i++)
    kinds |= 1u << record->elements[i].kind;
  return kinds;
}

/* Whether the record has one of the chosen elements. */
static bool has_any(const struct gc_tool *tool, const struct gc_record *record)
{
  return kinds_of(record) & tool->elements;
}

/* The GPUs to print. */
struct shown {
  struct gc_result *results;
  const struct gc_source *sources; /* one for each; NULL: the GPUs are of this machine */
  bool by_file;                    /* the headings name the files */
  size_t count;
};

/* The name of a GPU in its heading. No file name if there is only one file. */
static const char *name_of(const struct shown *shown, size_t i)
{
  return shown->by_file ? shown->sources[i].name : shown->results[i].gpu->name;
}

/* Reports the chosen elements that a record does not have. It is a failure if it has none of them.
 */
static int check_elements(const struct gc_tool *tool, const struct shown *shown)
{
  int status = GC_EXIT_DONE;

  for (size_t i = 0; i < shown->count; i++) {
    const struct gc_record *record = record_of(&shown->results[i]);
    char lacking[GC_KIND_LIST];

    if (!record || !(tool->elements & ~kinds_of(record)))
      continue;
    gc_kinds_list(tool->elements & ~kinds_of(record), lacking);
    gc_say(shown->sources ? shown->sources[i].name : shown->results[i].gpu->name,
           "this GPU has no %s", lacking);
    if (!has_any(tool, record))
      status = GC_EXIT_FAILED;
  }
  return status;
}

static int print_for_people(const struct gc_tool *tool, const struct shown *shown)
{
  int status = GC_EXIT_DONE;
  bool first = true;

  for (size_t i = 0; i < shown->count; i++) {
    const struct gc_record *record = record_of(&shown->results[i]);

    if (!record || (tool->elements && !has_any(tool, record)))
      continue;
    if (!first)
      putchar('\n');
    first = false;
    status = gc_worse(status, gc_show_gpu(record, name_of(shown, i), tool));
  }
  return status;
}

static int print_all(const struct gc_tool *tool, const struct shown *shown)
{
  int status;

  if (!tool->xml)
    gc_say_caveats(shown->results, shown->count, false);
  status = check_elements(tool, shown);
  if (tool->json)
    return gc_worse(status, gc_show_json(shown->results, shown->count, tool->elements));
  if (tool->xml)
    return gc_worse(status, gc_show_xml(shown->results, shown->count));
  return gc_worse(status, print_for_people(tool, shown));
}

static int show_gpus(const struct gc_tool *tool)
{
  struct gc_targets targets;
  struct shown shown = {0};
  int status = gc_targets_find(tool, &targets);

  if (status == GC_EXIT_NO_GPU && tool->json) /* programs get an empty array */
    return gc_worse(status, gc_show_json(NULL, 0, 0));
  if (status != GC_EXIT_DONE)
    return status;
  shown.results = gc_obtain(tool, &targets);
  shown.count = targets.count;
  if (!shown.results) {
    status = GC_EXIT_FAILED;
  } else {
    /* showing the driver tables of a GPU is enough */
    status = gc_results_status(tool, shown.results, shown.count, !tool->xml);
    status = gc_worse(status, print_all(tool, &shown));
    gc_results_free(shown.results, shown.count);
  }
  gc_targets_free(&targets);
  return status;
}

/* The GPU of a file, as far as the record knows it. */
static void describe(const struct gc_source *source, struct gc_gpu *gpu)
{
  const bool is_sim = !strncmp(source->record->identity.id, "sim-", strlen("sim-"));

  gpu->identity = source->record->identity;
  gpu->vendor = is_sim                                          ? GC_VENDOR_SIM
                : !strcmp(gc_record_unit(source->record), "CU") ? GC_VENDOR_AMD
                                                                : GC_VENDOR_NVIDIA;
  snprintf(gpu->name, sizeof gpu->name, "%s", source->gpu);
}

static int show_sources(const struct gc_tool *tool, const struct gc_sources *sources)
{
  struct gc_result *results = calloc(sources->count, sizeof *results);
  struct gc_gpu *gpus = calloc(sources->count, sizeof *gpus);
  const struct shown shown = {results, sources->array, sources->count > 1 || tool->count > 1,
                              sources->count};
  int status = GC_EXIT_FAILED;

  for (size_t i = 0; results && gpus && i < sources->count; i++) {
    describe(&sources->array[i], &gpus[i]);
    results[i].gpu = &gpus[i];
    results[i].record = sources->array[i].record;
  }
  if (results && gpus)
    status = print_all(tool, &shown);
  else
    gc_no_memory();
  free(gpus);
  free(results);
  return status;
}

/* Files, and perhaps GPUs of this machine beside them. */
static int show_words(const struct gc_tool *tool)
{
  struct gc_sources sources;
  int status = gc_sources_of_words(tool, &sources);

  if (tool->xml && sources.count > 1) {
    gc_say(NULL, "--xml prints one GPU, but there are %zu: name one file with one GPU",
           sources.count);
    status = GC_EXIT_USAGE;
  } else if (sources.count) {
    status = gc_worse(status, show_sources(tool, &sources));
  } else if (tool->json) { /* programs get an empty array */
    status = gc_worse(status, gc_show_json(NULL, 0, 0));
  }
  gc_sources_free(&sources);
  return status;
}

int gc_tool_show(const struct gc_tool *tool)
{
  for (size_t i = 0; i < tool->count; i++)
    if (gc_targets_is_path(tool->words[i]))
      return show_words(tool);
  return show_gpus(tool);
}
