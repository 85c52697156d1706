/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict/trace/issue.h"

void gc_issue_begin_warp(struct gc_issue *issue, unsigned warp)
{
  issue->warp = warp;
  issue->pending = (struct gc_pending){0};
  issue->waits = issue->others_wait = false;
  issue->others = 0;
}

void gc_issue_uses(struct gc_issue *issue, const struct gc_uses *uses, bool executed)
{
  issue->waits |= gc_pending_waits(&issue->pending, uses);
  gc_pending_start(&issue->pending, uses, executed);
}

/* Hands over the instructions without effect. */
int gc_issue_end_warp(struct gc_issue *issue)
{
  struct gc_trace_instruction other;

  if (!issue->others)
    return 0;
  other.operation = GC_TRACE_OTHER;
  other.hint = GC_TRACE_CACHED;
  other.pc = issue->others_pc;
  other.bytes = 0;
  other.count = issue->others;
  other.waits = issue->others_wait;
  other.mask = 0;
  issue->others = 0;
  issue->others_wait = false;
  return issue->visit ? issue->visit(issue->warp, &other, issue->data) : 0;
}

int gc_issue_others(struct gc_issue *issue, uint32_t pc, unsigned count)
{
  if (issue->others > UINT32_MAX - count || (issue->waits && issue->others)) {
    const int status = gc_issue_end_warp(issue);

    if (status)
      return status;
  }
  issue->others_wait |= issue->waits;
  issue->waits = false;
  if (!issue->others)
    issue->others_pc = pc;
  issue->others += count;
  return 0;
}

int gc_issue_instruction(struct gc_issue *issue, struct gc_trace_instruction *instruction)
{
  const int status = gc_issue_end_warp(issue);

  instruction->waits = issue->waits;
  issue->waits = false;
  if (status || !issue->visit)
    return status;
  return issue->visit(issue->warp, instruction, issue->data);
}
