/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * From instruction lines to what trace.h promises. No access to global memory gets lost silently:
 * an instruction with addresses that is not known, or whose addresses are missing, is an error.
 */
#include "predict/trace/accelsim.h"

#include <errno.h>

void gc_accelsim_begin_warp(struct gc_accelsim *reader)
{
  gc_issue_begin_warp(&reader->issue, reader->warp);
  reader->shared_side = false;
}

static bool in_window(uint64_t address, uint64_t base)
{
  return base && address - base < GC_ACCELSIM_WINDOW; /* wraps below base */
}

/* Splits an access of more than 16 bytes per thread, which Blackwell has. */
static int hand_over_parts(struct gc_accelsim *reader, unsigned bytes)
{
  struct gc_trace_instruction *instruction = &reader->instruction;
  int status;

  instruction->bytes = bytes <= 16 ? bytes : 16;
  status = gc_issue_instruction(&reader->issue, &reader->instruction);
  for (; !status && bytes > 16; bytes -= 16) {
    for (uint64_t left = instruction->mask; left; left &= left - 1)
      instruction->addresses[__builtin_ctzll(left)] += 16;
    status = gc_issue_instruction(&reader->issue, &reader->instruction);
  }
  return status;
}

static int unsupported(struct gc_trace *trace, const struct gc_accelsim_line *line,
                       struct gc_error *err, const char *why)
{
  return gc_stream_fail(trace->stream, err, -EOPNOTSUPP, "%.*s %s",
                        line->opcode_length < 60 ? (int)line->opcode_length : 60, line->opcode,
                        why);
}

/* Fills the addresses of the instruction. Threads that access shared memory leave the mask. */
static int place(struct gc_trace *trace, const struct gc_accelsim_line *line,
                 enum gc_opcode_space space, unsigned bytes, struct gc_error *err)
{
  struct gc_accelsim *reader = trace->own;
  struct gc_trace_instruction *instruction = &reader->instruction;

  instruction->mask = line->mask;
  for (uint64_t left = line->mask; left; left &= left - 1) {
    const unsigned lane = (unsigned)__builtin_ctzll(left);
    const uint64_t address = line->addresses[lane];

    if (space == GC_OPCODE_GENERIC && in_window(address, reader->header.shared_base)) {
      instruction->mask &= ~(UINT64_C(1) << lane);
    } else if (space == GC_OPCODE_LOCAL ||
               (space == GC_OPCODE_GENERIC && in_window(address, reader->header.local_base))) {
      if (reader->header.blocks > GC_TRACE_LOCAL_WARPS / reader->header.warps)
        return unsupported(trace, line, err,
                           "accesses local memory, and the grid is too large for that");
      instruction->addresses[lane] = gc_trace_local_address(
          reader->block * reader->header.warps + reader->warp, address, lane, bytes);
    } else if (gc_trace_is_global(address, bytes))
      instruction->addresses[lane] = address;
    else
      return gc_stream_bad(trace->stream, err,
                           "the address 0x%llx with %u bytes is beyond the 57 bits of an address",
                           (unsigned long long)address, bytes);
  }
  return 0;
}

/* Whether this is the record of the shared address of an LDGSTS. */
static bool is_shared_side(const struct gc_accelsim *reader, const struct gc_accelsim_line *line)
{
  const uint64_t address = line->addresses[__builtin_ctz(line->mask)];

  return address < GC_ACCELSIM_WINDOW || in_window(address, reader->header.shared_base);
}

/* The tracer writes two records for an LDGSTS, first with the shared and then with the global
 * address; post-traces-processing removes the first one. Old tracers have only the first one. */
static int take_shared_side(struct gc_trace *trace, const struct gc_accelsim_line *line,
                            struct gc_error *err)
{
  struct gc_accelsim *reader = trace->own;

  if (reader->shared_side)
    return unsupported(trace, line, err, "has no global address; use tracer version 5");
  reader->shared_side = true;
  reader->shared_pc = line->pc;
  reader->shared_mask = line->mask;
  return 0;
}

static int take_memory(struct gc_trace *trace, const struct gc_accelsim_line *line,
                       const struct gc_opcode *opcode, struct gc_error *err)
{
  struct gc_accelsim *reader = trace->own;
  const unsigned bytes = opcode->bytes ? opcode->bytes : line->width;
  int status;

  if (!line->mask)
    return gc_issue_others(&reader->issue, line->pc, 1);
  if (!line->width)
    return unsupported(trace, line, err, "has no addresses");
  if (bytes > 32 || bytes & (bytes - 1))
    return gc_stream_bad(trace->stream, err, "an access of %u bytes per thread is not possible",
                         bytes);
  if (opcode->space == GC_OPCODE_ASYNC && is_shared_side(reader, line))
    return take_shared_side(trace, line, err);
  reader->shared_side = false;
  status = place(trace, line, opcode->space, bytes, err);
  if (status)
    return status;
  if (!reader->instruction.mask)
    return gc_issue_others(&reader->issue, line->pc, 1);
  reader->instruction.operation = opcode->operation;
  reader->instruction.hint = opcode->hint;
  reader->instruction.pc = line->pc;
  reader->instruction.count = 1;
  return hand_over_parts(reader, bytes);
}

static int take_barrier(struct gc_accelsim *reader, const struct gc_accelsim_line *line)
{
  reader->instruction.operation = GC_TRACE_BARRIER;
  reader->instruction.hint = GC_TRACE_CACHED;
  reader->instruction.pc = line->pc;
  reader->instruction.bytes = 0;
  reader->instruction.count = 1;
  reader->instruction.mask = line->mask;
  return gc_issue_instruction(&reader->issue, &reader->instruction);
}

#define PIECE UINT64_C(16)
#define MOST_WIDTH 1024 /* of an element */

struct bulk {
  struct gc_accelsim *reader;
  unsigned width;
  unsigned lanes;  /* of the instruction so far */
  uint64_t pieces; /* so far */
  uint64_t last;   /* piece */
  uint64_t beyond; /* the address that is none, if there is one */
};

static int hand_over(struct bulk *bulk)
{
  bulk->reader->instruction.mask = (UINT64_C(1) << bulk->lanes) - 1;
  bulk->lanes = 0;
  return gc_issue_instruction(&bulk->reader->issue, &bulk->reader->instruction);
}

static int take_address(uint64_t address, void *data)
{
  struct bulk *bulk = data;
  int status = 0;

  if (address > GC_TRACE_LOCAL - PIECE - bulk->width) {
    bulk->beyond = address;
    return -EBADMSG;
  }
  for (uint64_t piece = address / PIECE; piece <= (address + bulk->width - 1) / PIECE && !status;
       piece++) {
    if (bulk->pieces && piece == bulk->last)
      continue;
    bulk->last = piece;
    bulk->pieces++;
    bulk->reader->instruction.addresses[bulk->lanes++] = piece * PIECE;
    if (bulk->lanes == GC_ACCELSIM_LANES)
      status = hand_over(bulk);
  }
  return status;
}

/* The part of gc_accelsim_take for a bulk copy, whose addresses are in the line. */
static int take_bulk(struct gc_trace *trace, const struct gc_accelsim_line *line,
                     const struct gc_opcode *opcode, struct gc_error *err)
{
  struct gc_accelsim *reader = trace->own;
  struct bulk bulk = {.reader = reader, .width = line->width};
  const char *why;
  int status;

  reader->instruction.operation = opcode->operation;
  reader->instruction.hint = opcode->hint;
  reader->instruction.pc = line->pc;
  reader->instruction.bytes = PIECE;
  reader->instruction.count = 1;
  if (!bulk.width || bulk.width > MOST_WIDTH)
    bulk.width = PIECE;
  why = gc_accelsim_read_bulk(line, take_address, &bulk, &status);
  if (why)
    return gc_stream_bad(trace->stream, err, "%s", why);
  if (bulk.beyond)
    return gc_stream_bad(trace->stream, err,
                         "the address 0x%llx is beyond the 57 bits of an address",
                         (unsigned long long)bulk.beyond);
  if (!status && bulk.lanes)
    status = hand_over(&bulk);
  if (!status && !bulk.pieces)
    status = gc_issue_others(&reader->issue, line->pc, 1);
  return status;
}

int gc_accelsim_take(struct gc_trace *trace, const struct gc_accelsim_line *line,
                     struct gc_error *err)
{
  struct gc_accelsim *reader = trace->own;
  const struct gc_opcode *opcode =
      gc_opcode_recall(&reader->memo, line->pc, line->opcode, line->opcode_length);
  struct gc_uses uses;

  if (reader->shared_side && (opcode->space != GC_OPCODE_ASYNC || line->pc != reader->shared_pc ||
                              line->mask != reader->shared_mask))
    return gc_stream_fail(trace->stream, err, -EOPNOTSUPP,
                          "the LDGSTS before has no global address; use tracer version 5");
  gc_uses_of(&line->operands, opcode, line->width, &uses);
  gc_issue_uses(&reader->issue, &uses, line->mask);
  switch (opcode->space) {
  case GC_OPCODE_GLOBAL:
  case GC_OPCODE_GENERIC:
  case GC_OPCODE_LOCAL:
  case GC_OPCODE_ASYNC:
    return take_memory(trace, line, opcode, err);
  case GC_OPCODE_TEXTURE:
    trace->ignored.textures += line->mask != 0;
    break;
  case GC_OPCODE_BULK:
    if (line->bulk && line->mask)
      return take_bulk(trace, line, opcode, err);
    if (line->mask)
      return unsupported(trace, line, err,
                         "copies memory, and the trace does not have its addresses");
    break;
  case GC_OPCODE_UNKNOWN:
    if (line->width && line->mask)
      return unsupported(trace, line, err,
                         "has addresses, and this program does not know what it does");
    break;
  case GC_OPCODE_NONE:
    if (opcode->operation == GC_TRACE_BARRIER && line->mask)
      return take_barrier(reader, line);
  }
  return gc_issue_others(&reader->issue, line->pc, 1);
}

int gc_accelsim_end_warp(struct gc_trace *trace, struct gc_error *err)
{
  struct gc_accelsim *reader = trace->own;

  if (reader->shared_side)
    return gc_stream_fail(
        trace->stream, err, -EOPNOTSUPP,
        "the LDGSTS at the end of the warp has no global address; use tracer version 5");
  return gc_issue_end_warp(&reader->issue);
}
