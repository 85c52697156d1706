/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Bulk copies between global and shared memory (TMA), which one thread starts. A trace of version 6
 * has the address of each element. Here they become accesses of 32 threads with 16 bytes each,
 * which is what such a copy is made of: neighbors in memory are joined first.
 */
#include "predict/trace/accelsim.h"

#include <errno.h>

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
  return gc_accelsim_hand_over(bulk->reader);
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

int gc_accelsim_take_bulk(struct gc_trace *trace, const struct gc_accelsim_line *line,
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
    status = gc_accelsim_take_other(reader, line->pc);
  return status;
}
