/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Measures a drawn GPU by the whole plan and holds everything that was told against what the model knows.
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

enum judged {
  JUDGED_CAPACITY,
  JUDGED_CENSUS,
  JUDGED_LATENCY,
  JUDGED_NEAR,
  JUDGED_FAR,
  JUDGED_FETCH,
  JUDGED_LINE,
  JUDGED_PENALTY,
  JUDGED_READ,
  JUDGED_WRITE,
  JUDGED_SHARED_WITH,
  JUDGED_PER_SM,
  JUDGED_INSTANCES,
  JUDGED_PARTITIONS,
  JUDGED_PARTITION_SMS,
  JUDGED_CARVEOUTS,
  JUDGED_SHARED_BY_CUS,
  JUDGED_CU_GROUPS,
  JUDGED
};

/* As in the record: "Capacity", to which Source and Confidence are appended. */
extern const char *const judged_names[JUDGED];

/* What was told of one property. */
struct verdict {
  uint64_t gpu;
  enum drawn_class class;
  enum gc_kind kind;
  enum judged property;
  bool nothing_there; /* mere noise, or a level that the search cannot reach: no value is right */
  enum claim claim;
  bool right;
  double confidence;   /* of a value */
  char value[56], truth[56]; /* as far as there is room */
  char why[112];       /* why there is no value */
};

#define VERDICTS_MAX 160

/* Returns how many verdicts there are; -1 with a sentence on stderr when measuring failed, or when
 * something was told that nobody here judges. */
int judge_gpu(const struct drawn_gpu *gpu, uint64_t index, struct verdict verdicts[VERDICTS_MAX]);

#endif
