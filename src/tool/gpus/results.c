/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/gpus/results.h"

#include "tool/gpus/targets.h"
#include "tool/print/messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool gc_has_tables_only(const struct gc_result *result)
{
  return !result->record && result->gpu->tables && result->gpu->vendor != GC_VENDOR_SIM;
}

void gc_say_caveats(const struct gc_result *results, size_t count, bool fresh)
{
  const char **sentences = calloc(count, sizeof *sentences);

  for (size_t i = 0; sentences && i < count; i++) {
    if (!fresh && gc_has_tables_only(&results[i]))
      sentences[i] =
          "no value shown is measured: all come from the kernel driver's tables (sysfs). "
          "Measuring has never been tried on an AMD GPU";
    else if (results[i].record && (results[i].fresh || !fresh) &&
             results[i].gpu->vendor == GC_VENDOR_AMD)
      sentences[i] =
          "the methods for AMD GPUs have never been verified on one: please compare the values "
          "and report errors";
  }
  if (sentences)
    gc_say_once(results, sentences, count);
  free(sentences);
}

void gc_names_of(const struct gc_gpu *const *gpus, size_t count, char *text, size_t size)
{
  static const char more[] = ", ...";
  size_t used = 0;

  *text = '\0';
  for (size_t first = 0, last; first < count; first = last + 1) {
    char part[2 * sizeof gpus[0]->name + sizeof ", " + sizeof " to "];

    for (last = first; last + 1 < count && gpus[last + 1] == gpus[last] + 1;)
      last++;
    if (last == first + 1) /* of two, both are named */
      last = first;
    snprintf(part, sizeof part, "%s%s%s%s", used ? ", " : "", gpus[first]->name,
             last > first ? " to " : "", last > first ? gpus[last]->name : "");
    if (used + strlen(part) + sizeof more > size) {
      snprintf(text + used, size - used, "%s", more);
      return;
    }
    used += (size_t)snprintf(text + used, size - used, "%s", part);
  }
}

/* Whether the user has not named this GPU. */
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

    if (tables && gc_has_tables_only(result))
      continue;
    if (is_any(tool, result) && !result->record) {
      if (tried && result->gpu->problem[0])
        continue; /* for example a display adapter beside GPUs for computing */
      if (some && its == GC_EXIT_NO_GPU)
        its = GC_EXIT_FAILED; /* there are GPUs, and this one should have been measured */
    }
    status = gc_worse(status, its);
  }
  return status;
}

void gc_results_free(struct gc_result *results, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    gc_record_free(results[i].record);
    gc_record_free(results[i].earlier);
  }
  free(results);
}

static bool is_said(const char *sentence)
{
  return sentence && *sentence;
}

static bool is_same(const char *a, const char *b)
{
  return is_said(a) && is_said(b) && !strcmp(a, b);
}

void gc_say_once(const struct gc_result *results, const char *const *sentences, size_t count)
{
  const struct gc_gpu **same = calloc(count + 1, sizeof *same);

  for (size_t i = 0; same && i < count; i++) {
    bool said = !is_said(sentences[i]), named;
    char names[256];
    size_t n = 0;

    for (size_t k = 0; k < i && !said; k++)
      said = is_same(sentences[k], sentences[i]);
    if (said)
      continue;
    for (size_t k = i; k < count; k++)
      if (is_same(sentences[k], sentences[i]))
        same[n++] = results[k].gpu;
    gc_names_of(same, n, names, sizeof names);
    named = gc_targets_is_shared(results[i].gpu) && is_same(sentences[i], results[i].gpu->problem);
    gc_say(named ? NULL : names, "%s", sentences[i]);
  }
  if (!same)
    gc_no_memory();
  free(same);
}
