/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What src/stats says of a trace: the decision of src/measure/capacity.c (stats/decide.h), where a
 * trace stands for the walks. A trace is poorer than what the tool measures: one walk for each
 * size, no repetition, and no size far below the capacity.
 */
#ifndef TESTS_REPLAY_JUDGE_H
#define TESTS_REPLAY_JUDGE_H

#include "stats/decide.h"
#include "tests/replay/trace.h"

struct judgement {
  uint64_t bytes; /* capacity; 0: see absent */
  uint64_t next;  /* the next larger size of the trace: the capacity is below that */
  double confidence;
  struct gc_levels levels; /* cycles; threshold 0: no two levels were seen */
  char absent[160];
};

/* 0 or -ENOMEM. */
int judge(const struct trace *trace, struct judgement *judgement);

#endif
