/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What an instruction of NVIDIA's SASS does to memory, from its opcode with suffixes, such as
 * "LDG.E.128.STRONG.GPU": Maxwell to Blackwell. The opcodes are listed in NVIDIA's "CUDA Binary
 * Utilities", chapter "Instruction Set Reference".
 */
#ifndef GC_PREDICT_TRACE_OPCODE_H
#define GC_PREDICT_TRACE_OPCODE_H

#include "predict/trace/trace.h"

#include <stddef.h>
#include <stdint.h>

enum gc_opcode_space {
  GC_OPCODE_NONE, /* no memory, or memory without a cache that is modelled: shared, constant */
  GC_OPCODE_GLOBAL,
  GC_OPCODE_GENERIC, /* the address decides: global, local or shared */
  GC_OPCODE_LOCAL,
  GC_OPCODE_ASYNC,   /* LDGSTS, from global to shared: one instruction, two addresses */
  GC_OPCODE_TEXTURE, /* textures and surfaces: the address is not in the register */
  GC_OPCODE_BULK,    /* bulk copies, which one thread starts for many addresses */
  GC_OPCODE_UNKNOWN  /* not in the table: harmless unless it has an address */
};

/* Which role the instruction has for copies that run beside the warp (LDGSTS, bulk copies). */
enum gc_opcode_async {
  GC_OPCODE_NO_ASYNC,
  GC_OPCODE_ENDS_GROUP,   /* LDGDEPBAR: the LDGSTS before it are a group */
  GC_OPCODE_WAITS_GROUPS, /* DEPBAR: until at most so many groups are left as its immediate says */
  GC_OPCODE_WAITS_BARRIER /* SYNCS.PHASECHK: until the bytes of a bulk copy have arrived */
};

struct gc_opcode {
  enum gc_opcode_space space;
  enum gc_trace_operation operation;
  enum gc_trace_hint hint;
  unsigned bytes; /* per thread; 0 if no suffix gives it. 32 for LDG.E.ENL2.256 of Blackwell. */
  enum gc_opcode_async async;
};

/* opcode is a text of length bytes. Never fails. */
void gc_opcode_find(const char *opcode, size_t length, struct gc_opcode *found);

/* Opcodes that were found before, by the offset of the instruction in the kernel. All 0: empty. */
struct gc_opcode_memo {
  struct {
    char text[32];
    size_t length;
    struct gc_opcode opcode;
  } entries[512];
};

/* The same as gc_opcode_find, but fast for an instruction that was executed before. The result is
 * valid until the next call. */
const struct gc_opcode *gc_opcode_recall(struct gc_opcode_memo *memo, uint32_t pc,
                                         const char *opcode, size_t length);

#endif
