/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Measures a drawn GPU with the whole plan and compares everything that is reported with the model.
 */
#ifndef GC_TESTS_JUDGE_H
#define GC_TESTS_JUDGE_H

#include "draw.h"
#include "record/record.h"

#include <stdbool.h>
#include <stddef.h>

enum claim {
  CLAIM_NOTHING,  /* absent, with a reason */
  CLAIM_AT_LEAST, /* absent, with a lower bound: no load missed up to there */
  CLAIM_VALUE,
};

enum judged {
  JUDGED_CAPACITY,
  JUDGED_CENSUS,
  JUDGED_TOTAL,
  JUDGED_LATENCY,
  JUDGED_LATENCY_P95,
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
  JUDGED_WRITE_POLICY,
  JUDGED_WRITE_ALLOCATE,
  JUDGED_CARVEOUTS_4,
  JUDGED_CARVEOUTS_32,
  JUDGED_SHARED_BY_CUS,
  JUDGED_CU_GROUPS,
  JUDGED_ENTRIES,
  JUDGED_ENTRY,
  JUDGED_REACH,
  JUDGED_SM_GROUPS,
  JUDGED_OUTSTANDING_PER_SM,
  JUDGED_OUTSTANDING_PER_WARP,
  JUDGED_BANKS,
  JUDGED_BANK,
  JUDGED_CONFLICT,
  JUDGED_ATOMIC_LATENCY,
  JUDGED_NEAR_ATOMIC_LATENCY,
  JUDGED_FAR_ATOMIC_LATENCY,
  JUDGED_ATOMICS,
  JUDGED_REMOTE,
  JUDGED_GPCS,
  JUDGED_GPC_SMS,
  JUDGED_CLUSTER_SMS,
  JUDGED_TPC_SMS,
  JUDGED_CPC_SMS,
  JUDGED_GPC_SIDES,
  JUDGED_SETS,
  JUDGED_WAYS,
  JUDGED_MASKS,
  JUDGED_ADDRESS,
  JUDGED_REPLACEMENT,
  JUDGED_SHARES,
  JUDGED_CURVE,
  JUDGED_EXCESS,
  JUDGED_SLICES,
  JUDGED_SIDE_MASK,
  JUDGED_SIDE_GRANULE,
  JUDGED_SLICE_READ,
  JUDGED
};

/* The start of the record's keys: "Capacity" of CapacitySource and CapacityConfidence. */
extern const char *const judged_names[JUDGED];

/* A reported property, and whether it is right. */
struct verdict {
  uint64_t gpu;
  enum drawn_group group;
  enum drawn_class class;
  enum gc_kind kind;
  enum judged property;
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
};

/* Returns the number of verdicts; -1 with a message on stderr if measuring failed, or if a
 * measured property has no function that checks it. */
int judge_gpu(const struct drawn_gpu *gpu, const struct judged_gpu *judged,
              struct verdict verdicts[VERDICTS_MAX]);

#endif
