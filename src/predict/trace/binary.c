/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The code, the chunks and the blocks of a kernel in version 2.
 */
#include "predict/trace/binary.h"

#include "predict/trace/scan.h"
#include "predict/trace/tsv_header.h"

#include <endian.h>
#include <errno.h>

#define MOST_CHUNK (UINT64_C(1) << 20)
#define BASE_BYTES 16 /* of a record, before the optional part */
#define BEGINS_WARP (UINT32_C(1) << 31)

/* "code TEXT" and "source LINE FILE", any number of them. */
static int read_code(struct gc_trace *trace, struct gc_code *code, struct gc_error *err)
{
  const char *line, *why = "";
  bool source;
  int status;

  for (;;) {
    status = gc_tsv_need_line(trace, &line, err);
    if (status < 0)
      return status;
    source = scan_text(&line, "source ");
    if (!source && !scan_text(&line, "code "))
      break;
    scan_blanks(&line);
    status = source ? gc_code_read_source(code, line, &why) : gc_code_read_line(code, line, &why);
    if (status == -EBADMSG)
      return gc_stream_bad(trace->stream, err, "%s", why);
    if (status)
      return gc_stream_fail(trace->stream, err, status, "out of memory");
  }
  gc_stream_unread(trace->stream);
  status = gc_code_finish(code);
  return status ? gc_stream_fail(trace->stream, err, status, "out of memory") : 0;
}

int gc_binary_begin_kernel(struct gc_trace *trace, struct gc_binary *binary,
                           struct gc_trace_launch *launch, struct gc_error *err)
{
  int status;

  gc_code_clear(&binary->code);
  *binary = (struct gc_binary){.launch = launch, .first = true};
  binary->warps = (launch->threads_per_block + GC_BINARY_LANES - 1) / GC_BINARY_LANES;
  if (launch->warp_threads != GC_BINARY_LANES)
    return gc_stream_bad(trace->stream, err,
                         "the header of the kernel above has warps of %u threads; in version 2 "
                         "they have 32",
                         launch->warp_threads);
  status = read_code(trace, &binary->code, err);
  launch->registers = binary->code.count;
  for (uint32_t i = 0; i < binary->code.count; i++) {
    const struct gc_code_instruction *instruction = &binary->code.instructions[i];

    launch->tensor_copies += instruction->tensor;
    launch->texture_accesses += instruction->opcode.space == GC_OPCODE_TEXTURE;
  }
  return status;
}

/* "accesses BYTES". What can be skipped is noted even if it is wrong. */
static int begin_chunk(struct gc_trace *trace, struct gc_binary *binary, const char *line,
                       struct gc_error *err)
{
  const char *at = line;
  uint64_t size;

  if (!scan_text(&at, "accesses ") || !scan_decimal(&at, &size) || *at)
    return gc_stream_bad(trace->stream, err,
                         "\"%.40s\" must be \"accesses BYTES\", \"kernel NAME\" or \"end\"", line);
  binary->size = binary->left = size;
  if (size % 8 || size > MOST_CHUNK)
    return gc_stream_bad(trace->stream, err, "accesses have a multiple of 8 bytes, at most 1 MiB");
  return 0;
}

/* Takes the next bytes of the chunk. */
static int take_bytes(struct gc_trace *trace, struct gc_binary *binary, size_t size,
                      const uint8_t **bytes, struct gc_error *err)
{
  int status;

  if (binary->left < size)
    return gc_binary_bad(trace, binary, err, "the accesses end in it");
  status = gc_stream_bytes(trace->stream, size, bytes, err);
  if (!status)
    binary->left -= size;
  return status;
}

/* The number of 64-bit words that follow the first 16 bytes. */
static unsigned more_words(const struct gc_binary_record *record)
{
  switch (GC_BINARY_FORM(record->what)) {
  case GC_BINARY_CONSECUTIVE:
    return 0;
  case GC_BINARY_EACH:
    return (unsigned)__builtin_popcount(record->mask);
  default:
    return 1;
  }
}

/* Reads the next record. 1, 0: the kernel has ended, or a negative errno. */
static int read_record(struct gc_trace *trace, struct gc_binary *binary, struct gc_error *err)
{
  struct gc_binary_record *record = &binary->record;
  const uint8_t *bytes;
  const char *line;
  unsigned words;
  int status;

  while (!binary->left) {
    status = gc_tsv_need_line(trace, &line, err);
    if (status < 0)
      return status;
    if (gc_tsv_ends_kernel(line)) {
      gc_stream_unread(trace->stream);
      return 0;
    }
    status = begin_chunk(trace, binary, line, err);
    if (status)
      return status;
  }
  binary->start = binary->size - binary->left;
  status = take_bytes(trace, binary, BASE_BYTES, &bytes, err);
  if (status)
    return status;
  memcpy(record, bytes, BASE_BYTES);
  record->what = le32toh(record->what);
  record->mask = le32toh(record->mask);
  record->address = le64toh(record->address);
  words = more_words(record);
  if (!words)
    return 1;
  status = take_bytes(trace, binary, 8 * words, &bytes, err);
  if (status)
    return status;
  memcpy(record->more, bytes, 8 * words);
  for (unsigned i = 0; i < words; i++)
    record->more[i] = le64toh(record->more[i]);
  return 1;
}

/* Whether the record begins a warp that may follow. */
static int check_begin(const struct gc_trace *trace, const struct gc_binary *binary,
                       struct gc_error *err)
{
  const struct gc_binary_record *record = &binary->record;
  const unsigned long long block = record->address;
  const unsigned warp = record->mask;

  if (!(record->what & BEGINS_WARP))
    return gc_binary_bad(trace, binary, err, "the first one of a kernel must begin a warp");
  if (record->what != BEGINS_WARP)
    return gc_binary_bad(trace, binary, err, "it begins a warp and has other bits");
  if (block >= binary->launch->blocks)
    return gc_binary_bad(trace, binary, err, "there is no block %llu in a grid of %llu", block,
                         (unsigned long long)binary->launch->blocks);
  if (!binary->first && block < binary->block)
    return gc_binary_bad(trace, binary, err, "block %llu comes after a block with a higher number",
                         block);
  if (warp >= binary->warps)
    return gc_binary_bad(trace, binary, err, "there is no warp %u in a block of %u threads", warp,
                         binary->launch->threads_per_block);
  if (!binary->first && block == binary->block && warp <= binary->issue.warp)
    return gc_binary_bad(trace, binary, err,
                         "warp %u comes after a warp with this or a higher number", warp);
  return 0;
}

static void begin_warp(struct gc_binary *binary)
{
  binary->block = binary->record.address;
  binary->first = false;
  gc_issue_begin_warp(&binary->issue, binary->record.mask);
  binary->at = GC_CODE_ENTRY;
  binary->parts = binary->threads = 0;
}

static int end_warp(struct gc_trace *trace, struct gc_binary *binary, struct gc_error *err)
{
  int status = 0;

  if (binary->code.count && binary->issue.visit)
    status = gc_binary_go_to(trace, binary, GC_CODE_EXIT, err);
  return status < 0 ? status : gc_issue_end_warp(&binary->issue);
}

int gc_binary_next_block(struct gc_trace *trace, struct gc_binary *binary, gc_trace_visitor *visit,
                         void *data, uint64_t *number, struct gc_error *err)
{
  int status = binary->ahead ? 1 : read_record(trace, binary, err);

  if (status <= 0)
    return status;
  if (!binary->ahead)
    status = check_begin(trace, binary, err);
  if (status < 0)
    return status;
  binary->ahead = false;
  binary->issue.visit = visit;
  binary->issue.data = data;
  begin_warp(binary);
  *number = binary->block;
  for (;;) {
    status = read_record(trace, binary, err);
    if (status <= 0)
      break;
    if (!(binary->record.what & BEGINS_WARP)) {
      status = gc_binary_take(trace, binary, err);
    } else {
      status = check_begin(trace, binary, err);
      binary->ahead = !status && binary->record.address != binary->block;
      if (binary->ahead)
        break;
      if (!status)
        status = end_warp(trace, binary, err);
      if (!status)
        begin_warp(binary);
    }
    if (status)
      break;
  }
  if (!status)
    status = end_warp(trace, binary, err);
  return status ? status : 1;
}

int gc_binary_skip_kernel(struct gc_trace *trace, struct gc_binary *binary)
{
  struct gc_error unused;
  const uint8_t *bytes;
  const char *line;
  int status;

  for (;;) {
    while (binary->left) {
      status =
          take_bytes(trace, binary, binary->left < 4096 ? binary->left : 4096, &bytes, &unused);
      if (status)
        return status;
    }
    status = gc_stream_line(trace->stream, &line, &unused);
    if (status != 1)
      return status;
    if (gc_tsv_ends_kernel(line)) {
      gc_stream_unread(trace->stream);
      return 1;
    }
    if (!strncmp(line, "accesses ", 9))
      begin_chunk(trace, binary, line, &unused);
  }
}
