/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/sources/choose.h"

#include "tool/gpus/targets.h"
#include "tool/print/messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Names in a message about several GPUs; there can be thousands in a directory. */
#define MOST_NAMES 8

static void append_name(char *list, size_t size, size_t i, const char *name)
{
  const size_t used = strlen(list);

  if (i < MOST_NAMES)
    snprintf(list + used, size - used, "%s%s", i ? ", " : "", name);
  else if (i == MOST_NAMES)
    snprintf(list + used, size - used, " ...");
}

static int several(const char *what, size_t count, const char *list)
{
  gc_say(NULL, "%s, but there are %zu; name one of them: %s", what, count, list);
  return GC_EXIT_USAGE;
}

/* All GPUs of this machine are a choice only if there is one. Found out before any is measured. */
static int check_only_one(const struct gc_tool *tool, const char *what)
{
  char list[700] = "";
  struct gc_targets targets;
  int status = gc_targets_find(tool, &targets);

  if (status != GC_EXIT_DONE)
    return status;
  for (size_t i = 0; i < targets.count; i++)
    append_name(list, sizeof list, i, targets.chosen[i]->name);
  if (targets.count > 1)
    status = several(what, targets.count, list);
  gc_targets_free(&targets);
  return status;
}

/* Cuts ":gpu1" from the name of a file that has several GPUs; returns "gpu1". NULL: this names a
 * file or a GPU of this machine. */
static const char *cut_gpu(char *word)
{
  char *colon = strrchr(word, ':');

  if (!colon || strncmp(colon + 1, "gpu", 3) || !access(word, F_OK))
    return NULL;
  *colon = '\0';
  if (!access(word, F_OK))
    return colon + 1;
  *colon = ':';
  return NULL;
}

/* Keeps the sources that are this GPU of their file. */
static void keep_gpu(struct gc_sources *sources, const char *gpu)
{
  size_t kept = 0;

  for (size_t i = 0; i < sources->count; i++) {
    struct gc_source *source = &sources->array[i];

    if (!strcmp(source->gpu, gpu)) {
      const struct gc_source swapped = sources->array[kept];

      sources->array[kept++] = *source;
      *source = swapped;
    }
  }
  while (sources->count > kept) {
    struct gc_source *last = &sources->array[--sources->count];

    gc_record_free(last->record);
    free(last->name);
  }
}

static int count_them(const struct gc_tool *tool, const char *what, const char *gpu,
                      const struct gc_sources *sources)
{
  char list[2000] = "";

  if (!sources->count && gpu) {
    gc_say(NULL, "%s has no %s", tool->words[0], gpu);
    return GC_EXIT_FAILED;
  }
  for (size_t i = 0; i < sources->count; i++)
    append_name(list, sizeof list, i, sources->array[i].name);
  return sources->count == 1 ? GC_EXIT_DONE : several(what, sources->count, list);
}

int gc_choose_one(const struct gc_tool *tool, const char *what, struct gc_sources *sources)
{
  const char *gpu = NULL;
  int status = GC_EXIT_DONE;

  memset(sources, 0, sizeof *sources);
  if (tool->count)
    gpu = cut_gpu(tool->words[0]);
  else
    status = check_only_one(tool, what);
  if (status == GC_EXIT_DONE)
    status = gc_sources_of_words(tool, sources);
  if (status == GC_EXIT_DONE) {
    if (gpu)
      keep_gpu(sources, gpu);
    status = count_them(tool, what, gpu, sources);
  }
  if (status != GC_EXIT_DONE)
    gc_sources_free(sources);
  return status;
}
