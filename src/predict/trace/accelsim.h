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
#include "predict/trace/issue.h"
#include "predict/trace/opcode.h"
#include "predict/trace/registers.h"

#define GC_ACCELSIM_LANES 32

/* The windows of generic addresses that are not global. */
#define GC_ACCELSIM_WINDOW GC_TRACE_LOCAL_BYTES

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

/* An instruction line. */
struct gc_accelsim_line {
  uint32_t pc, mask;
  const char *opcode; /* in the line */
  size_t opcode_length;
  unsigned width;                        /* mem_width: 0 means that there are no addresses */
  uint64_t addresses[GC_ACCELSIM_LANES]; /* valid for the bits of mask if width is not 0 */
  struct gc_operands operands;
  const char *bulk; /* in the line: the addresses of a bulk copy, from their encoding on; or NULL */
};

struct gc_accelsim {
  struct gc_accelsim_header header;
  struct gc_opcode_memo memo;
  uint64_t blocks; /* read so far */
  uint64_t block;  /* the current one */
  unsigned warp;   /* the current one */

  struct gc_issue issue;
  struct gc_trace_instruction instruction;
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

#endif
