/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory traces of GPU kernels, whatever their format. A trace is a series of kernels; a kernel is
 * a series of blocks; a block has warps, and each warp executes its instructions in their order.
 * The order between warps is not in a trace: the model finds it.
 *
 * A reader holds one block at most, so that traces may be larger than memory. It belongs to one
 * thread; threads may have readers of their own for one file.
 */
#ifndef GC_PREDICT_TRACE_TRACE_H
#define GC_PREDICT_TRACE_TRACE_H

#include "predict/trace/touched.h"
#include "util/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gc_trace;

/* No GPU has warps with more threads. */
#define GC_TRACE_LANES 64

/* No GPU has larger virtual addresses for global memory; local memory is put here and above. */
#define GC_TRACE_LOCAL (UINT64_C(1) << 57)

/* The pc of all instructions that are in a function other than the kernel, whose place the trace
 * does not have. */
#define GC_TRACE_ELSEWHERE UINT32_MAX

enum gc_trace_operation {
  GC_TRACE_LOAD,
  GC_TRACE_STORE,
  GC_TRACE_ATOMIC,  /* executed in L2 */
  GC_TRACE_BARRIER, /* the warps of a block wait for each other */
  GC_TRACE_OTHER    /* what neither accesses global memory nor waits: only their number matters */
};

/* How a load or store uses L1, from the suffix of the instruction. */
enum gc_trace_hint {
  GC_TRACE_CACHED,   /* by default */
  GC_TRACE_NO_L1,    /* .cg, .cv, volatile, STRONG.GPU and wider: L2 only */
  GC_TRACE_READ_ONLY /* .nc, .CONSTANT */
};

/* What one warp does. */
struct gc_trace_instruction {
  enum gc_trace_operation operation;
  enum gc_trace_hint hint;
  uint32_t pc;    /* byte offset in the kernel, or the number of the access in the thread if the
                     format has no instructions; of the first one if count > 1 */
  unsigned bytes; /* per thread: 1, 2, 4, 8 or 16; 0 for GC_TRACE_BARRIER and GC_TRACE_OTHER */
  unsigned count; /* of GC_TRACE_OTHER in a row, whatever they are; 1 for all other operations */
  bool waits;     /* with gc_trace_launch.registers: it needs what a load of this warp brings that
                     has come since the warp last waited */
  uint64_t mask; /* threads of the warp that take part, at least one; 0 for GC_TRACE_OTHER. The mask
                    of a barrier is for information: all warps of the block wait. */
  /* addresses[i] is valid if bit i of mask is set. Global and local memory only. Global addresses,
   * with the bytes of the access, are below GC_TRACE_LOCAL. Local memory begins there; the reader
   * has given each warp a region of its own (doc/traces.md), in which the threads lie side by side
   * as in the hardware. */
  uint64_t addresses[GC_TRACE_LANES];
};

/* Launches that should be in the trace and are not. */
struct gc_trace_lacks {
  uint64_t launches;
  bool more;           /* others, whose number is not known */
  struct gc_error why; /* the first reason; "": it lacks none */
};

/* Adds those of another trace, or for another reason. */
static inline void gc_trace_lacks_add(struct gc_trace_lacks *lacks,
                                      const struct gc_trace_lacks *others)
{
  if (!*lacks->why.text)
    lacks->why = others->why;
  lacks->launches += others->launches;
  lacks->more |= others->more;
}

/* What the trace names but has no addresses for, so that a model cannot know what it does to
 * caches. Of all kernels so far. */
struct gc_trace_ignored {
  uint64_t textures; /* warp instructions that read textures, or access surfaces */
  uint64_t copies;   /* from the host to the GPU, in a list of kernels */
  struct gc_trace_lacks lacks; /* complete at the end of the trace */
};

/* Extents of a grid, a block or a cluster. */
struct gc_trace_shape {
  uint32_t x, y, z;
};

/* How a kernel was launched. A value that a format does not have is 0. */
struct gc_trace_launch {
  char name[1024];          /* printable; cut if it is longer */
  uint64_t number;          /* of the kernel in the trace, from 1 */
  uint64_t in_program;      /* number of the launch in its process, from 1 */
  uint64_t process;         /* number of its process in the trace; 0: the first one */
  uint64_t launches; /* for which it stands, if the trace has only some; see gc_trace_stands */
  uint64_t blocks;          /* of the grid; of the trace if that has only some of them */
  uint64_t launched_blocks; /* of the grid, if the trace has only some of them, or the model */
  struct gc_trace_shape grid, block, cluster; /* of all launched blocks; threads; blocks */
  uint64_t stream;                            /* in its process, from 1 */
  unsigned threads_per_block;
  unsigned registers_per_thread;
  uint64_t shared_bytes; /* per block, static and dynamic */
  bool prefers_carveout; /* shared memory: so many percent of the storage of an SM, 0 to 100 */
  unsigned carveout;
  unsigned warp_threads;
  struct gc_trace_touched touched; /* by the driver, before the kernel */
  bool registers;         /* the trace shows which instructions wait for the loads before them */
  unsigned loads_at_once; /* without registers: loads that a warp issues in a row before it waits
                             for one of them; 0: 1 */
  /* Instructions of the code without records: those that copy tensors; those that read textures, or
   * access surfaces. */
  unsigned tensor_copies, texture_accesses;
  char
      origin[64]; /* what made the trace, printable: "NVBit 1.5.5, compute capability 7.0"; or "" */
};

/* The number of launches for which this one stands, with itself. */
static inline uint64_t gc_trace_stands(const struct gc_trace_launch *launch)
{
  return launch->launches ? launch->launches : 1;
}

/* Receives the instructions of a block, warp by warp. warp is its number in the block. The
 * instruction is valid during the call only. 0, or a negative errno that ends reading: it becomes
 * the result of gc_trace_next_block, without a sentence. */
typedef int gc_trace_visitor(unsigned warp, const struct gc_trace_instruction *instruction,
                             void *data);

/* Opens a trace: a .traceg file or a kernelslist.g of Accel-Sim, the format of Nugteren et al.
 * ("thread direction address bytes"), or ours, as text or binary (doc/traces.md); each may be
 * compressed with gzip, xz or zstd. The content decides, not the name. 0, or a negative errno with
 * a sentence that names the file, and the line if there is one. */
int gc_trace_open(const char *path, struct gc_trace **trace, struct gc_error *err);
void gc_trace_close(struct gc_trace *trace);

/* After a negative result of one of the following functions (also one of a visitor), each further
 * call returns the same status, until gc_trace_skip_kernel. */

/* Goes to the next kernel; what is left of the current one is skipped, but checked. 1: *launch is
 * filled; 0: the trace has ended; or a negative errno: -EBADMSG for a broken or truncated file,
 * with file, line and reason, or -EOPNOTSUPP for instructions that the reader does not support. */
int gc_trace_next_kernel(struct gc_trace *trace, struct gc_trace_launch *launch,
                         struct gc_error *err);

/* Reads the next block of the kernel and hands over its instructions. visit may be NULL: the block
 * is only checked. 1: there was one; 0: the kernel has ended; or a negative errno as above. *number
 * (may be NULL) is the number of the block in the grid. */
int gc_trace_next_block(struct gc_trace *trace, gc_trace_visitor *visit, void *data,
                        uint64_t *number, struct gc_error *err);

/* The source file and line of an instruction of the kernel that gc_trace_next_kernel returned last,
 * valid until it is called again. NULL: the trace does not have it. */
const char *gc_trace_source(const struct gc_trace *trace, uint32_t pc, unsigned *line);

/* Goes behind the current kernel, or one that cannot be read, without checking it. 1: the next
 * kernel, or the end of the trace, can be read; 0: there is no more; or a negative errno. */
int gc_trace_skip_kernel(struct gc_trace *trace);

/* After a negative result of gc_trace_next_kernel: whether all kernels were read, and what is wrong
 * comes after them. */
bool gc_trace_has_ended(const struct gc_trace *trace);

void gc_trace_get_ignored(const struct gc_trace *trace, struct gc_trace_ignored *ignored);

/* Goes to the next line that is wanted. 1: it is the next line; 0: the file has ended; or a negative
 * errno. */
int gc_trace_find_line(struct gc_trace *trace, bool (*is_wanted)(const char *line));

#endif
