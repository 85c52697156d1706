/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The .traceg files of Accel-Sim: what its NVBit tracer and post-traces-processing write, tracer
 * versions 3 to 6. A file has a kernel, or several one after the other: header lines, then
 * blocks, then warps, then a line for each warp instruction. doc/traces.md says what each field
 * becomes.
 */
#ifndef GC_PREDICT_TRACE_ACCELSIM_H
#define GC_PREDICT_TRACE_ACCELSIM_H

#include "predict/trace/format.h"
#include "predict/trace/opcode.h"

#define GC_ACCELSIM_LANES 32

/* The windows of generic addresses that are not global, and local memory of a thread: 16 MiB each.
 */
#define GC_ACCELSIM_WINDOW (UINT64_C(1) << 24)

/* What the header lines give. */
struct gc_accelsim_header {
  unsigned version;
  bool lineinfo;
  uint64_t grid[3];
  uint64_t blocks;
  unsigned threads;                 /* of a block */
  unsigned warps;                   /* of a block */
  uint64_t shared_base, local_base; /* of the windows; 0: not known */
};

#define GC_ACCELSIM_REGISTERS 16 /* in a list */

/* An instruction line. */
struct gc_accelsim_line {
  uint32_t pc, mask;
  const char *opcode; /* in the line */
  size_t opcode_length;
  unsigned width;                        /* mem_width: 0 means that there are no addresses */
  uint64_t addresses[GC_ACCELSIM_LANES]; /* valid for the bits of mask if width is not 0 */
  /* Numbers of the registers of a thread (R): what it writes and what it reads. */
  uint8_t writes[GC_ACCELSIM_REGISTERS], reads[GC_ACCELSIM_REGISTERS];
  unsigned write_count, read_count;
  uint64_t immediate; /* 0: there is none */
  const char *bulk; /* in the line: the addresses of a bulk copy, from their encoding on; or NULL */
};

/* Registers of a warp that loads under way will write, and its copies under way. */
struct gc_accelsim_pending {
  uint64_t registers[4]; /* a bit for each */
  uint64_t groups;       /* of LDGSTS that have ended */
  bool group;            /* LDGSTS that belong to no group yet */
  bool bulk;             /* a bulk copy into shared memory */
};

struct gc_accelsim {
  struct gc_accelsim_header header;
  struct gc_opcode_memo memo;
  uint64_t blocks; /* read so far */
  uint64_t block;  /* the current one */
  unsigned warp;   /* the current one */

  gc_trace_visitor *visit; /* NULL: the block is only counted */
  void *data;
  struct gc_trace_instruction instruction;
  unsigned others;    /* GC_TRACE_OTHER in a row that are not yet handed over */
  uint32_t others_pc; /* the first of them */
  bool others_wait;   /* the first of them waits */
  bool waits;         /* the current instruction does, and that was not yet handed over */
  struct gc_accelsim_pending pending;
  bool shared_side; /* the last instruction was an LDGSTS with its address in shared memory */
  uint32_t shared_pc, shared_mask; /* of it */
};

/* Reads the header lines up to the first #BEGIN_TB. 0 or a negative errno with a sentence. */
int gc_accelsim_read_header(struct gc_stream *stream, struct gc_accelsim_header *header,
                            struct gc_trace_launch *launch, struct gc_error *err);

/* Reads the fields of an instruction line. NULL, or what is wrong. */
const char *gc_accelsim_read_line(const struct gc_accelsim_header *header, const char *text,
                                  struct gc_accelsim_line *line);

/* Reads the addresses of a bulk copy, one after the other: take is called for each. What follows
 * them in the line is checked, too. NULL, or what is wrong; *status is that of take. */
typedef int gc_accelsim_take_address(uint64_t address, void *data);
const char *gc_accelsim_read_bulk(const struct gc_accelsim_line *line,
                                  gc_accelsim_take_address *take, void *data, int *status);

/* Begins a warp, takes an instruction of it, ends it. 0, or a negative errno with a sentence unless
 * it is that of the visitor. */
void gc_accelsim_begin_warp(struct gc_accelsim *reader);
int gc_accelsim_take(struct gc_trace *trace, const struct gc_accelsim_line *line,
                     struct gc_error *err);
int gc_accelsim_end_warp(struct gc_trace *trace, struct gc_error *err);

/* Does the instruction need what is under way? Then all of that has arrived afterwards. */
bool gc_accelsim_waits(struct gc_accelsim_pending *pending, const struct gc_accelsim_line *line,
                       const struct gc_opcode *opcode);
/* Notes what the instruction starts. */
void gc_accelsim_start(struct gc_accelsim_pending *pending, const struct gc_accelsim_line *line,
                       const struct gc_opcode *opcode);

/* The parts of gc_accelsim_take: hands over what waits and then reader->instruction; counts an
 * instruction without effect; takes a bulk copy, whose addresses are in the line. */
int gc_accelsim_hand_over(struct gc_accelsim *reader);
int gc_accelsim_take_other(struct gc_accelsim *reader, uint32_t pc);
int gc_accelsim_take_bulk(struct gc_trace *trace, const struct gc_accelsim_line *line,
                          const struct gc_opcode *opcode, struct gc_error *err);

#endif
