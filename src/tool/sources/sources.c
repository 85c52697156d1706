/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/sources/sources.h"

#include "tool/gpus/targets.h"
#include "tool/measure/obtain.h"
#include "tool/print/messages.h"
#include "tool/sources/topology.h"
#include "util/file.h"
#include "util/regular.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ENDING ".xml"

/* Takes the record, also if memory runs out. */
static int append(struct gc_sources *sources, char *name, const char *gpu, struct gc_record *record)
{
  struct gc_source *array = NULL;

  if (name)
    array = reallocarray(sources->array, sources->count + 1, sizeof *array);
  if (!array) {
    free(name);
    gc_record_free(record);
    return -ENOMEM;
  }
  sources->array = array;
  array += sources->count++;
  gc_make_printable(name); /* the name of a file may come from another user */
  array->name = name;
  array->record = record;
  snprintf(array->gpu, sizeof array->gpu, "%s", *gpu ? gpu : "gpu0");
  return 0;
}

/* The state of gc_sources_add_file. */
struct adding {
  struct gc_sources *sources;
  const char *path;
};

static int add_gpu(const char *gpu, struct gc_record *record, void *data)
{
  const struct adding *adding = data;
  char *name;

  if (asprintf(&name, "%s%s%s", adding->path, *gpu ? ":" : "", gpu) < 0)
    name = NULL;
  return append(adding->sources, name, gpu, record);
}

/* Removes the sources from number `count` on. */
static void shorten(struct gc_sources *sources, size_t count)
{
  while (sources->count > count) {
    struct gc_source *source = &sources->array[--sources->count];

    gc_record_free(source->record);
    free(source->name);
  }
}

/* The XML of a node with eight GPUs has 2 MB. */
#define MOST_BYTES (64u << 20)

/* The status of a file that a directory of records may have beside those of its GPUs. */
#define OF_A_NODE (-ENOMSG)

/* Visits the GPUs in a file. 0; OF_A_NODE; or a negative errno with a sentence that names the file:
 * -ENODATA if there is no GPU of ours in it; -EBADMSG if it is no topology or has bad values;
 * -EFBIG, -ENOMEM, or what open() or read() returned. */
static int visit_file(const char *path, gc_topology_visitor *visit, void *data,
                      struct gc_error *err)
{
  struct gc_record *record;
  size_t length = 0;
  char *text = NULL;
  int status = gc_regular_load(path, MOST_BYTES, &text, &length, err);

  if (status)
    return status;
  status = gc_record_read_xml(text, length, &record, err);
  if (!status && !strncmp(record->identity.id, GC_NODE_PREFIX, strlen(GC_NODE_PREFIX))) {
    gc_record_free(record);
    status = gc_fail(err, OF_A_NODE, "it tells how GPUs reach each other, and describes none");
  } else if (!status) { /* a file with one GPU is usually a record */
    status = visit("", record, data);
  } else if (status == -EBADMSG) {
    status = gc_topology_visit(text, length, visit, data, err);
  } else {
    gc_fail(err, status, "out of memory");
  }
  if (status)
    gc_fail_in(err, status, path);
  free(text);
  return status;
}

int gc_sources_add_file(struct gc_sources *sources, const char *path, struct gc_error *err)
{
  struct adding adding = {sources, path};
  const size_t before = sources->count;
  int status = visit_file(path, add_gpu, &adding, err);

  if (status)
    shorten(sources, before);
  return status;
}

void gc_sources_free(struct gc_sources *sources)
{
  shorten(sources, 0);
  free(sources->array);
  memset(sources, 0, sizeof *sources);
}

static bool is_directory(const char *path)
{
  struct stat file;

  return !stat(path, &file) && S_ISDIR(file.st_mode);
}

static bool ends_with_xml(const char *name)
{
  const size_t length = strlen(name);

  return length > strlen(ENDING) && !strcmp(name + length - strlen(ENDING), ENDING);
}

/* Hidden files are no records: the store writes unfinished ones under such names. */
static int is_visible(const struct dirent *entry)
{
  return entry->d_name[0] != '.';
}

/* A walk through a directory. */
struct walk {
  struct gc_sources *sources; /* where the GPUs are put, or one file's until they are visited */
  gc_sources_visitor *visit;  /* NULL: they are only put there */
  void *data;
  size_t gpus, bad;
};

/* Adds or visits the GPUs of a file. */
static int take_file(struct walk *walk, const char *path, struct gc_error *err, bool *end)
{
  const size_t before = walk->sources->count;
  int status = gc_sources_add_file(walk->sources, path, err);

  walk->gpus += walk->sources->count - before;
  if (status || !walk->visit)
    return status;
  for (size_t i = 0; !status && i < walk->sources->count; i++)
    status = walk->visit(&walk->sources->array[i], walk->data);
  *end = status != 0;
  shorten(walk->sources, 0);
  return status;
}

/* One entry of a directory. Failures are printed and counted; -ENOMEM and failures of the visitor
 * end everything. */
static int take_entry(struct walk *walk, const char *path, unsigned levels);

static int take_entries(struct walk *walk, const char *path, unsigned levels, struct gc_error *err)
{
  const int dir = gc_file_open_dir(path, err);
  struct dirent **entries;
  int status = 0, count;

  if (dir < 0)
    return dir;
  count = scandirat(dir, ".", &entries, is_visible, versionsort);
  if (count < 0)
    status = -errno;
  close(dir);
  for (int i = 0; i < count; i++) {
    char *inner = NULL;

    if (!status && asprintf(&inner, "%s/%s", path, entries[i]->d_name) < 0)
      status = -ENOMEM;
    if (!status) {
      status = take_entry(walk, inner, levels);
      free(inner);
    }
    free(entries[i]);
  }
  if (count >= 0)
    free(entries);
  return status ? gc_fail(err, status, "%s: %s", path, strerror(-status)) : 0;
}

static int take_entry(struct walk *walk, const char *path, unsigned levels)
{
  struct gc_error err = {""};
  bool end = false;
  int status = 0;

  if (is_directory(path)) {
    if (levels)
      status = take_entries(walk, path, levels - 1, &err);
  } else if (ends_with_xml(path)) {
    status = take_file(walk, path, &err, &end);
  }
  if (!status || status == -ENOMEM || end)
    return status;
  if (status == OF_A_NODE)
    return 0;
  gc_say(NULL, "%s", err.text);
  walk->bad++;
  return 0;
}

static int walk_directory(struct walk *walk, const char *path, size_t *bad, struct gc_error *err)
{
  int status = take_entries(walk, path, 1, err);

  if (bad)
    *bad += walk->bad;
  if (status)
    return status;
  if (!walk->gpus)
    return gc_fail(err, -ENODATA, "%s: no *.xml file in this directory describes a GPU", path);
  return 0;
}

int gc_sources_add_directory(struct gc_sources *sources, const char *path, size_t *bad,
                             struct gc_error *err)
{
  struct walk walk = {.sources = sources};

  return walk_directory(&walk, path, bad, err);
}

int gc_sources_visit_directory(const char *path, gc_sources_visitor *visit, void *data, size_t *bad,
                               struct gc_error *err)
{
  struct gc_sources one = {NULL, 0};
  struct walk walk = {.sources = &one, .visit = visit, .data = data};
  int status = walk_directory(&walk, path, bad, err);

  gc_sources_free(&one);
  return status;
}

/* GPUs of this machine: the one with this name, or all if there is no word. An unknown word adds
 * none; its message is printed already. */
static int add_gpus(const struct gc_tool *tool, const struct gc_targets *targets, const char *word,
                    struct gc_sources *sources)
{
  struct gc_gpu *gpu = word ? gc_gpus_by_name(&targets->gpus, word) : NULL;
  struct gc_targets named = *targets;
  struct gc_result *results;
  int status;

  if (word) {
    named.chosen = &gpu;
    named.count = gpu != NULL;
  }
  if (!named.count)
    return GC_EXIT_DONE;
  results = gc_obtain(tool, &named);
  if (!results)
    return GC_EXIT_FAILED;
  status = gc_results_status(tool, results, named.count, false);
  for (size_t i = 0; i < named.count; i++) {
    struct gc_record *record = results[i].record;

    if (!record)
      continue;
    results[i].record = NULL;
    if (append(sources, strdup(results[i].gpu->name), results[i].gpu->name, record))
      status = gc_no_memory();
  }
  gc_results_free(results, named.count);
  return status;
}

static int add_path(const char *path, struct gc_sources *sources)
{
  struct gc_error err = {""};
  size_t bad = 0;
  int status = is_directory(path) ? gc_sources_add_directory(sources, path, &bad, &err)
                                  : gc_sources_add_file(sources, path, &err);

  if (status)
    gc_say(NULL, "%s", err.text);
  return status || bad ? GC_EXIT_FAILED : GC_EXIT_DONE;
}

int gc_sources_of_words(const struct gc_tool *tool, struct gc_sources *sources)
{
  struct gc_tool gpus = *tool; /* the words that are no paths */
  struct gc_targets targets = {.count = 0};
  int worst = GC_EXIT_DONE;

  memset(sources, 0, sizeof *sources);
  gpus.words = calloc(tool->count + 1, sizeof *gpus.words);
  gpus.count = 0;
  gpus.xml = false; /* not the XML of one GPU */
  if (!gpus.words)
    return gc_no_memory();
  for (size_t i = 0; i < tool->count; i++)
    if (!gc_targets_is_path(tool->words[i]))
      gpus.words[gpus.count++] = tool->words[i];
  if (gpus.count || !tool->count)
    worst = gc_targets_find_known(&gpus, &targets);
  if (!tool->count && worst == GC_EXIT_DONE)
    worst = add_gpus(&gpus, &targets, NULL, sources);
  for (size_t i = 0; i < tool->count; i++) {
    const char *word = tool->words[i];

    worst = gc_worse(worst, gc_targets_is_path(word) ? add_path(word, sources)
                                                     : add_gpus(&gpus, &targets, word, sources));
  }
  gc_targets_free(&targets);
  free(gpus.words);
  return worst;
}
