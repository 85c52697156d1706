/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Measures a drawn GPU and holds what was told against what the model knows.
 */
#ifndef GC_TESTS_JUDGE_H
#define GC_TESTS_JUDGE_H

#include "draw.h"
#include "record/record.h"

#include <stdbool.h>
#include <stddef.h>

enum claim {
  CLAIM_NOTHING,  /* absent, with a reason */
  CLAIM_AT_LEAST, /* absent, with a bound: nothing missed up to there */
  CLAIM_VALUE,
};

enum judged { JUDGED_CAPACITY, JUDGED_LATENCY, JUDGED_FETCH, JUDGED_LINE, JUDGED };

/* What was told of one property. */
struct verdict {
  uint64_t gpu;
  enum drawn_class class;
  enum gc_kind kind;
  enum judged property;
  bool nothing_there; /* mere noise, or a level that the search cannot reach: no value is right */
  enum claim claim;
  bool right;
  double confidence; /* of a value */
  double value, truth;
  char why[96];      /* why there is no value */
};

#define VERDICTS_MAX 32

/* Returns how many verdicts there are; -1 with a sentence on stderr when measuring failed. */
int judge_gpu(const struct drawn_gpu *gpu, uint64_t index, struct verdict verdicts[VERDICTS_MAX]);

#endif
