/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/predict/chosen.h"

#include "tool/print/messages.h"
#include "tool/sources/choose.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* word: NULL for the only GPU of this machine. */
static int choose(const struct gc_tool *tool, const char *word, struct gc_sources *sources)
{
  char *words[] = {(char *)word, NULL};
  struct gc_tool chosen = *tool;

  chosen.words = words;
  chosen.count = word ? 1 : 0;
  return gc_choose_one(
      &chosen, word ? "predict needs one GPU for each --record and --gpu" : "predict needs one GPU",
      sources);
}

/* Moves the only source of `one` to the end of the others. */
static int append(struct gc_sources *sources, struct gc_sources *one)
{
  struct gc_source *more = reallocarray(sources->array, sources->count + 1, sizeof *more);

  if (!more) {
    gc_sources_free(one);
    return gc_no_memory();
  }
  sources->array = more;
  more[sources->count++] = one->array[0];
  free(one->array);
  return GC_EXIT_DONE;
}

/* Before any GPU is measured. */
static int check(const struct gc_values *words, const char *option)
{
  for (size_t i = 0; i < words->count; i++)
    for (size_t k = 0; k < i; k++)
      if (!strcmp(words->array[i], words->array[k])) {
        gc_say(NULL, "%s %s is there twice", option, words->array[i]);
        return GC_EXIT_USAGE;
      }
  return GC_EXIT_DONE;
}

static int choose_each(const struct gc_tool *tool, const struct gc_values *words,
                       struct gc_sources *sources)
{
  const bool files = words == &tool->records;
  int status = check(words, files ? "--record" : "--gpu");

  for (size_t i = 0; i < words->count && status == GC_EXIT_DONE; i++) {
    struct gc_sources one;

    if (files && access(words->array[i], R_OK) && !strrchr(words->array[i], ':')) {
      gc_say(NULL, "cannot read %s: %m", words->array[i]);
      status = GC_EXIT_FAILED;
    } else {
      status = choose(tool, words->array[i], &one);
    }
    if (status == GC_EXIT_DONE)
      status = append(sources, &one);
  }
  return status;
}

int gc_predict_choose(const struct gc_tool *tool, struct gc_sources *sources)
{
  struct gc_tool all = *tool;
  int status;

  memset(sources, 0, sizeof *sources);
  all.count = 0;
  if (tool->records.count || tool->gpus.count)
    status = choose_each(tool, tool->records.count ? &tool->records : &tool->gpus, sources);
  else if (tool->sims)
    status = gc_sources_of_words(&all, sources);
  else
    status = choose(tool, NULL, sources);
  if (status == GC_EXIT_NO_GPU && !tool->records.count && !tool->sims)
    gc_say(NULL, "predict needs no GPU with --record FILE; \"export\" writes that file where the "
                 "GPU is");
  if (status != GC_EXIT_DONE)
    gc_sources_free(sources);
  return status;
}
