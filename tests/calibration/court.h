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
#include "model/chip.h"
#include "model/truth.h"
#include "model/check.h"
#include "model/parse.h"

#define TEXT_MAX 4096

#define COURT_SMS_MAX 256 /* of a drawn GPU */

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
/* The same with blocks of so many warps. */
void court_launch_blocks(const struct court *court, int percent, uint32_t warps);

/* The SM clock at which the GPU was measured, as a share of the profile's. */
double court_clock_share(const struct court *court);

/* judge_banks.c: as texts.c. */
bool judge_banks(const struct court *court, struct court_case *c);
bool judge_bank(const struct court *court, struct court_case *c);
bool judge_conflict(const struct court *court, struct court_case *c);
bool judge_atomic(const struct court *court, struct court_case *c);
bool judge_near_atomic(const struct court *court, struct court_case *c);
bool judge_far_atomic(const struct court *court, struct court_case *c);
bool judge_atomics(const struct court *court, struct court_case *c);

/* texts.c: return whether the reported text is right. They fill `truth`, which stays empty if there
 * is nothing to find. */
bool judge_shared_with(const struct court *court, struct court_case *c);
bool judge_per_sm(const struct court *court, struct court_case *c);
bool judge_instances(const struct court *court, struct court_case *c);
bool judge_cache_groups(const struct court *court, struct court_case *c);
bool judge_partitions(const struct court *court, struct court_case *c);
bool judge_partition_sms(const struct court *court, struct court_case *c);
bool judge_carveouts(const struct court *court, struct court_case *c);
bool judge_carveouts_4(const struct court *court, struct court_case *c);
bool judge_carveouts_32(const struct court *court, struct court_case *c);
bool judge_write_policy(const struct court *court, struct court_case *c);
bool judge_write_allocate(const struct court *court, struct court_case *c);
bool judge_shared_by_cus(const struct court *court, struct court_case *c);
bool judge_cu_groups(const struct court *court, struct court_case *c);

/* sm_groups.c */
bool judge_remote(const struct court *court, struct court_case *c);
bool judge_gpcs(const struct court *court, struct court_case *c);
bool judge_gpc_sms(const struct court *court, struct court_case *c);
bool judge_cluster_sms(const struct court *court, struct court_case *c);
bool judge_tpc_sms(const struct court *court, struct court_case *c);
bool judge_cpc_sms(const struct court *court, struct court_case *c);
bool judge_gpc_sides(const struct court *court, struct court_case *c);
/* structure.c: the same. */
bool judge_sets(const struct court *court, struct court_case *c);
bool judge_ways(const struct court *court, struct court_case *c);
bool judge_masks(const struct court *court, struct court_case *c);
bool judge_address(const struct court *court, struct court_case *c);
bool judge_replacement(const struct court *court, struct court_case *c);
bool judge_shares(const struct court *court, struct court_case *c);
bool judge_curve(const struct court *court, struct court_case *c);
bool judge_excess(const struct court *court, struct court_case *c);

/* judge_slices.c */
bool judge_slices(const struct court *court, struct court_case *c);
bool judge_side_mask(const struct court *court, struct court_case *c);
bool judge_side_granule(const struct court *court, struct court_case *c);
bool judge_slice_read(const struct court *court, struct court_case *c);

/* tlbs.c: the same for TLBs. court_tlb: whether the element is one. */
bool court_tlb(const struct court *court, const struct court_case *c);
bool judge_tlb(const struct court *court, struct court_case *c, enum judged property);
bool judge_entries(const struct court *court, struct court_case *c);
bool judge_entry(const struct court *court, struct court_case *c);
bool judge_reach(const struct court *court, struct court_case *c);
/* The SMs that share TLB `level`, from 0. Returns the number of groups; 0: there is no such TLB. */
uint32_t court_tlb_groups(const struct court *court, unsigned level, uint32_t group[COURT_SMS_MAX]);

/* sm_groups.c: numbers groups by their first SMs, and returns how many there are; prints them as the
 * truth. */
uint32_t court_renumber(uint32_t group[COURT_SMS_MAX], uint32_t sms);
void court_print_groups(const struct court *court, struct court_case *c,
                        const uint32_t group[COURT_SMS_MAX], uint32_t count);

/* reasons.c: returns whether this reason for an absent value contradicts the model. A reason that
 * says nothing about hits and misses is never false. */
bool reason_is_false(const struct court *court, const struct court_case *c, const char *why);

#endif
