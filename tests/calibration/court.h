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

#define COURT_SMS_MAX 512 /* of a drawn GPU */

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

/* Whether the reported cycles are the true ones of the place, within `near`. While a GPU drifts,
 * every latency between the ends of the drift is right. If some loads are delayed, it may be the
 * median of all or of the others. If SMs differ, it is that of the median SM. */
bool court_cycles(const struct court *court, struct court_case *c, double truth, double near);

/* Cycles by which an SM differs from the latency of the level, at most. An L3, a miss and a part of
 * L2 are measured on some SMs only. */
double court_spread(const struct court *court, const struct court_case *c, unsigned level);

/* The latency of a level in SM cycles, at the clock at which the GPU was measured. */
double court_latency(const struct court *court, enum gc_space space, unsigned level);
/* under_load.c: the cycles by which a load takes longer while others read so much; negative if a
 * clock has risen. */
double court_waits(const struct court *court, const struct court_case *c, double gbps);
/* The read bandwidth in the unit of the element: of one level alone, and of
 * the element's with those before it, which may be slower. */
double court_own_rate(const struct court *court, const struct court_case *c, unsigned level);
double court_rate(const struct court *court, const struct court_case *c);

/* Return whether the reported value is right. They fill `truth`, which stays empty if there is
 * nothing to find. */
#define PROPERTY(id, name, judge, section, sentence)                                               \
  bool judge_##judge(const struct court *court, struct court_case *c);
#include "record/property_table.h"

/* structure.c: loads through this path and those of L1 use the same cache, and choose its sets in
 * the same way. */
bool court_sets_of_l1(const struct court *court, const struct court_case *c);

/* tlbs.c: the same for TLBs. court_tlb: whether the element is one. */
bool court_tlb(const struct court *court, const struct court_case *c);
bool judge_tlb(const struct court *court, struct court_case *c, enum gc_property property);
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
