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

/* A line-size file: walks with wider strides than a line leave lines out, and need a larger array to miss. */
struct line_judgement {
  uint64_t line;          /* the widest stride, a power of two, with the same capacity as the narrowest; 0 */
  uint64_t stride;        /* the narrowest */
  uint64_t first, last;   /* sizes recorded of it */
  struct judgement narrow; /* what it tells of the capacity */
  char absent[160];       /* why there is no line */
};

/* 0, or negative with a sentence in problem. */
int judge_line(const char *path, struct line_judgement *judgement, char *problem, size_t size);

#endif
