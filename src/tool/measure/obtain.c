/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The record of each chosen GPU: the valid one of the store, or else a new one.
 */
#include "tool/measure/obtain.h"

#include "store/store.h"
#include "tool/gpus/earlier_record.h"
#include "tool/measure/measure_one.h"
#include "tool/measure/measure_several.h"
#include "tool/print/messages.h"
#include "tool/process/environment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A provisional record is measured again from time to time. Until then it is the result. What was
 * measured of the host is measured again if the GPU is elsewhere now. */
static void set_apart_due(const struct gc_tool *tool, struct gc_result *result)
{
  const char *why;

  if (!gc_keep_is_due(tool, result->gpu, result->record) || result->gpu->problem[0])
    return;
  why = gc_provisional_why(result->record);
  if ((tool->must_store || tool->verbose) && why)
    gc_fail(&result->problem, 0, "the record of %s is provisional: %.400s; measuring again",
            gc_keep_date(result->record), why);
  else if (tool->must_store || tool->verbose)
    gc_fail(&result->problem, 0,
            "the GPU is in another place than when the record of %s was measured; measuring what "
            "it has of the host again",
            gc_keep_date(result->record));
  result->earlier = result->record;
  result->record = NULL;
}

/* Takes the record from the store, or writes to problem why there is none. Exception: if the GPU is
 * going to be measured and the directory cannot be used, problem does not say that, because the
 * message comes when the record is to be stored. */
static void look_up(const struct gc_tool *tool, struct gc_result *result)
{
  const bool measurable = !result->gpu->problem[0];
  struct gc_error err = {""}, of_dir = {""};
  int status;
  bool bad;

  if (tool->force || tool->only || tool->no_store)
    return;
  status = gc_store_find(&result->gpu->identity, &result->record, &err);
  if (!status) {
    set_apart_due(tool, result);
    return;
  }
  bad = status == -EBADMSG || status == -EACCES;
  if (!bad && !tool->verbose)
    return;
  if (measurable && gc_store_check(result->gpu->identity.id, &of_dir) &&
      (!bad || !strcmp(err.text, of_dir.text)))
    return;
  gc_fail(&result->problem, 0, "%.480s%s", err.text, bad && measurable ? "; measuring again" : "");
}

/* A profile that exists and is not valid is a failure; otherwise there is no GPU. */
static enum gc_exit weigh_problem(const struct gc_gpu *gpu)
{
  return gpu->vendor == GC_VENDOR_SIM && gc_targets_is_there(gpu) ? GC_EXIT_FAILED : GC_EXIT_NO_GPU;
}

/* What the record of the node says of these GPUs. */
static void add_peers(const struct gc_gpus *gpus, struct gc_result *results, size_t count)
{
  for (int vendor = 0; vendor < GC_VENDORS; vendor++) {
    struct gc_identity identity;
    struct gc_record *node;

    if (gc_gpus_node(gpus, (enum gc_vendor)vendor, &identity) < 2 ||
        gc_store_find(&identity, &node, NULL))
      continue;
    for (size_t i = 0; i < count; i++)
      if (results[i].record)
        gc_record_merge_node(results[i].record, node);
    gc_record_free(node);
  }
}

struct gc_result *gc_obtain(const struct gc_tool *tool, const struct gc_targets *targets)
{
  struct gc_result *results = calloc(targets->count, sizeof *results);
  struct gc_result **missing = calloc(targets->count, sizeof *missing);
  const char **sentences = calloc(targets->count, sizeof *sentences);
  size_t count = 0;

  if (!results || !missing || !sentences) {
    gc_no_memory();
    free(results);
    free(missing);
    free(sentences);
    return NULL;
  }
  for (size_t i = 0; i < targets->count; i++) {
    struct gc_result *result = &results[i];

    result->gpu = targets->chosen[i];
    if (gc_gpus_read_tables(gc_environment_root(), targets->chosen[i]))
      gc_say(result->gpu->name, "out of memory; not all is shown");
    look_up(tool, result);
    sentences[i] = result->problem.text;
    if (!result->record && !result->gpu->problem[0])
      missing[count++] = result;
  }
  /* each process of a fleet prints these messages itself */
  for (size_t i = 0; count > 1 && i < count; i++)
    sentences[missing[i] - results] = NULL;
  gc_say_once(results, sentences, targets->count);
  for (size_t i = 0; i < targets->count; i++) {
    struct gc_result *result = &results[i];

    sentences[i] = NULL;
    result->problem.text[0] = '\0';
    if (result->record || !result->gpu->problem[0])
      continue;
    result->status = weigh_problem(result->gpu);
    gc_fail(&result->problem, 0, "%s", result->gpu->problem);
    sentences[i] = result->problem.text;
  }
  gc_say_once(results, sentences, targets->count);
  if (count == 1)
    gc_measure_here(tool, missing[0]);
  else if (count)
    gc_measure_fleet(tool, missing, count);
  for (size_t i = 0; i < count && !tool->must_store; i++)
    gc_keep_show(missing[i]);
  if (!tool->no_store)
    add_peers(&targets->gpus, results, targets->count);
  free(missing);
  free(sentences);
  return results;
}
