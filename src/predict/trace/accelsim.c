/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The blocks of a .traceg file. The tracer writes all blocks of the grid, and every warp that
 * executed an instruction, in the order of their numbers; so a truncated file is noticed even
 * between two blocks.
 */
#include "predict/trace/accelsim.h"

#include "predict/trace/scan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool matches(const char *line)
{
  return *line == '-';
}

static int open_accelsim(struct gc_trace *trace, struct gc_error *err)
{
  trace->own = calloc(1, sizeof(struct gc_accelsim));
  return trace->own ? 0 : gc_stream_fail(trace->stream, err, -ENOMEM, "out of memory");
}

/* After the last block of a kernel a file has the header of another one, or ends. */
static int next_kernel(struct gc_trace *trace, struct gc_trace_launch *launch, struct gc_error *err)
{
  struct gc_accelsim *reader = trace->own;
  const char *line;
  int status = gc_stream_line(trace->stream, &line, err);

  if (status <= 0)
    return status;
  gc_stream_unread(trace->stream);
  reader->blocks = 0;
  status = gc_accelsim_read_header(trace->stream, &reader->header, launch, err);
  return status ? status : 1;
}

/* The next line, which must be there. */
static int need_line(struct gc_trace *trace, const char **line, struct gc_error *err)
{
  const int status = gc_stream_line(trace->stream, line, err);

  if (status)
    return status;
  return gc_stream_bad(trace->stream, err, "the file ends in a block: it is truncated");
}

/* "key = N" */
static bool read_value(const char *line, const char *key, uint64_t *value)
{
  if (!scan_text(&line, key) || !scan_gap(&line) || !scan_text(&line, "=") || !scan_gap(&line))
    return false;
  return scan_decimal(&line, value) && !*line;
}

/* "thread block = x,y,z" */
static int read_block_number(struct gc_trace *trace, struct gc_error *err)
{
  struct gc_accelsim *reader = trace->own;
  const uint64_t *grid = reader->header.grid;
  uint64_t at[3];
  const char *line, *text;
  int status = need_line(trace, &line, err);

  if (status < 0)
    return status;
  text = line;
  if (!scan_text(&text, "thread block = ") || !scan_digits(&text, &at[0]) ||
      !scan_text(&text, ",") || !scan_digits(&text, &at[1]) || !scan_text(&text, ",") ||
      !scan_decimal(&text, &at[2]) || *text)
    return gc_stream_bad(trace->stream, err, "\"%.40s\" must be \"thread block = x,y,z\"", line);
  if (at[0] >= grid[0] || at[1] >= grid[1] || at[2] >= grid[2])
    return gc_stream_bad(
        trace->stream, err, "the block %.40s is not in the grid of the header, (%u,%u,%u)",
        line + strlen("thread block = "), (unsigned)grid[0], (unsigned)grid[1], (unsigned)grid[2]);
  reader->block = (at[2] * grid[1] + at[1]) * grid[0] + at[0];
  return 0;
}

static int read_instructions(struct gc_trace *trace, uint64_t count, struct gc_error *err)
{
  struct gc_accelsim *reader = trace->own;
  const uint64_t mask = gc_trace_warp_mask(reader->header.threads, GC_ACCELSIM_LANES, reader->warp);
  struct gc_accelsim_line fields;
  const char *line, *why;
  int status = 0;

  gc_accelsim_begin_warp(reader);
  for (uint64_t i = 0; i < count && !status; i++) {
    status = need_line(trace, &line, err);
    if (status < 0)
      return status;
    if (*line == '#' || *line == 'w' || *line == 'i' || *line == 't' || *line == '-')
      return gc_stream_bad(trace->stream, err, "the warp has %llu instructions, not %llu",
                           (unsigned long long)i, (unsigned long long)count);
    why = gc_accelsim_read_line(&reader->header, line, &fields);
    if (why)
      return gc_stream_bad(trace->stream, err, "%s", why);
    if (fields.mask & ~mask)
      return gc_stream_bad(trace->stream, err,
                           "the mask %08x has threads that are not in the block",
                           (unsigned)fields.mask);
    status = gc_accelsim_take(trace, &fields, err);
  }
  return status ? status : gc_accelsim_end_warp(trace, err);
}

/* "warp = N", which is the current line, "insts = N", and the instructions. */
static int read_warp(struct gc_trace *trace, const char *line, uint64_t least, struct gc_error *err)
{
  struct gc_accelsim *reader = trace->own;
  uint64_t warp, count;
  int status;

  if (!read_value(line, "warp", &warp))
    return gc_stream_bad(trace->stream, err, "\"%.40s\" must be \"warp = N\" or \"#END_TB\"", line);
  if (warp >= reader->header.warps)
    return gc_stream_bad(trace->stream, err, "there is no warp %llu in a block of %u threads",
                         (unsigned long long)warp, reader->header.threads);
  if (warp < least)
    return gc_stream_bad(trace->stream, err,
                         "warp %llu comes after a warp with this or a higher number",
                         (unsigned long long)warp);
  reader->warp = (unsigned)warp;
  status = need_line(trace, &line, err);
  if (status < 0)
    return status;
  if (!read_value(line, "insts", &count))
    return gc_stream_bad(trace->stream, err, "\"%.40s\" must be \"insts = N\"", line);
  return read_instructions(trace, count, err);
}

/* "cluster id = x,y,z", "cluster cta = x,y,z" or "cluster rank = N", which version 6 has before the
 * first warp. Which blocks are in a cluster does not matter here. */
static bool is_cluster_line(const char *line)
{
  return scan_text(&line, "cluster ") && strstr(line, " = ");
}

static int read_warps(struct gc_trace *trace, struct gc_error *err)
{
  struct gc_accelsim *reader = trace->own;
  uint64_t least = 0;
  const char *line;
  int status;

  for (;;) {
    status = need_line(trace, &line, err);
    if (status < 0)
      return status;
    if (!least && is_cluster_line(line))
      continue;
    if (scan_text(&line, "#END_TB") && scan_gap(&line) && !*line)
      return 1;
    status = read_warp(trace, line, least, err);
    if (status)
      return status;
    least = (uint64_t)reader->warp + 1;
  }
}

/* The kernel ends before another header, or with the file. */
static int end_kernel(struct gc_trace *trace, struct gc_error *err)
{
  const struct gc_accelsim *reader = trace->own;

  if (reader->blocks == reader->header.blocks)
    return 0;
  return gc_stream_bad(
      trace->stream, err, "the kernel ends after %llu of %llu blocks: the file is truncated",
      (unsigned long long)reader->blocks, (unsigned long long)reader->header.blocks);
}

static int next_block(struct gc_trace *trace, gc_trace_visitor *visit, void *data, uint64_t *number,
                      struct gc_error *err)
{
  struct gc_accelsim *reader = trace->own;
  const uint64_t before = reader->block;
  const char *line;
  int status = gc_stream_line(trace->stream, &line, err);

  if (status < 0)
    return status;
  if (!status || *line == '-') {
    if (status)
      gc_stream_unread(trace->stream);
    return end_kernel(trace, err);
  }
  if (!scan_text(&line, "#BEGIN_TB") || !scan_gap(&line) || *line)
    return gc_stream_bad(trace->stream, err, "\"%.40s\" must be \"#BEGIN_TB\"", line);
  if (reader->blocks == reader->header.blocks)
    return gc_stream_bad(trace->stream, err,
                         "the kernel has more blocks than the grid of its header");
  status = read_block_number(trace, err);
  if (status)
    return status;
  if (reader->blocks++ && reader->block <= before)
    return gc_stream_bad(trace->stream, err,
                         "this block comes after a block with this or a higher number");
  reader->issue.visit = visit;
  reader->issue.data = data;
  *number = reader->block;
  return read_warps(trace, err);
}

static bool begins_kernel(const char *line)
{
  static const char begin[] = "-kernel name";

  return !strncmp(line, begin, sizeof begin - 1);
}

static int skip_kernel(struct gc_trace *trace)
{
  return gc_trace_find_line(trace, begins_kernel);
}

const struct gc_trace_format gc_trace_accelsim = {
    .name = "a .traceg file of Accel-Sim",
    .matches = matches,
    .open = open_accelsim,
    .close = free,
    .next_kernel = next_kernel,
    .next_block = next_block,
    .skip_kernel = skip_kernel,
};
