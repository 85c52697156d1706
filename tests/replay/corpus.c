/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/replay/corpus.h"

#include <errno.h>
#include <glob.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_TAIL "-Size.txt"
#define LINE_TAIL "-Line-Size.txt"

/* The elements that have such files, and the keys of their answers in results.json, under
 * "memory". */
static const struct {
  const char *element, *outer, *inner, *size;
} answers[] = {
  {"Constant-L1", "constant", "l1", "size"},
  {"Constant-L1.5", "constant", "l1.5", "size"},
  {"L1", "l1", NULL, "size"},
  {"L2", "l2", NULL, "size"},
  {"L2-Segment", "l2", NULL, "segmentSize"},
  {"Read-Only", "readOnly", NULL, "size"},
  {"Scalar-L1", "scalarL1", NULL, "size"},
  {"Texture", "texture", NULL, "size"},
};

const char *corpus_folder(char *path, size_t size)
{
  const char *other = getenv("MT4G_TRACES"), *top = getenv("top_builddir");

  if (other)
    snprintf(path, size, "%s", other);
  else
    snprintf(path, size, "%s/tests/unpacked/mt4g", top ? top : ".");
  return path;
}

/* Sets MT4G's answer, which stays 0 if it has none. */
static int peer(const json_t *results, bool line, struct corpus_file *file)
{
  for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++)
    if (!strcmp(file->element, answers[i].element)) {
      const json_t *at = json_object_get(json_object_get(results, "memory"), answers[i].outer);

      if (answers[i].inner)
        at = json_object_get(at, answers[i].inner);
      at = json_object_get(at, line ? "lineSize" : answers[i].size);
      file->peer_bytes = (uint64_t)json_integer_value(json_object_get(at, "size"));
      file->peer_confidence = json_number_value(json_object_get(at, "confidence"));
      return 0;
    }
  return -ENOENT;
}

/* Describes path, which is FOLDER/GPU/ELEMENT-Size.txt or FOLDER/GPU/ELEMENT-Line-Size.txt. */
static int describe(const char *path, bool line, struct corpus_file *file, char *problem, size_t size)
{
  const char *tail = line ? LINE_TAIL : SIZE_TAIL;
  const char *name = strrchr(path, '/') + 1, *gpu = name - 1;
  char results[sizeof(file->path) + 16];
  json_error_t error;
  json_t *json;
  int status;

  while (gpu > path && gpu[-1] != '/')
    gpu--;
  *file = (struct corpus_file){0};
  snprintf(file->path, sizeof(file->path), "%s", path);
  snprintf(file->gpu, sizeof(file->gpu), "%.*s", (int)(name - 1 - gpu), gpu);
  snprintf(file->element, sizeof(file->element), "%.*s", (int)(strlen(name) - strlen(tail)),
           name);
  snprintf(results, sizeof(results), "%.*s/results.json", (int)(name - 1 - path), path);
  if (!(json = json_load_file(results, 0, &error))) {
    snprintf(problem, size, "%s: %s", results, error.text);
    return -EINVAL;
  }
  if ((status = peer(json, line, file)))
    snprintf(problem, size, "%s: unknown element", path);
  json_decref(json);
  return status;
}

int corpus_open(const char *folder, struct corpus *corpus, char *problem, size_t size)
{
  char pattern[512];
  int status = 0;
  glob_t found;

  *corpus = (struct corpus){0};
  snprintf(pattern, sizeof(pattern), "%s/*/*" SIZE_TAIL, folder);
  if (glob(pattern, 0, NULL, &found)) {
    snprintf(problem, size,
             "no size files in %s, where make check unpacks tests/data/mt4g/traces.tar.xz with xz",
             folder);
    return -ENOENT;
  }
  corpus->files = calloc(found.gl_pathc, sizeof(*corpus->files));
  corpus->lines = calloc(found.gl_pathc, sizeof(*corpus->lines));
  if (!corpus->files || !corpus->lines) {
    snprintf(problem, size, "out of memory");
    status = -ENOMEM;
  }
  for (size_t i = 0; i < found.gl_pathc && !status; i++) {
    const char *path = found.gl_pathv[i];
    const bool line = strstr(path, LINE_TAIL);

    status = describe(path, line,
                      line ? &corpus->lines[corpus->line_count++] : &corpus->files[corpus->n++],
                      problem, size);
  }
  globfree(&found);
  if (status)
    corpus_free(corpus);
  return status;
}

void corpus_free(struct corpus *corpus)
{
  free(corpus->files);
  free(corpus->lines);
  *corpus = (struct corpus){0};
}
