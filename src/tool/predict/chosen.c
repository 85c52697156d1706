/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/predict/chosen.h"

#include "tool/print/messages.h"
#include "tool/sources/choose.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* word: NULL for the only GPU of this machine. */
static int choose(const struct gc_tool *tool, const char *word, struct gc_sources *sources)
{
  char *words[] = {word ? strdup(word) : NULL, NULL}; /* it can be cut */
  struct gc_tool chosen = *tool;
  int status;

  if (word && !words[0])
    return gc_no_memory();
  chosen.words = words;
  chosen.count = word ? 1 : 0;
  status = gc_choose_one(
      &chosen, word ? "predict needs one GPU for each --record and --gpu" : "predict needs one GPU",
      sources);
  free(words[0]);
  return status;
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

static int is_twice(const char *option, const char *word, const char *other)
{
  if (strcmp(word, other))
    gc_say(NULL, "%s %s is the same as %s", option, word, other);
  else
    gc_say(NULL, "%s %s is given twice", option, word);
  return GC_EXIT_USAGE;
}

/* Before any GPU is measured. */
static int check(const struct gc_values *words, const char *option)
{
  for (size_t i = 0; i < words->count; i++)
    for (size_t k = 0; k < i; k++)
      if (!strcmp(words->array[i], words->array[k]))
        return is_twice(option, words->array[i], words->array[k]);
  return GC_EXIT_DONE;
}

/* The file that "FILE" or "FILE:gpu0" means. */
static bool find_file(const char *word, struct stat *file)
{
  const char *const colon = strrchr(word, ':');
  char path[PATH_MAX];

  if (!stat(word, file))
    return true;
  return colon && colon - word < PATH_MAX &&
         snprintf(path, sizeof path, "%.*s", (int)(colon - word), word) >= 0 && !stat(path, file);
}

/* Whether two words with other spellings mean one GPU: of one file, or of this machine. */
static bool is_same(const char *word, const struct gc_source *source, const char *other,
                    const struct gc_source *of_other, bool files)
{
  struct stat file, other_file;

  if (!files)
    return !strcmp(source->record->identity.id, of_other->record->identity.id);
  return !strcmp(source->gpu, of_other->gpu) && find_file(word, &file) &&
         find_file(other, &other_file) && file.st_dev == other_file.st_dev &&
         file.st_ino == other_file.st_ino;
}

/* After the last of the sources was chosen. */
static int check_last(const struct gc_values *words, const struct gc_sources *sources,
                      const char *option, bool files)
{
  const size_t last = sources->count - 1;

  for (size_t i = 0; i < last; i++)
    if (is_same(words->array[last], &sources->array[last], words->array[i], &sources->array[i],
                files))
      return is_twice(option, words->array[last], words->array[i]);
  return GC_EXIT_DONE;
}

static int choose_each(const struct gc_tool *tool, const struct gc_values *words,
                       struct gc_sources *sources)
{
  const bool files = words == &tool->records;
  const char *const option = files ? "--record" : "--gpu";
  int status = check(words, option);

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
    if (status == GC_EXIT_DONE)
      status = check_last(words, sources, option, files);
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
