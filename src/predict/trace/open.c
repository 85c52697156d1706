/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict/trace/trace.h"

#include "predict/trace/format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct gc_trace_format *const formats[] = {&gc_trace_tsv, &gc_trace_accelsim,
                                                        &gc_trace_list, &gc_trace_paper};

/* No format begins with this line: perhaps no text at all. */
static int fail_unknown(struct gc_trace *trace, const char *line, struct gc_error *err)
{
  char begin[41];

  if (!strncmp(line, "\xef\xbb\xbf", 3))
    return gc_stream_bad(trace->stream, err,
                         "the file begins with a byte order mark, which must be removed");
  gc_trace_copy_text(begin, sizeof(begin), line, strlen(line));
  for (char *at = begin; *at; at++)
    if (*at & 0x80)
      *at = '?';
  return gc_stream_bad(
      trace->stream, err,
      "\"%s\" does not begin a trace of a known format. The first line is "
      "\"hwloc-gpucache-trace 1\" or 2, \"blocksize: x y z\", \"-kernel name = ...\", or, of a "
      "list, \"kernel-1.traceg\" or \"Memcpy...\"",
      begin);
}

static int open_format(struct gc_trace *trace, struct gc_error *err)
{
  const char *line;
  int status = gc_stream_line(trace->stream, &line, err);

  if (status < 0)
    return status;
  if (!status)
    return gc_stream_bad(trace->stream, err, "there are only blank lines");
  for (size_t i = 0; !trace->format && i < sizeof(formats) / sizeof(*formats); i++)
    if (formats[i]->matches(line))
      trace->format = formats[i];
  if (!trace->format)
    return fail_unknown(trace, line, err);
  gc_stream_unread(trace->stream);
  return trace->format->open(trace, err);
}

int gc_trace_open(const char *path, struct gc_trace **result, struct gc_error *err)
{
  struct gc_trace *trace = calloc(1, sizeof(*trace));
  int status;

  if (!trace)
    return gc_fail(err, -ENOMEM, "out of memory");
  status = gc_stream_open(path, &trace->stream, err);
  if (!status)
    status = open_format(trace, err);
  if (status) {
    gc_trace_close(trace);
    return status;
  }
  *result = trace;
  return 0;
}

void gc_trace_close(struct gc_trace *trace)
{
  if (!trace)
    return;
  if (trace->format)
    trace->format->close(trace->own);
  gc_stream_close(trace->stream);
  free(trace);
}

static int refuse(const struct gc_trace *trace, struct gc_error *err)
{
  return gc_fail(err, trace->failed, "the trace cannot be read further after an error");
}

int gc_trace_next_kernel(struct gc_trace *trace, struct gc_trace_launch *launch,
                         struct gc_error *err)
{
  int status;

  if (trace->failed)
    return refuse(trace, err);
  while (trace->in_kernel) {
    status = gc_trace_next_block(trace, NULL, NULL, NULL, err);
    if (status < 0)
      return status;
  }
  memset(launch, 0, sizeof(*launch));
  status = trace->format->next_kernel(trace, launch, err);
  if (status < 0)
    trace->failed = status;
  if (status == 1) {
    launch->number = ++trace->kernels;
    trace->in_kernel = true;
  }
  return status;
}

int gc_trace_next_block(struct gc_trace *trace, gc_trace_visitor *visit, void *data,
                        uint64_t *number, struct gc_error *err)
{
  uint64_t block = 0;
  int status;

  if (trace->failed)
    return refuse(trace, err);
  if (!trace->in_kernel)
    return 0;
  status = trace->format->next_block(trace, visit, data, &block, err);
  if (status < 0)
    trace->failed = status;
  if (status <= 0)
    trace->in_kernel = false;
  if (status == 1 && number)
    *number = block;
  return status;
}

int gc_trace_find_line(struct gc_trace *trace, bool (*is_wanted)(const char *line))
{
  struct gc_error unused;
  const char *line;
  int status;

  while ((status = gc_stream_line(trace->stream, &line, &unused)) == 1)
    if (is_wanted(line)) {
      gc_stream_unread(trace->stream);
      return 1;
    }
  return status;
}

int gc_trace_skip_kernel(struct gc_trace *trace)
{
  const int status = trace->format->skip_kernel(trace);

  trace->in_kernel = false;
  trace->failed = status < 0 ? status : 0;
  return status;
}

const char *gc_trace_source(const struct gc_trace *trace, uint32_t pc, unsigned *line)
{
  return trace->format->source ? trace->format->source(trace->own, pc, line) : NULL;
}

bool gc_trace_has_ended(const struct gc_trace *trace)
{
  return trace->ended;
}

void gc_trace_get_ignored(const struct gc_trace *trace, struct gc_trace_ignored *ignored)
{
  *ignored = trace->ignored;
}
