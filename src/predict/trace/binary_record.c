/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Turns a record of version 2 into an instruction, with the help of the machine code.
 */
#include "predict/trace/binary_record.h"

#include <stdarg.h>
#include <stdio.h>

#define PIECE 16 /* bytes of a bulk copy */
#define MOST_PIECES 65536
#define MOST_LOG2_ROW 4

enum operation { LOAD, STORE, ATOMIC, BARRIER, LOCAL_LOAD, LOCAL_STORE, ASYNC, BULK };

/* The parts of the first word of a record. */
static uint32_t pc_of(const struct gc_binary_record *record)
{
  const uint32_t place = record->what & 0x3fffff;

  return place == 0x3fffff ? GC_TRACE_ELSEWHERE : place * 8;
}

static enum operation operation_of(const struct gc_binary_record *record)
{
  return (enum operation)(record->what >> 22 & 7);
}

static unsigned size_of(const struct gc_binary_record *record)
{
  return record->what >> 25 & 7;
}

int gc_binary_bad(const struct gc_trace *trace, const struct gc_binary *binary,
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

/* NULL, or what is wrong with the fields of an access or barrier. */
static const char *check_fields(const struct gc_binary *binary)
{
  const struct gc_binary_record *record = &binary->record;
  const enum operation operation = operation_of(record);
  const unsigned form = GC_BINARY_FORM(record->what), size = size_of(record);

  if (record->what & UINT32_C(1) << 30)
    return "bit 30 is not 0";
  if (!record->mask)
    return "no thread takes part";
  if (operation == BULK) {
    if (size > ATOMIC || form != GC_BINARY_CONSECUTIVE)
      return "a bulk copy is a load, a store or an atomic of form 0";
    return record->mask > MOST_PIECES ? "a bulk copy has more than 65536 pieces" : NULL;
  }
  if (record->mask &
      ~gc_trace_warp_mask(binary->launch->threads_per_block, GC_BINARY_LANES, binary->issue.warp))
    return "the mask has threads that are not in the block";
  if (operation == BARRIER)
    return size || form != GC_BINARY_CONSECUTIVE || record->address
               ? "a barrier has neither bytes nor a form nor an address"
               : NULL;
  if (size > 4)
    return "the bytes of each thread are none of 1, 2, 4, 8 and 16";
  if (form == GC_BINARY_ROWS && (record->mask != UINT32_MAX || !(record->more[0] & 7) ||
                                 (record->more[0] & 7) > MOST_LOG2_ROW))
    return "rows need a whole warp, and 2, 4, 8 or 16 threads each";
  return form == GC_BINARY_EACH && record->address
             ? "the address before a list of addresses is not 0"
             : NULL;
}

/* The address of a thread, if there is no list of them. */
static uint64_t address_of(const struct gc_binary_record *record, unsigned lane, unsigned bytes)
{
  const uint64_t strides = record->more[0];
  const unsigned log2 = record->more[0] & 7;

  switch (GC_BINARY_FORM(record->what)) {
  case GC_BINARY_STRIDE:
    return record->address + lane * record->more[0];
  case GC_BINARY_ROWS: /* bits 0 to 2, 3 to 23, and 24 to 63, with sign */
    return record->address +
           (lane & ((1u << log2) - 1)) * (uint64_t)((int64_t)(strides << 40) >> 43) +
           (lane >> log2) * (uint64_t)((int64_t)strides >> 24);
  default:
    return record->address + (uint64_t)lane * bytes;
  }
}

/* Fills the addresses of the instruction. */
static int place(const struct gc_trace *trace, struct gc_binary *binary, bool local,
                 struct gc_error *err)
{
  const struct gc_binary_record *record = &binary->record;
  struct gc_trace_instruction *instruction = &binary->instruction;
  const unsigned form = GC_BINARY_FORM(record->what), bytes = instruction->bytes;
  const uint64_t *next = record->more;

  if (local && binary->launch->blocks > GC_TRACE_LOCAL_WARPS / binary->warps)
    return gc_binary_bad(trace, binary, err, "the grid is too large for local memory");
  for (uint32_t left = record->mask; left; left &= left - 1) {
    const unsigned lane = (unsigned)__builtin_ctz(left);
    const uint64_t address = form == GC_BINARY_EACH ? *next++ : address_of(record, lane, bytes);

    if (local ? address >= GC_TRACE_LOCAL_BYTES : !gc_trace_is_global(address, bytes))
      return gc_binary_bad(trace, binary, err, "the address 0x%llx is beyond the %s",
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
               : gc_binary_bad(
                     trace, binary, err,
                     "the address 0x%llx with %u pieces is beyond the 57 bits of an address",
                     (unsigned long long)record->address, (unsigned)record->mask);
  }
  instruction->operation = operations[operation];
  instruction->bytes = operation == BARRIER ? 0 : 1u << size_of(record);
  return operation == BARRIER
             ? 0
             : place(trace, binary, operation == LOCAL_LOAD || operation == LOCAL_STORE, err);
}

int gc_binary_go_to(struct gc_trace *trace, struct gc_binary *binary, uint32_t to,
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

/* Finds what the code says about the instruction. If there is no path to it, it waits for all
 * loads; but if threads execute it that have just executed it, the record is a further part of it.
 * A load that is not in the code is under way like a bulk copy: no register shows who needs it. */
static int use_code(struct gc_trace *trace, struct gc_binary *binary, struct gc_error *err)
{
  struct gc_trace_instruction *instruction = &binary->instruction;
  const uint32_t to = gc_code_find(&binary->code, instruction->pc);
  const struct gc_code_instruction *code =
      to == GC_CODE_UNKNOWN ? NULL : &binary->code.instructions[to];
  const uint32_t threads = operation_of(&binary->record) == BULK ? 1 : binary->record.mask;
  const uint32_t before = instruction->pc == binary->pc ? binary->threads : 0;
  const struct gc_uses unknown = {.bulk = instruction->operation == GC_TRACE_LOAD ||
                                          instruction->operation == GC_TRACE_ATOMIC};
  int status;

  if (code && instruction->hint == GC_TRACE_CACHED)
    instruction->hint = code->opcode.hint;
  binary->pc = instruction->pc;
  binary->threads = threads;
  if (binary->parts && before == threads) {
    binary->parts--;
    return 0;
  }
  status = gc_binary_go_to(trace, binary, to, err);
  if (status < 0)
    return status;
  binary->at = to;
  binary->parts = 0;
  if (!status && code && before & threads)
    return 0;
  if (!status)
    binary->issue.waits |= gc_pending_wait_for_all(&binary->issue.pending);
  gc_issue_uses(&binary->issue, code ? &code->uses : &unknown, true);
  if (code && instruction->bytes && code->opcode.bytes > instruction->bytes)
    binary->parts = code->opcode.bytes / instruction->bytes - 1;
  return 0;
}

/* One thread makes the copy, but each thread that the warp has takes a piece: that is faster. */
static int issue_bulk(struct gc_binary *binary)
{
  struct gc_trace_instruction *instruction = &binary->instruction;
  const unsigned threads = (unsigned)__builtin_popcountll(gc_trace_warp_mask(
      binary->launch->threads_per_block, GC_BINARY_LANES, binary->issue.warp));
  uint64_t address = binary->record.address;
  int status = 0;

  for (uint32_t left = binary->record.mask; left && !status;) {
    const unsigned lanes = left < threads ? left : threads;

    for (unsigned lane = 0; lane < lanes; lane++, address += PIECE)
      instruction->addresses[lane] = address;
    instruction->mask = (UINT64_C(1) << lanes) - 1;
    status = gc_issue_instruction(&binary->issue, instruction);
    left -= lanes;
  }
  return status;
}

int gc_binary_take(struct gc_trace *trace, struct gc_binary *binary, struct gc_error *err)
{
  const char *why = check_fields(binary);
  int status;

  if (why)
    return gc_binary_bad(trace, binary, err, "%s", why);
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
