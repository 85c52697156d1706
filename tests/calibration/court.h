/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Shared by the functions that check one property each: the record, and the model of the same GPU.
 */
#ifndef GC_TESTS_COURT_H
#define GC_TESTS_COURT_H

#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "judge.h"
#include "model/truth.h"
#include "model/check.h"
#include "model/parse.h"

#define TEXT_MAX 4096

struct court {
  const struct drawn_gpu *gpu;
  const struct gc_record *record;
  struct gc_model *model; /* a second model of the same profile; it knows the true values */
  struct gc_profile profile;
};

/* One property of one element, and the place of that element in the model. */
struct court_case {
  const struct gc_element *element;
  enum gc_space space;
  unsigned level;
  const struct gc_profile_cache *cache; /* NULL: the element is no cache */
  char reported[TEXT_MAX], truth[TEXT_MAX];
};

/* The info of the element; "" if there is none. */
const char *court_info(const struct gc_element *element, const char *key);

/* Sets the model to a launch that asks for this carve-out, with as many blocks as the plan uses.
 * The L1 has what the carve-out leaves. */
void court_launch(const struct court *court, int percent);

/* texts.c: return whether the reported text is right. They fill `truth`, which stays empty if there
 * is nothing to find. */
bool judge_shared_with(const struct court *court, struct court_case *c);
bool judge_per_sm(const struct court *court, struct court_case *c);
bool judge_instances(const struct court *court, struct court_case *c);
bool judge_partitions(const struct court *court, struct court_case *c);
bool judge_partition_sms(const struct court *court, struct court_case *c);
bool judge_carveouts(const struct court *court, struct court_case *c);
bool judge_shared_by_cus(const struct court *court, struct court_case *c);
bool judge_cu_groups(const struct court *court, struct court_case *c);

/* reasons.c: returns whether this reason for an absent value contradicts the model. A reason that
 * says nothing about hits and misses is never false. */
bool reason_is_false(const struct court *court, const struct court_case *c, const char *why);

#endif
