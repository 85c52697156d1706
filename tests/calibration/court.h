/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What judges of one property have in common: the record, and the model of the same GPU.
 */
#ifndef GC_TESTS_COURT_H
#define GC_TESTS_COURT_H

#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "judge.h"
#include "model/model.h"
#include "model/profile.h"

#define ROOM 4096

struct court {
  const struct drawn_gpu *gpu;
  const struct gc_record *record;
  struct gc_model *model; /* a second one of the same profile: where the truth is asked */
  struct gc_profile profile;
};

/* One property of one element, and where the model has that element. */
struct court_case {
  const struct gc_element *element;
  enum gc_space space;
  unsigned level;
  const struct gc_profile_cache *cache; /* NULL: it is none */
  char told[ROOM], truth[ROOM];
};

/* The info of the element; "" if there is none. */
const char *court_info(const struct gc_element *element, const char *key);

/* L1 has what the carve-out leaves that this percentage asks for, with as many blocks as the plan has. */
void court_launch(const struct court *court, int percent);

/* texts.c: whether what was told is so; they fill truth, which stays empty where there is nothing to
 * find. */
bool judge_shared_with(const struct court *court, struct court_case *c);
bool judge_per_sm(const struct court *court, struct court_case *c);
bool judge_instances(const struct court *court, struct court_case *c);
bool judge_partitions(const struct court *court, struct court_case *c);
bool judge_partition_sms(const struct court *court, struct court_case *c);
bool judge_carveouts(const struct court *court, struct court_case *c);
bool judge_shared_by_cus(const struct court *court, struct court_case *c);
bool judge_cu_groups(const struct court *court, struct court_case *c);

#endif
