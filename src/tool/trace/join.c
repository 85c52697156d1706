/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/trace/join.h"

#include "predict/demangle.h"
#include "tool/print/messages.h"
#include "tool/trace/module.h"
#include "util/number.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#define SUFFIX ".part"
#define MOST_MODULES 1000000

const char gc_joined_can_launch[] =
    "kernels of the program can launch others (dynamic parallelism), which are not recorded";

struct part {
  FILE *file;
  char path[PATH_MAX]; /* without ".part" */
  char *line;          /* the last one, without newline */
  size_t room;
  struct gc_module **modules; /* by number; NULL: not read yet */
  uint64_t module_count;
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
  long here = ftell(part->file);

  for (; next_line(part); here = ftell(part->file)) {
    const uint64_t bytes = number_of(part, "accesses");

    if (!strcmp(part->line, "complete"))
      return true;
    if (value_of(part, "kernel")) {
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

    if (fread(buffer, 1, size, from) != size)
      return -EIO;
    errno = 0;
    if (fwrite(buffer, 1, size, to) != size)
      return errno ? -errno : -EIO;
    bytes -= size;
  }
  return 0;
}

/* The machine code with this number. NULL: there is none. */
static struct gc_module *find_module(struct part *part, const char *nvdisasm, uint64_t number)
{
  char path[PATH_MAX + 32];

  if (!number || number > MOST_MODULES)
    return NULL;
  if (number >= part->module_count) {
    struct gc_module **more = realloc(part->modules, (number + 1) * sizeof *more);

    if (!more)
      return NULL;
    memset(more + part->module_count, 0, (number + 1 - part->module_count) * sizeof *more);
    part->modules = more;
    part->module_count = number + 1;
  }
  if (!part->modules[number]) {
    snprintf(path, sizeof path, "%s-%llu.cubin", part->path, (unsigned long long)number);
    part->modules[number] = gc_module_read(path, nvdisasm);
  }
  return part->modules[number];
}

/* Writes the machine code of a kernel. Negative: there is none; why has the reason, as before if it
 * was not saved (module 0). */
static int write_code(struct part *part, const char *nvdisasm, uint64_t module, const char *kernel,
                      FILE *trace, struct gc_joined *joined, struct gc_error *why)
{
  struct gc_module *const code = find_module(part, nvdisasm, module);

  if (!code)
    return module ? gc_fail(why, -EIO, "its file cannot be read") : -ENODATA;
  joined->can_launch |= gc_module_can_launch(code);
  return gc_module_write(code, kernel, trace, why);
}

static void note_without_code(struct gc_joined *joined, const struct gc_error *why)
{
  size_t i = 0;

  while (i < GC_JOINED_REASONS - 2 && joined->without_code[i].kernels &&
         strcmp(joined->without_code[i].why.text, why->text) != 0)
    i++;
  if (joined->without_code[i].kernels++ && strcmp(joined->without_code[i].why.text, why->text) != 0)
    gc_fail(&joined->without_code[i].why, 0, "several other reasons");
  else
    joined->without_code[i].why = *why;
}

/* Copies the launch that begins here; the file is behind its first line. */
static int copy_launch(struct part *part, const char *kernel, const char *nvdisasm, FILE *trace,
                       struct gc_joined *joined)
{
  struct gc_error why = {""}; /* there is no machine code */
  uint64_t module = 0, blocks = 0, stands = 1;
  bool in_header = true;
  char name[64];

  fprintf(trace, "kernel %s\n", kernel);
  if (joined->processes > 1)
    fprintf(trace, "process %" PRIu64 "\n", joined->processes);
  while (next_line(part) && strcmp(part->line, "complete")) {
    const uint64_t bytes = number_of(part, "accesses");

    if (value_of(part, "module")) {
      module = number_of(part, "module");
      gc_fail(&why, 0, "%s", value_of(part, "module"));
      continue;
    }
    if (value_of(part, "launches")) {
      stands = number_of(part, "launches");
      if (stands > 1)
        fprintf(trace, "launches %" PRIu64 "\n", stands);
      continue;
    }
    if (value_of(part, "microseconds")) {
      if (joined->verbose) {
        gc_demangle(kernel, name, sizeof name);
        gc_say(NULL, "%s: %.3f ms", name, (double)number_of(part, "microseconds") / 1e3);
      }
      continue;
    }
    if (value_of(part, "blocks"))
      blocks = number_of(part, "blocks");
    joined->sampled += number_of(part, "launched-blocks") > blocks;
    if (bytes && in_header) {
      if (write_code(part, nvdisasm, module, kernel, trace, joined, &why))
        note_without_code(joined, &why);
      in_header = false;
    }
    fprintf(trace, "%s\n", part->line);
    if (bytes) {
      const int status = copy(part->file, trace, bytes);

      if (status)
        return status;
    }
  }
  if (in_header) /* no records: the code says whether there are tensor copies */
    write_code(part, nvdisasm, module, kernel, trace, joined, &why);
  joined->kernels++;
  joined->launches += stands;
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

static void free_part(struct part *part)
{
  for (uint64_t i = 0; i < part->module_count; i++)
    gc_module_free(part->modules[i]);
  free(part->modules);
  free(part->line);
  if (part->file)
    fclose(part->file);
}

/* A line that does not belong to a launch. */
static void note_line(const struct part *part, struct gc_joined *joined, bool *ended)
{
  const char *const because = value_of(part, "because"), *const failed = value_of(part, "failed");

  joined->in_graphs += number_of(part, "in-graphs");
  joined->left_out += number_of(part, "left-out");
  if (because && !*joined->why.text)
    gc_fail(&joined->why, 0, "%s", because);
  if (failed && !joined->failed++)
    gc_fail(&joined->why_failed, 0, "%s", failed);
  *ended |= failed || !strcmp(part->line, "ended");
}

/* Marks in each module the kernels that will be written. The file is at its begin again. */
static int name_kernels(struct part *part, const char *nvdisasm)
{
  char *kernel = NULL;

  while (next_line(part)) {
    struct gc_module *const module = find_module(part, nvdisasm, number_of(part, "module"));
    const uint64_t bytes = number_of(part, "accesses");

    if (value_of(part, "kernel")) {
      free(kernel);
      kernel = strdup(value_of(part, "kernel"));
      if (!kernel)
        return -ENOMEM;
    }
    if (module && kernel)
      gc_module_need(module, kernel);
    if (bytes)
      fseek(part->file, (long)bytes, SEEK_CUR);
  }
  free(kernel);
  rewind(part->file);
  return 0;
}

/* Whether the process that writes it still runs. */
static bool is_locked(const struct part *part)
{
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

  return !fcntl(fileno(part->file), F_GETLK, &lock) && lock.l_type != F_UNLCK;
}

static int join_part(struct part *part, const char *nvdisasm, FILE *trace, struct gc_joined *joined)
{
  const bool locked = is_locked(part); /* before its end is read */
  bool ended = false;
  int status = name_kernels(part, nvdisasm);

  joined->processes++;
  while (!status && next_line(part))
    if (value_of(part, "kernel"))
      status = join_launch(part, nvdisasm, trace, joined);
    else
      note_line(part, joined, &ended);
  *(locked ? &joined->running : &joined->early) += !ended;
  return status;
}

static int join_file(const char *directory, const char *name, const char *nvdisasm, FILE *trace,
                     struct gc_joined *joined)
{
  struct part part = {.file = NULL};
  char path[PATH_MAX];
  int status = -ENAMETOOLONG;

  if (snprintf(path, sizeof path, "%s/%s", directory, name) < (int)sizeof path) {
    snprintf(part.path, sizeof part.path, "%.*s", (int)(strlen(path) - strlen(SUFFIX)), path);
    part.file = fopen(path, "re");
    status = part.file ? join_part(&part, nvdisasm, trace, joined) : -errno;
  }
  free_part(&part);
  return status;
}

static int is_part(const struct dirent *entry)
{
  const size_t length = strlen(entry->d_name);

  return length > strlen(SUFFIX) && !strcmp(entry->d_name + length - strlen(SUFFIX), SUFFIX);
}

/* The launches that the trace lacks. */
static void write_left_out(const struct gc_joined *joined, FILE *trace)
{
  if (joined->left_out)
    fprintf(trace, "left-out %" PRIu64 " %s\n", joined->left_out, joined->why.text);
  if (joined->in_graphs)
    fprintf(trace, "left-out %" PRIu64 " the driver does not announce launches of CUDA graphs\n",
            joined->in_graphs);
  if (joined->failed)
    fprintf(trace, "left-out ? %" PRIu64 " process%s could not be recorded: %s\n", joined->failed,
            joined->failed == 1 ? "" : "es", joined->why_failed.text);
  if (joined->early)
    fprintf(trace, "left-out ? %" PRIu64 " process%s ended early\n", joined->early,
            joined->early == 1 ? "" : "es");
  if (joined->running)
    fprintf(trace, "left-out ? %" PRIu64 " process%s still ran when the program had ended\n",
            joined->running, joined->running == 1 ? "" : "es");
  if (joined->can_launch)
    fprintf(trace, "left-out ? %s\n", gc_joined_can_launch);
}

int gc_trace_join(const char *directory, const char *nvdisasm, FILE *trace,
                  struct gc_joined *joined, struct gc_error *err)
{
  struct dirent **parts = NULL;
  const int count = scandir(directory, &parts, is_part, versionsort);
  int status = count < 0 ? -errno : 0;

  *joined = (struct gc_joined){.verbose = joined->verbose};
  fputs("hwloc-gpucache-trace 2\n", trace);
  for (int i = 0; i < count; i++) {
    if (!status)
      status = join_file(directory, parts[i]->d_name, nvdisasm, trace, joined);
    free(parts[i]);
  }
  free(parts);
  write_left_out(joined, trace);
  fputs("end\n", trace);
  return status ? gc_fail(err, status, "cannot put the trace together: %s", strerror(-status)) : 0;
}
