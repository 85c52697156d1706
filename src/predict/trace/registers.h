/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which instructions of a warp wait for loads. A warp executes in order, and goes on after a load
 * until an instruction reads or writes a register that the load will write: the hardware has a
 * scoreboard for this. A trace, or machine code, names the first register of each operand; how many
 * belong to it follows from the bytes of the access. An address takes two registers.
 *
 * LDGSTS writes no register: DEPBAR waits for groups of them. A bulk copy ends at the barrier in
 * shared memory that SYNCS.PHASECHK checks. All loads of a warp count as one here: the instruction
 * that waits for one of them waits for all that are under way.
 */
#ifndef GC_PREDICT_TRACE_REGISTERS_H
#define GC_PREDICT_TRACE_REGISTERS_H

#include "predict/trace/opcode.h"

#include <stdbool.h>
#include <stdint.h>

#define GC_OPERANDS 16 /* in a list */

/* What the text of an instruction names: the registers of a thread (R) that it writes and reads. */
struct gc_operands {
  uint8_t writes[GC_OPERANDS], reads[GC_OPERANDS];
  unsigned write_count, read_count;
  uint64_t immediate; /* 0: there is none */
};

struct gc_register_set {
  uint64_t bits[4];
};

/* What an instruction does to loads under way. */
struct gc_uses {
  struct gc_register_set needs; /* it waits for them */
  struct gc_register_set loads; /* it will write them, later */
  enum gc_opcode_async async;
  uint64_t groups; /* with GC_OPCODE_WAITS_GROUPS: so many may be left */
  bool group;      /* an LDGSTS */
  bool bulk;       /* a bulk copy that reads global memory */
};

/* Loads and copies of a warp that have not yet arrived. All 0: there are none. */
struct gc_pending {
  struct gc_register_set registers; /* that loads will write */
  uint64_t groups;                  /* of LDGSTS that have ended */
  bool group;                       /* LDGSTS that belong to no group yet */
  bool bulk;                        /* a bulk copy into shared memory */
};

/* bytes: of each thread, if the opcode does not give them. */
void gc_uses_of(const struct gc_operands *operands, const struct gc_opcode *opcode, unsigned bytes,
                struct gc_uses *uses);

static inline bool gc_registers_meet(const struct gc_register_set *a,
                                     const struct gc_register_set *b)
{
  return (a->bits[0] & b->bits[0]) | (a->bits[1] & b->bits[1]) | (a->bits[2] & b->bits[2]) |
         (a->bits[3] & b->bits[3]);
}

/* Adds the registers of b to a. */
static inline void gc_registers_add(struct gc_register_set *a, const struct gc_register_set *b)
{
  for (int i = 0; i < 4; i++)
    a->bits[i] |= b->bits[i];
}

/* Does the instruction need what is under way? Then all of that has arrived afterwards. */
bool gc_pending_waits(struct gc_pending *pending, const struct gc_uses *uses);

/* The same for an instruction that needs all that is under way. */
bool gc_pending_wait_for_all(struct gc_pending *pending);

/* Notes what the instruction starts. executed: at least one thread took part. */
void gc_pending_start(struct gc_pending *pending, const struct gc_uses *uses, bool executed);

#endif
