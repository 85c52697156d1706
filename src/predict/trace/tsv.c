/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The kernels of our formats, and the blocks of the one that is text. The last line of a file is
 * "end", so that a truncated file is noticed. Blocks without instructions may be missing.
 */
#include "predict/trace/tsv.h"

#include "predict/trace/binary.h"
#include "predict/trace/issue.h"
#include "predict/trace/scan.h"
#include "predict/trace/tsv_header.h"

#include <errno.h>
#include <stdlib.h>

#define MOST_LEFT_OUT (UINT64_C(1) << 40)

enum { TEXT = 1, BINARY = 2 }; /* versions */

struct tsv {
  unsigned version;
  struct gc_binary binary; /* of this version */
  struct gc_trace_launch launch;
  unsigned warps; /* of a block */
  bool first;     /* no block of the kernel was read */
  uint64_t block; /* the last one */
  struct gc_tsv_line line;
  struct gc_issue issue;
};

static bool matches(const char *line)
{
  return !strncmp(line, GC_TSV_MAGIC, strlen(GC_TSV_MAGIC));
}

static int open_tsv(struct gc_trace *trace, struct gc_error *err)
{
  const char *line;
  uint64_t version;
  int status;

  trace->own = calloc(1, sizeof(struct tsv));
  if (!trace->own)
    return gc_stream_fail(trace->stream, err, -ENOMEM, "out of memory");
  status = gc_stream_line(trace->stream, &line, err);
  if (status < 0)
    return status;
  if (!scan_text(&line, GC_TSV_MAGIC) || !scan_gap(&line) || !scan_decimal(&line, &version) ||
      *line)
    return gc_stream_bad(trace->stream, err, "the first line must be \"" GC_TSV_MAGIC " 1\" or 2");
  if (version != TEXT && version != BINARY)
    return gc_stream_bad(trace->stream, err,
                         "this is version %llu of the format; this program reads 1 and 2",
                         (unsigned long long)version);
  ((struct tsv *)trace->own)->version = (unsigned)version;
  return 0;
}

static void close_tsv(void *own)
{
  struct tsv *tsv = own;

  if (tsv)
    gc_code_clear(&tsv->binary.code);
  free(tsv);
}

/* "left-out NUMBER WHY"; the number may be "?". */
static int read_left_out(struct gc_trace *trace, const char *text, struct gc_error *err)
{
  struct gc_trace_lacks lacks = {0};
  bool good = scan_gap(&text);

  lacks.more = scan_text(&text, "?");
  good = good && (lacks.more ? scan_gap(&text) : scan_decimal(&text, &lacks.launches)) && *text &&
         lacks.launches <= MOST_LEFT_OUT;
  if (!good)
    return gc_stream_bad(trace->stream, err, "\"left-out\" needs a number, or \"?\", and a reason");
  gc_fail(&lacks.why, 0, "%s", text);
  gc_trace_lacks_add(&trace->ignored.lacks, &lacks);
  return 0;
}

/* The line that begins a kernel or ends the file, behind those of launches that were left out. 1,
 * or a negative errno. */
static int begin_line(struct gc_trace *trace, const char **line, struct gc_error *err)
{
  int status;

  do {
    status = gc_tsv_need_line(trace, line, err);
    if (status < 0 || !scan_text(line, "left-out"))
      return status;
    status = read_left_out(trace, *line, err);
  } while (!status);
  return status;
}

/* Nothing may follow "end". */
static int end_file(struct gc_trace *trace, struct gc_error *err)
{
  const char *line;
  const int status = gc_stream_line(trace->stream, &line, err);

  trace->ended = true;
  return status == 1 ? gc_stream_bad(trace->stream, err, "there is text after the line \"end\"")
                     : status;
}

static int next_kernel(struct gc_trace *trace, struct gc_trace_launch *launch, struct gc_error *err)
{
  struct tsv *tsv = trace->own;
  const char *line;
  int status = begin_line(trace, &line, err);

  if (status < 0)
    return status;
  if (!strcmp(line, "end"))
    return end_file(trace, err);
  if (!scan_text(&line, "kernel") || !*line || !scan_gap(&line) || !*line)
    return gc_stream_bad(trace->stream, err,
                         "here must be \"kernel NAME\", \"left-out NUMBER WHY\" or \"end\"");
  memset(&tsv->launch, 0, sizeof(tsv->launch));
  gc_trace_copy_text(tsv->launch.name, sizeof(tsv->launch.name), line, strlen(line));
  status = gc_tsv_read_header(trace, tsv->version, &tsv->launch, err);
  if (status)
    return status;
  tsv->warps =
      (tsv->launch.threads_per_block + tsv->launch.warp_threads - 1) / tsv->launch.warp_threads;
  tsv->first = true;
  if (tsv->version == BINARY)
    status = gc_binary_begin_kernel(trace, &tsv->binary, &tsv->launch, err);
  if (status)
    return status;
  *launch = tsv->launch;
  return 1;
}

/* Checks the numbers of the line against the header, and that warps come one after the other. */
static int check(struct gc_trace *trace, uint64_t least_warp, struct gc_error *err)
{
  struct tsv *tsv = trace->own;
  struct gc_tsv_line *line = &tsv->line;
  uint64_t mask;

  if (line->warp >= tsv->warps)
    return gc_stream_bad(trace->stream, err, "there is no warp %llu in a block of %u threads",
                         (unsigned long long)line->warp, tsv->launch.threads_per_block);
  if (line->warp < least_warp)
    return gc_stream_bad(
        trace->stream, err,
        "warp %llu comes after a warp with a higher number; sort the instructions of the "
        "kernel with sort -s -n -k1,1 -k2,2",
        (unsigned long long)line->warp);
  mask = gc_trace_warp_mask(tsv->launch.threads_per_block, tsv->launch.warp_threads,
                            (unsigned)line->warp);
  if (line->instruction.operation == GC_TRACE_BARRIER)
    line->instruction.mask = mask;
  else if (line->instruction.mask & ~mask)
    return gc_stream_bad(trace->stream, err, "the mask has threads that are not in the block");
  return 0;
}

/* Hands over the current line, or lets it wait if it has no effect. */
static int hand_over(struct tsv *tsv)
{
  struct gc_trace_instruction *instruction = &tsv->line.instruction;

  return instruction->mask ? gc_issue_instruction(&tsv->issue, instruction)
                           : gc_issue_others(&tsv->issue, instruction->pc, instruction->count);
}

/* Ends the warp before this one, unless the line belongs to the same one. */
static int change_warp(struct tsv *tsv)
{
  const unsigned warp = (unsigned)tsv->line.warp;
  int status = 0;

  if (warp != tsv->issue.warp) {
    status = gc_issue_end_warp(&tsv->issue);
    gc_issue_begin_warp(&tsv->issue, warp);
  }
  return status;
}

/* Reads the next instruction line. 1, 0: the kernel has ended, or a negative errno. */
static int read_instruction(struct gc_trace *trace, struct gc_error *err)
{
  struct tsv *tsv = trace->own;
  const char *line, *why;
  int status = gc_tsv_need_line(trace, &line, err);

  if (status < 0)
    return status;
  if (gc_tsv_ends_kernel(line)) {
    gc_stream_unread(trace->stream);
    return 0;
  }
  why = gc_tsv_read_line(line, tsv->launch.warp_threads, &tsv->line);
  return why ? gc_stream_bad(trace->stream, err, "%s", why) : 1;
}

/* Whether the line begins a block that may follow. */
static int begin_block(struct gc_trace *trace, struct gc_error *err)
{
  struct tsv *tsv = trace->own;
  const uint64_t block = tsv->line.block;

  if (block >= tsv->launch.blocks)
    return gc_stream_bad(trace->stream, err, "there is no block %llu in a grid of %llu",
                         (unsigned long long)block, (unsigned long long)tsv->launch.blocks);
  if (!tsv->first && block <= tsv->block)
    return gc_stream_bad(
        trace->stream, err,
        "block %llu comes after a block with a higher number; sort the instructions of the "
        "kernel with sort -s -n -k1,1 -k2,2",
        (unsigned long long)block);
  tsv->first = false;
  tsv->block = block;
  return 0;
}

static int next_block(struct gc_trace *trace, gc_trace_visitor *visit, void *data, uint64_t *number,
                      struct gc_error *err)
{
  struct tsv *tsv = trace->own;
  int status;

  if (tsv->version == BINARY)
    return gc_binary_next_block(trace, &tsv->binary, visit, data, number, err);
  status = read_instruction(trace, err);
  if (status <= 0)
    return status;
  status = begin_block(trace, err);
  tsv->issue = (struct gc_issue){.visit = visit, .data = data};
  while (!status) {
    status = check(trace, tsv->issue.warp, err);
    if (!status)
      status = change_warp(tsv);
    if (!status)
      status = hand_over(tsv);
    if (!status)
      status = read_instruction(trace, err);
    if (status != 1)
      break;
    status = 0;
    if (tsv->line.block != tsv->block) {
      gc_stream_unread(trace->stream);
      break;
    }
  }
  *number = tsv->block;
  if (!status)
    status = gc_issue_end_warp(&tsv->issue);
  return status ? status : 1;
}

static int skip_kernel(struct gc_trace *trace)
{
  struct tsv *tsv = trace->own;
  const int status = tsv->version == BINARY ? gc_binary_skip_kernel(trace, &tsv->binary)
                                            : gc_trace_find_line(trace, gc_tsv_ends_kernel);

  return status ? status : -EBADMSG; /* there is no "end" */
}

static const char *source(const void *own, uint32_t pc, unsigned *line)
{
  return gc_code_find_source(&((const struct tsv *)own)->binary.code, pc, line);
}

const struct gc_trace_format gc_trace_tsv = {
    .name = "a trace in the format of hwloc-gpucache",
    .matches = matches,
    .open = open_tsv,
    .close = close_tsv,
    .next_kernel = next_kernel,
    .next_block = next_block,
    .skip_kernel = skip_kernel,
    .source = source,
};
