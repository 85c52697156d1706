/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A kernelslist.g of Accel-Sim: the names of .traceg files in the folder of the list, one for each
 * kernel in the order of their launches, and copies from the host. Such a file may have been
 * compressed or decompressed since: if the name is not there, it is looked for with or without the
 * suffix.
 */
#include "predict/trace/format.h"

#include "predict/trace/scan.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct list {
  struct gc_trace *kernel; /* the open file, or NULL */
  char folder[];           /* of the list, with its final '/'; or "" */
};

static bool matches(const char *line)
{
  return !strncmp(line, "kernel", 6) || !strncmp(line, "Memcpy", 6);
}

static int open_list(struct gc_trace *trace, struct gc_error *err)
{
  const char *path = gc_stream_path(trace->stream), *slash = strrchr(path, '/');
  const size_t length = slash ? (size_t)(slash - path) + 1 : 0;
  struct list *list = calloc(1, sizeof(*list) + length + 1);

  if (!list)
    return gc_stream_fail(trace->stream, err, -ENOMEM, "out of memory");
  memcpy(list->folder, path, length);
  trace->own = list;
  return 0;
}

static void close_list(void *own)
{
  struct list *list = own;

  if (list)
    gc_trace_close(list->kernel);
  free(list);
}

/* The path of the file with this name, or of one whose suffix differs. False: there is none. */
static bool find_file(const char *folder, const char *name, char *path, size_t size)
{
  static const char *const suffixes[] = {"", ".xz", ".gz", ".zst"};
  const char *dot = strrchr(name, '.');
  int stem = (int)strlen(name);

  for (size_t i = 1; dot && i < sizeof(suffixes) / sizeof(*suffixes); i++)
    if (!strcmp(dot, suffixes[i]))
      stem = (int)(dot - name);
  if ((size_t)snprintf(path, size, "%s%s", folder, name) < size && !access(path, F_OK))
    return true;
  for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++)
    if ((size_t)snprintf(path, size, "%s%.*s%s", folder, stem, name, suffixes[i]) < size &&
        !access(path, F_OK))
      return true;
  return false;
}

static int open_kernel(struct gc_trace *trace, const char *name, struct gc_error *err)
{
  struct list *list = trace->own;
  char path[PATH_MAX];
  int status;

  /* A list that somebody else wrote must not name other files of the user. */
  if (strchr(name, '/') || strlen(name) > NAME_MAX)
    return gc_stream_bad(trace->stream, err, "\"%.60s\" is not the name of a file beside the list",
                         name);
  if (!find_file(list->folder, name, path, sizeof(path)))
    return gc_stream_fail(trace->stream, err, -ENOENT,
                          "the file %.100s is not there, and neither is one with .xz, .gz or .zst",
                          name);
  status = gc_trace_open(path, &list->kernel, err);
  if (!status && list->kernel->format != &gc_trace_accelsim)
    return gc_stream_bad(trace->stream, err, "%.100s is not a .traceg file", name);
  return status;
}

/* "MemcpyHtoD,address,bytes": what it copies goes through L2, but when? "MemcpyDtoH,..." is not
 * counted: it only reads. */
static int take_copy(struct gc_trace *trace, const char *line, struct gc_error *err)
{
  const char *at = line;
  const bool to_gpu = scan_text(&at, "MemcpyHtoD,");
  uint64_t address, bytes;

  if ((!to_gpu && !scan_text(&at, "MemcpyDtoH,")) || !scan_hex_digits(&at, &address) ||
      !scan_text(&at, ",") || !scan_decimal(&at, &bytes) || *at)
    return gc_stream_bad(trace->stream, err, "\"%.60s\" must be \"MemcpyHtoD,address,bytes\"",
                         line);
  trace->ignored.copies += to_gpu;
  return 0;
}

/* Opens the file of the next kernel. 1, 0: the list has ended, or a negative errno. */
static int next_file(struct gc_trace *trace, struct gc_error *err)
{
  const char *line;
  int status;

  while ((status = gc_stream_line(trace->stream, &line, err)) == 1) {
    if (!strncmp(line, "kernel", 6))
      status = open_kernel(trace, line, err);
    else if (!strncmp(line, "Memcpy", 6)) {
      status = take_copy(trace, line, err);
      if (!status)
        continue;
    } else
      status = gc_stream_bad(trace->stream, err, "\"%.60s\" is neither a kernel nor a copy", line);
    return status ? status : 1;
  }
  return status;
}

/* A file has one kernel, or several. */
static int next_kernel(struct gc_trace *trace, struct gc_trace_launch *launch, struct gc_error *err)
{
  struct list *list = trace->own;
  int status;

  for (;;) {
    if (!list->kernel) {
      status = next_file(trace, err);
      if (status <= 0)
        return status;
    }
    status = gc_trace_next_kernel(list->kernel, launch, err);
    if (status)
      return status;
    gc_trace_close(list->kernel);
    list->kernel = NULL;
  }
}

static int next_block(struct gc_trace *trace, gc_trace_visitor *visit, void *data, uint64_t *number,
                      struct gc_error *err)
{
  struct list *list = trace->own;
  const int status = gc_trace_next_block(list->kernel, visit, data, number, err);

  trace->ignored.textures += list->kernel->ignored.textures;
  list->kernel->ignored.textures = 0;
  return status;
}

/* The next kernel of the file, or the next line of the list. */
static int skip_kernel(struct gc_trace *trace)
{
  struct list *list = trace->own;

  if (list->kernel && gc_trace_skip_kernel(list->kernel) <= 0) {
    gc_trace_close(list->kernel);
    list->kernel = NULL;
  }
  return 1;
}

const struct gc_trace_format gc_trace_list = {
    .name = "a kernelslist.g of Accel-Sim",
    .matches = matches,
    .open = open_list,
    .close = close_list,
    .next_kernel = next_kernel,
    .next_block = next_block,
    .skip_kernel = skip_kernel,
};
