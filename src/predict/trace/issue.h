/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The instructions of a warp on their way from a reader to the visitor: those without effect are
 * counted, and the registers decide which ones wait.
 */
#ifndef GC_PREDICT_TRACE_ISSUE_H
#define GC_PREDICT_TRACE_ISSUE_H

#include "predict/trace/registers.h"
#include "predict/trace/trace.h"

struct gc_issue {
  gc_trace_visitor *visit; /* NULL: nothing is handed over */
  void *data;
  unsigned warp;
  struct gc_pending pending;
  bool waits;         /* the current instruction does, and that was not yet handed over */
  unsigned others;    /* GC_TRACE_OTHER in a row that are not yet handed over */
  uint32_t others_pc; /* the first of them */
  bool others_wait;   /* the first of them waits */
};

void gc_issue_begin_warp(struct gc_issue *issue, unsigned warp);

/* Finds whether the instruction that is issued next waits, and notes what it starts. */
void gc_issue_uses(struct gc_issue *issue, const struct gc_uses *uses, bool executed);

/* The next functions: 0, or the negative errno of the visitor. */

/* So many instructions without effect; only the first of them can wait. */
int gc_issue_others(struct gc_issue *issue, uint32_t pc, unsigned count);
/* All others. Sets instruction->waits. */
int gc_issue_instruction(struct gc_issue *issue, struct gc_trace_instruction *instruction);
int gc_issue_end_warp(struct gc_issue *issue);

#endif
