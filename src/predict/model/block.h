/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A block that an SM executes: the instructions of its warps, with their requests.
 */
#ifndef GC_PREDICT_MODEL_BLOCK_H
#define GC_PREDICT_MODEL_BLOCK_H

#include "predict/model/coalesce.h"
#include "predict/model/loads.h"
#include "predict/model/set_index.h"

#define GC_NO_INSTRUCTION UINT32_MAX
#define GC_WARPS_MAX 4096 /* in a block; more is a broken trace */

/* What an instruction does in the model. */
enum gc_step {
  GC_STEP_LOAD,   /* through L1 */
  GC_STEP_BYPASS, /* a load that does not look into L1 */
  GC_STEP_STORE,
  GC_STEP_ATOMIC,
  GC_STEP_BARRIER,
  GC_STEP_OTHER
};

struct gc_instruction {
  uint32_t next;  /* of the same warp, or GC_NO_INSTRUCTION */
  uint32_t first; /* request; the number of instructions of GC_STEP_OTHER */
  uint32_t load;  /* in the table of loads */
  uint16_t requests;
  uint8_t step;
  bool ahead; /* the warp goes on with the next instruction before the data are there */
};

struct gc_block {
  uint64_t number; /* in the grid */
  struct gc_instruction *instructions;
  struct gc_request *requests;
  struct gc_block_warp {
    uint32_t first, last; /* instruction, or GC_NO_INSTRUCTION */
    uint32_t loads;       /* in a row that a warp does not wait for, while the block is read */
  } * warps;
  uint32_t instruction_count, request_count, warp_count;
  uint32_t instruction_room, request_room, warp_room; /* allocated */
};

struct gc_block_reader {
  struct gc_coalescer coalescer;
  const struct gc_set_index *index;    /* of L1 */
  const struct gc_set_index *l2_index; /* NULL: L2 has other lines, or does not matter */
  bool loads_in_l1;
  /* When a warp waits, as struct gc_trace_launch has it. */
  bool registers;
  unsigned loads_at_once;
  struct gc_loads *loads;
};

/* Reads the next block of the kernel; what was in *block is replaced, its memory is used again. 1:
 * there was one; 0: the kernel has ended; or a negative errno with a sentence. */
int gc_block_read(struct gc_block *block, struct gc_block_reader *reader, struct gc_trace *trace,
                  struct gc_error *err);
void gc_block_fini(struct gc_block *block);

#endif
