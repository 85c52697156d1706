/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A record of our binary format, version 2, in the chunk and the kernel that it belongs to
 * (doc/traces.md).
 */
#ifndef GC_PREDICT_TRACE_BINARY_RECORD_H
#define GC_PREDICT_TRACE_BINARY_RECORD_H

#include "predict/trace/code.h"
#include "predict/trace/format.h"
#include "predict/trace/issue.h"

#define GC_BINARY_LANES 32

/* The form of the addresses, in the first word of a record. */
#define GC_BINARY_FORM(what) ((what) >> 28 & 3)
enum { GC_BINARY_CONSECUTIVE, GC_BINARY_STRIDE, GC_BINARY_EACH, GC_BINARY_ROWS };

struct gc_binary_record {
  uint32_t what, mask;
  uint64_t address;
  uint64_t more[GC_BINARY_LANES]; /* the strides, or the address of each thread */
};

/* All 0: before the first kernel. */
struct gc_binary {
  const struct gc_trace_launch *launch;
  unsigned warps; /* of a block */
  struct gc_code code;
  uint64_t size, left; /* bytes of the chunk, and those of them that are not yet read */
  uint64_t start;      /* of the record in the chunk */
  struct gc_binary_record record;
  bool ahead;     /* record begins the next block */
  bool first;     /* no block of the kernel was read */
  uint64_t block; /* the current one */
  struct gc_issue issue;
  struct gc_trace_instruction instruction;
  /* The last instruction of the warp: */
  uint32_t at;          /* its number in the code */
  uint32_t pc, threads; /* threads: 0 if there was none */
  unsigned parts;       /* more records that belong to it */
};

/* Writes the sentence "FILE:LINE: the record at byte N: …", where the line is that of the chunk,
 * and returns -EBADMSG. */
int gc_binary_bad(const struct gc_trace *trace, const struct gc_binary *binary,
                  struct gc_error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Takes the record, which is an access or a barrier. 0, or a negative errno with a sentence unless
 * it is that of the visitor. */
int gc_binary_take(struct gc_trace *trace, struct gc_binary *binary, struct gc_error *err);

/* Issues what the warp executed since the last record, up to an instruction of the code or the
 * exit. 1: it came there; 0: the code has no path; or a negative errno as above. */
int gc_binary_go_to(struct gc_trace *trace, struct gc_binary *binary, uint32_t to,
                    struct gc_error *err);

#endif
