/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The record of each chosen GPU: the valid one from the store, or else measured now.
 */
#include "tool/tool.h"

#include "store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A person who asks for a measurement gets another try of the steps that failed. A load of a topology finds
 * the record and never asks, and who only wants to see it sees it. */
static void set_apart_partial(const struct gc_tool *tool, struct gc_result *result)
{
  const char *when = gc_infos_get(&result->record->infos, "Measured");
  uint64_t failures;

  if (!tool->must_store || result->gpu->problem[0] ||
      gc_infos_get_u64(&result->record->infos, "MeasuringFailures", &failures) || !failures)
    return;
  gc_fail(&result->problem, 0, "%llu step%s of measuring failed on %s; measuring again",
          (unsigned long long)failures, failures == 1 ? "" : "s", when ? when : "an unknown date");
  result->partial = result->record;
  result->record = NULL;
}

/* Takes what the store has. What is to be said of it is left in problem; where the directory is no good, and the
 * GPU is going to be measured, that is said when the record finds no place there. */
static void look_up(const struct gc_tool *tool, struct gc_result *result)
{
  const bool measurable = !result->gpu->problem[0];
  struct gc_error err = {""};
  int status;
  bool bad;

  if (tool->force || tool->only || tool->no_store)
    return;
  status = gc_store_find(&result->gpu->identity, &result->record, &err);
  if (!status) {
    set_apart_partial(tool, result);
    return;
  }
  bad = status == -EBADMSG || status == -EACCES;
  if ((!bad && !tool->verbose) || (measurable && gc_store_check(result->gpu->identity.id, NULL)))
    return;
  gc_fail(&result->problem, 0, "%.480s%s", err.text, bad && measurable ? "; measuring anew" : "");
}

/* No GPU there, or a profile that is there and no good? */
static enum gc_exit weigh_problem(const struct gc_gpu *gpu)
{
  return gpu->vendor == GC_VENDOR_SIM && gc_targets_is_there(gpu) ? GC_EXIT_FAILED : GC_EXIT_NO_GPU;
}

struct gc_result *gc_obtain(const struct gc_tool *tool, const struct gc_targets *targets)
{
  struct gc_result *results = calloc(targets->count, sizeof *results);
  struct gc_result **missing = calloc(targets->count, sizeof *missing);
  const char **sentences = calloc(targets->count, sizeof *sentences);
  size_t count = 0;

  if (!results || !missing || !sentences) {
    gc_say(NULL, "out of memory");
    free(results);
    free(missing);
    free(sentences);
    return NULL;
  }
  for (size_t i = 0; i < targets->count; i++) {
    struct gc_result *result = &results[i];

    result->gpu = targets->chosen[i];
    if (gc_gpus_know(gc_targets_root(), targets->chosen[i]))
      gc_say(result->gpu->name, "out of memory; not all is shown");
    look_up(tool, result);
    sentences[i] = result->problem.text;
    if (!result->record && !result->gpu->problem[0])
      missing[count++] = result;
  }
  /* each process of a fleet looks for itself, and says what it finds */
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
    if (result->status == GC_EXIT_NO_GPU && result->gpu->vendor == GC_VENDOR_SIM)
      gc_say(NULL, "%s", result->problem.text); /* what is not there is called nothing */
    else
      sentences[i] = result->problem.text;
  }
  gc_say_once(results, sentences, targets->count);
  if (count == 1) {
    gc_measure_here(tool, missing[0]);
    if (missing[0]->partial && !missing[0]->record)
      gc_say(missing[0]->gpu->name, "the record that it has stays");
  } else if (count) {
    gc_measure_fleet(tool, missing, count);
  }
  free(missing);
  free(sentences);
  return results;
}

bool gc_is_known_only(const struct gc_result *result)
{
  return !result->record && result->gpu->known && result->gpu->vendor != GC_VENDOR_SIM;
}

void gc_say_caveats(const struct gc_result *results, size_t count, bool fresh)
{
  const char **sentences = calloc(count, sizeof *sentences);

  for (size_t i = 0; sentences && i < count; i++) {
    if (!fresh && gc_is_known_only(&results[i]))
      sentences[i] = "nothing of what is shown was measured: the kernel driver's tables (sysfs) state "
                     "it. Measuring has never been tried on an AMD GPU";
    else if (results[i].record && (results[i].fresh || !fresh) &&
             results[i].gpu->vendor == GC_VENDOR_AMD)
      sentences[i] = "how AMD GPUs are measured has never been checked on one: please compare, and "
                     "report what is wrong";
  }
  if (sentences)
    gc_say_once(results, sentences, count);
  free(sentences);
}

/* Whether nobody asked for this GPU in particular. */
static bool is_any(const struct gc_tool *tool, const struct gc_result *result)
{
  return !tool->count && result->gpu->vendor != GC_VENDOR_SIM;
}

int gc_results_status(const struct gc_tool *tool, const struct gc_result *results, size_t count,
                      bool tables)
{
  int status = GC_EXIT_DONE;
  bool some = false, tried = false;

  for (size_t i = 0; i < count; i++) {
    some |= results[i].record != NULL;
    tried |= results[i].record || !results[i].gpu->problem[0];
  }
  for (size_t i = 0; i < count; i++) {
    const struct gc_result *result = &results[i];
    int its = result->status;

    if (tables && gc_is_known_only(result))
      continue;
    if (is_any(tool, result) && !result->record) {
      if (tried && result->gpu->problem[0])
        continue; /* a display adapter, say, beside what is there for computing */
      if (some && its == GC_EXIT_NO_GPU)
        its = GC_EXIT_FAILED; /* there are GPUs, and one of them should have been measured */
    }
    status = gc_worse(status, its);
  }
  return status;
}

void gc_results_free(struct gc_result *results, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    gc_record_free(results[i].record);
    gc_record_free(results[i].partial);
  }
  free(results);
}
