/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Measures a drawn GPU with the whole plan and compares everything that is reported with the model.
 */
#ifndef GC_TESTS_JUDGE_H
#define GC_TESTS_JUDGE_H

#include "draw.h"
#include "measure/results/results.h"

#include <stdbool.h>
#include <stddef.h>

enum claim {
  CLAIM_NOTHING,  /* absent, with a reason */
  CLAIM_AT_LEAST, /* absent, with a lower bound: no load missed up to there */
  CLAIM_VALUE,
};

/* Whether the calibration compares this property with the model. */
bool is_judged(int property);

/* A reported property, and whether it is right. */
struct verdict {
  uint64_t gpu;
  enum drawn_group group;
  enum drawn_class class;
  enum gc_kind kind;
  enum gc_property property;
  bool nothing_there; /* only noise, or a level that the search cannot reach: no value is right */
  enum claim claim;
  bool right;
  double confidence;   /* of a value */
  char value[56], truth[56]; /* cut off if longer */
  char why[112];       /* why there is no value */
  bool false_reason;   /* why says something about hits and misses that is not so in the model */
};

#define VERDICTS_MAX 480

/* A GPU to judge. */
struct judged_gpu {
  uint64_t index;
  enum drawn_group group;
  bool unlimited; /* measure without a limit of confidences (gc_measure_options) */
  const char *only; /* elements that are measured (gc_measure_options) */
  const struct gc_earned *earned; /* the same: limits of confidences */
};

/* Returns the number of verdicts; -1 with a message on stderr if measuring failed, or if a
 * measured property has no function that checks it. */
int judge_gpu(const struct drawn_gpu *gpu, const struct judged_gpu *judged,
              struct verdict verdicts[VERDICTS_MAX]);

#endif
