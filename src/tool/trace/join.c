/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/trace/join.h"

#include "tool/print/messages.h"
#include "tool/trace/module.h"
#include "util/number.h"

#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

struct part {
  FILE *file;
  const char *path;
  char *line; /* the last one, without newline */
  size_t room;
  struct gc_module *module;
  uint64_t module_number; /* 0: none */
};

static bool next_line(struct part *part)
{
  const ssize_t length = getline(&part->line, &part->room, part->file);

  /* A line without newline was not written to its end. */
  if (length <= 0 || part->line[length - 1] != '\n')
    return false;
  part->line[length - 1] = '\0';
  return true;
}

/* The text after the word, if the line begins with it and a blank. */
static const char *value_of(const struct part *part, const char *word)
{
  const size_t length = strlen(word);

  return !strncmp(part->line, word, length) && part->line[length] == ' ' ? part->line + length + 1
                                                                         : NULL;
}

static uint64_t number_of(const struct part *part, const char *word)
{
  const char *const text = value_of(part, word);
  uint64_t number;

  return text && gc_number_whole(text, &number) ? number : 0;
}

/* Whether the launch whose first line was read is complete; the file is then behind it. If not, the
 * file is behind the last line of it. */
static bool is_complete(struct part *part)
{
  static const char *const ends[] = {"kernel", "left-out", "in-graphs", "launches"};
  long here = ftell(part->file);

  for (; next_line(part); here = ftell(part->file)) {
    const uint64_t bytes = number_of(part, "accesses");

    if (!strcmp(part->line, "complete"))
      return true;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
      if (value_of(part, ends[i])) {
        fseek(part->file, here, SEEK_SET);
        return false;
      }
    if (bytes)
      fseek(part->file, (long)bytes, SEEK_CUR);
  }
  return false;
}

static int copy(FILE *from, FILE *to, uint64_t bytes)
{
  char buffer[1 << 16];

  while (bytes) {
    const size_t size = bytes < sizeof buffer ? (size_t)bytes : sizeof buffer;

    if (fread(buffer, 1, size, from) != size || fwrite(buffer, 1, size, to) != size)
      return -EIO;
    bytes -= size;
  }
  return 0;
}

/* Neighboring launches often have one module. */
static void load_module(struct part *part, const char *nvdisasm, uint64_t number)
{
  char path[4096];
  struct gc_error err;

  if (number == part->module_number)
    return;
  gc_module_free(part->module);
  part->module = NULL;
  part->module_number = number;
  if (number && snprintf(path, sizeof path, "%.*s-%llu.cubin",
                         (int)(strlen(part->path) - strlen(".part")), part->path,
                         (unsigned long long)number) < (int)sizeof path)
    gc_module_read(path, nvdisasm, &part->module, &err);
}

/* Copies the launch that begins here; the file is behind its first line. */
static int copy_launch(struct part *part, const char *kernel, const char *nvdisasm, FILE *trace,
                       struct gc_joined *joined)
{
  uint64_t module = 0, blocks = 0;
  bool in_header = true;

  fprintf(trace, "kernel %s\n", kernel);
  while (next_line(part) && strcmp(part->line, "complete")) {
    const uint64_t bytes = number_of(part, "accesses");

    if (value_of(part, "module")) {
      module = number_of(part, "module");
      continue;
    }
    if (value_of(part, "microseconds")) {
      if (joined->verbose)
        gc_say(NULL, "%.60s: %.3f ms", kernel, (double)number_of(part, "microseconds") / 1e3);
      continue;
    }
    if (value_of(part, "blocks"))
      blocks = number_of(part, "blocks");
    joined->partial += number_of(part, "launched-blocks") > blocks;
    if (bytes && in_header) {
      load_module(part, nvdisasm, module);
      joined->without_code += !part->module || !gc_module_write(part->module, kernel, trace);
      in_header = false;
    }
    fprintf(trace, "%s\n", part->line);
    if (bytes && copy(part->file, trace, bytes))
      return -EIO;
  }
  joined->kernels++;
  return 0;
}

static int join_launch(struct part *part, const char *nvdisasm, FILE *trace,
                       struct gc_joined *joined)
{
  const long begin = ftell(part->file);
  char *kernel = strdup(value_of(part, "kernel"));
  int status = kernel ? 0 : -ENOMEM;

  if (kernel && is_complete(part)) {
    fseek(part->file, begin, SEEK_SET);
    status = copy_launch(part, kernel, nvdisasm, trace, joined);
  }
  free(kernel);
  return status;
}

static int join_part(const char *path, const char *nvdisasm, FILE *trace, struct gc_joined *joined)
{
  struct part part = {.path = path, .file = fopen(path, "re")};
  bool ended = false;
  int status = 0;

  if (!part.file)
    return -errno;
  joined->processes++;
  while (!status && next_line(&part)) {
    const char *why = value_of(&part, "failed");

    if (value_of(&part, "kernel")) {
      status = join_launch(&part, nvdisasm, trace, joined);
      continue;
    }
    joined->in_graphs += number_of(&part, "in-graphs");
    joined->left_out += number_of(&part, "left-out");
    if (value_of(&part, "launches")) {
      joined->launches += number_of(&part, "launches");
      ended = true;
    }
    if (!why)
      why = value_of(&part, "because");
    if (why && !*joined->why.text)
      gc_fail(&joined->why, 0, "%s", why);
  }
  joined->ended &= ended;
  gc_module_free(part.module);
  free(part.line);
  fclose(part.file);
  return status;
}

int gc_trace_join(const char *directory, const char *nvdisasm, FILE *trace,
                  struct gc_joined *joined, struct gc_error *err)
{
  char pattern[4096];
  glob_t parts;
  int status = 0;

  *joined = (struct gc_joined){.ended = true, .verbose = joined->verbose};
  snprintf(pattern, sizeof pattern, "%s/*.part", directory);
  fputs("hwloc-gpucache-trace 2\n", trace);
  if (!glob(pattern, 0, NULL, &parts)) {
    for (size_t i = 0; i < parts.gl_pathc && !status; i++)
      status = join_part(parts.gl_pathv[i], nvdisasm, trace, joined);
    globfree(&parts);
  }
  fputs("end\n", trace);
  return status ? gc_fail(err, status, "cannot put the trace together: %s", strerror(-status)) : 0;
}
