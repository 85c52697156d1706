/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict/trace/binary.h"

#include "predict/trace/scan.h"
#include "predict/trace/tsv.h"

#include <endian.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#define MOST_CHUNK (UINT64_C(1) << 20)
#define BASE_BYTES 16 /* of a record, before the optional part */
#define PIECE 16      /* bytes of a bulk copy */
#define MOST_PIECES 65536
#define BEGINS_WARP (UINT32_C(1) << 31)

enum operation { LOAD, STORE, ATOMIC, BARRIER, LOCAL_LOAD, LOCAL_STORE, ASYNC, BULK };
enum form { IN_A_ROW, STRIDE, LIST };

/* The parts of the first word of a record. */
static uint32_t pc_of(const struct gc_binary_record *record)
{
  return (record->what & 0x3fffff) * 8;
}

static enum operation operation_of(const struct gc_binary_record *record)
{
  return (enum operation)(record->what >> 22 & 7);
}

static unsigned size_of(const struct gc_binary_record *record)
{
  return record->what >> 25 & 7;
}

static unsigned form_of(const struct gc_binary_record *record)
{
  return record->what >> 28 & 3;
}

/* Writes the sentence "FILE:LINE: the record at byte N: …"; the line is that of the chunk. */
__attribute__((format(printf, 4, 5))) static int bad(const struct gc_trace *trace,
                                                     const struct gc_binary *binary,
                                                     struct gc_error *err, const char *format, ...)
{
  char reason[160];
  va_list values;

  va_start(values, format);
  vsnprintf(reason, sizeof(reason), format, values);
  va_end(values);
  return gc_stream_bad(trace->stream, err, "the record at byte %llu: %s",
                       (unsigned long long)binary->start, reason);
}

/* "code TEXT", any number of them. */
static int read_code(struct gc_trace *trace, struct gc_code *code, struct gc_error *err)
{
  const char *line, *why = "";
  int status;

  for (;;) {
    status = gc_tsv_need_line(trace, &line, err);
    if (status < 0)
      return status;
    if (!scan_text(&line, "code "))
      break;
    scan_blanks(&line);
    status = gc_code_read_line(code, line, &why);
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
    return bad(trace, binary, err, "the accesses end in it");
  status = gc_stream_bytes(trace->stream, size, bytes, err);
  if (!status)
    binary->left -= size;
  return status;
}

/* The number of 64-bit words that follow the first 16 bytes. */
static unsigned more_words(const struct gc_binary_record *record)
{
  return form_of(record) == STRIDE ? 1
         : form_of(record) == LIST ? (unsigned)__builtin_popcount(record->mask)
                                   : 0;
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
    return bad(trace, binary, err, "the first one of a kernel must begin a warp");
  if (record->what != BEGINS_WARP)
    return bad(trace, binary, err, "it begins a warp and has other bits");
  if (block >= binary->launch->blocks)
    return bad(trace, binary, err, "there is no block %llu in a grid of %llu", block,
               (unsigned long long)binary->launch->blocks);
  if (!binary->first && block < binary->block)
    return bad(trace, binary, err, "block %llu comes after a block with a higher number", block);
  if (warp >= binary->warps)
    return bad(trace, binary, err, "there is no warp %u in a block of %u threads", warp,
               binary->launch->threads_per_block);
  if (!binary->first && block == binary->block && warp <= binary->issue.warp)
    return bad(trace, binary, err, "warp %u comes after a warp with this or a higher number", warp);
  return 0;
}

/* Bits of the threads that the current warp has. */
static uint32_t whole_mask(const struct gc_binary *binary)
{
  const unsigned threads = binary->launch->threads_per_block - binary->issue.warp * GC_BINARY_LANES;

  return threads >= GC_BINARY_LANES ? UINT32_MAX : (UINT32_C(1) << threads) - 1;
}

/* NULL, or what is wrong with the fields of an access or barrier. */
static const char *check_fields(const struct gc_binary *binary)
{
  const struct gc_binary_record *record = &binary->record;
  const enum operation operation = operation_of(record);
  const unsigned form = form_of(record), size = size_of(record);

  if (record->what & UINT32_C(1) << 30)
    return "bit 30 is not 0";
  if (form > LIST)
    return "the form is none of 0, 1 and 2";
  if (!record->mask)
    return "no thread takes part";
  if (operation == BULK) {
    if (size > ATOMIC || form != IN_A_ROW)
      return "a bulk copy is a load, a store or an atomic of form 0";
    return record->mask > MOST_PIECES ? "a bulk copy has more than 65536 pieces" : NULL;
  }
  if (record->mask & ~whole_mask(binary))
    return "the mask has threads that are not in the block";
  if (operation == BARRIER)
    return size || form != IN_A_ROW || record->address
               ? "a barrier has neither bytes nor a form nor an address"
               : NULL;
  if (size > 4)
    return "the bytes of each thread are none of 1, 2, 4, 8 and 16";
  return form == LIST && record->address ? "the address before a list of addresses is not 0" : NULL;
}

/* Fills the addresses of the instruction. */
static int place(const struct gc_trace *trace, struct gc_binary *binary, bool local,
                 struct gc_error *err)
{
  const struct gc_binary_record *record = &binary->record;
  struct gc_trace_instruction *instruction = &binary->instruction;
  const unsigned form = form_of(record), bytes = instruction->bytes;
  const uint64_t stride = form == STRIDE ? record->more[0] : bytes;
  const uint64_t *next = record->more;

  if (local && binary->launch->blocks > GC_TRACE_LOCAL_WARPS / binary->warps)
    return bad(trace, binary, err, "the grid is too large for local memory");
  for (uint32_t left = record->mask; left; left &= left - 1) {
    const unsigned lane = (unsigned)__builtin_ctz(left);
    const uint64_t address = form == LIST ? *next++ : record->address + lane * stride;

    if (local ? address >= GC_TRACE_LOCAL_BYTES : !gc_trace_is_global(address, bytes))
      return bad(trace, binary, err, "the address 0x%llx is beyond the %s",
                 (unsigned long long)address,
                 local ? "16 MiB of local memory" : "57 bits of an address");
    instruction->addresses[lane] =
        local ? gc_trace_local_address(binary->block * binary->warps + binary->issue.warp, address,
                                       lane, bytes)
              : address;
  }
  return 0;
}

/* Fills the instruction. Bulk copies have no addresses yet. */
static int fill_instruction(const struct gc_trace *trace, struct gc_binary *binary,
                            struct gc_error *err)
{
  static const enum gc_trace_operation operations[] = {
      GC_TRACE_LOAD, GC_TRACE_STORE, GC_TRACE_ATOMIC, GC_TRACE_BARRIER,
      GC_TRACE_LOAD, GC_TRACE_STORE, GC_TRACE_LOAD};
  const struct gc_binary_record *record = &binary->record;
  struct gc_trace_instruction *instruction = &binary->instruction;
  const enum operation operation = operation_of(record);

  instruction->pc = pc_of(record);
  instruction->mask = record->mask;
  instruction->hint = GC_TRACE_CACHED;
  instruction->count = 1;
  if (operation == BULK) {
    instruction->operation = operations[size_of(record)];
    instruction->hint = GC_TRACE_NO_L1;
    instruction->bytes = PIECE;
    return gc_trace_is_global(record->address, PIECE * record->mask)
               ? 0
               : bad(trace, binary, err,
                     "the address 0x%llx with %u pieces is beyond the 57 bits of an address",
                     (unsigned long long)record->address, (unsigned)record->mask);
  }
  instruction->operation = operations[operation];
  instruction->bytes = operation == BARRIER ? 0 : 1u << size_of(record);
  return operation == BARRIER
             ? 0
             : place(trace, binary, operation == LOCAL_LOAD || operation == LOCAL_STORE, err);
}

/* Issues what the warp executed since the last record, up to an instruction of the code or the
 * exit. 1: it came there; 0: the code has no way; or a negative errno. */
static int go_to(struct gc_trace *trace, struct gc_binary *binary, uint32_t to,
                 struct gc_error *err)
{
  const struct gc_code_path *path;
  int status = gc_code_find_path(&binary->code, binary->at, to, &path);

  if (status < 0)
    return gc_stream_fail(trace->stream, err, status, "out of memory");
  if (!status)
    return 0;
  status = gc_code_issue_path(&binary->code, path, &binary->issue);
  return status ? status : 1;
}

/* Finds what the code says about the instruction. If there is no way to it, it waits for all loads;
 * but if threads execute it that have just executed it, the record is a further part of it. */
static int use_code(struct gc_trace *trace, struct gc_binary *binary, struct gc_error *err)
{
  struct gc_trace_instruction *instruction = &binary->instruction;
  const uint32_t to = gc_code_find(&binary->code, instruction->pc);
  const struct gc_code_instruction *code =
      to == GC_CODE_UNKNOWN ? NULL : &binary->code.instructions[to];
  const uint32_t threads = operation_of(&binary->record) == BULK ? 1 : binary->record.mask;
  const uint32_t before = instruction->pc == binary->pc ? binary->threads : 0;
  int status;

  if (code && instruction->hint == GC_TRACE_CACHED)
    instruction->hint = code->opcode.hint;
  binary->pc = instruction->pc;
  binary->threads = threads;
  if (binary->parts && before == threads) {
    binary->parts--;
    return 0;
  }
  status = go_to(trace, binary, to, err);
  if (status < 0)
    return status;
  binary->at = to;
  binary->parts = 0;
  if (!status && before & threads)
    return 0;
  if (!status)
    binary->issue.waits |= gc_pending_wait_for_all(&binary->issue.pending);
  if (!code)
    return 0;
  gc_issue_uses(&binary->issue, &code->uses, true);
  if (instruction->bytes && code->opcode.bytes > instruction->bytes)
    binary->parts = code->opcode.bytes / instruction->bytes - 1;
  return 0;
}

static int issue_bulk(struct gc_binary *binary)
{
  struct gc_trace_instruction *instruction = &binary->instruction;
  uint64_t address = binary->record.address;
  int status = 0;

  for (uint32_t left = binary->record.mask; left && !status;) {
    const unsigned lanes = left < GC_BINARY_LANES ? left : GC_BINARY_LANES;

    for (unsigned lane = 0; lane < lanes; lane++, address += PIECE)
      instruction->addresses[lane] = address;
    instruction->mask = (UINT64_C(1) << lanes) - 1;
    status = gc_issue_instruction(&binary->issue, instruction);
    left -= lanes;
  }
  return status;
}

/* Takes an access or a barrier. */
static int take(struct gc_trace *trace, struct gc_binary *binary, struct gc_error *err)
{
  const char *why = check_fields(binary);
  int status;

  if (why)
    return bad(trace, binary, err, "%s", why);
  status = fill_instruction(trace, binary, err);
  if (status || !binary->issue.visit)
    return status;
  if (binary->code.count)
    status = use_code(trace, binary, err);
  if (status)
    return status;
  return operation_of(&binary->record) == BULK
             ? issue_bulk(binary)
             : gc_issue_instruction(&binary->issue, &binary->instruction);
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
    status = go_to(trace, binary, GC_CODE_EXIT, err);
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
      status = take(trace, binary, err);
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
