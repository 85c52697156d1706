/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The decision of src/stats about a trace (stats/decide.h), as the search for a capacity makes it from
 * its own walks. A trace holds less than the tool measures: one walk for each size, no repetition, and
 * no size far below the capacity.
 */
#ifndef TESTS_REPLAY_JUDGE_H
#define TESTS_REPLAY_JUDGE_H

#include "stats/decide.h"
#include "tests/replay/trace.h"

struct judgement {
  uint64_t bytes; /* capacity; 0: see absent */
  uint64_t next;  /* the next size in the trace; the capacity is below it */
  double confidence;
  struct gc_hit_miss levels; /* cycles; threshold 0: no two levels were seen */
  char absent[160];
};

/* 0 or -ENOMEM. */
int judge(const struct trace *trace, struct judgement *judgement);

/* The result from a line-size file. A walk whose stride is wider than a line skips lines, so that a
 * larger array fits. */
struct line_judgement {
  uint64_t line;          /* widest stride, a power of two, with the capacity of the narrowest; or 0 */
  uint64_t stride;        /* the narrowest */
  uint64_t first, last;   /* its smallest and largest size */
  struct judgement narrow; /* its capacity */
  char absent[160];       /* why there is no line */
};

/* 0, or negative with a message in problem. */
int judge_line(const char *path, struct line_judgement *judgement, char *problem, size_t size);

#endif
