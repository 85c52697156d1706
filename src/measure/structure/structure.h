/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Steps that find how caches, TLBs, memories and the GPU are organized. gc_step says what a step
 * is. doc/methods.md, "Structure".
 */
#ifndef GC_MEASURE_STRUCTURE_STRUCTURE_H
#define GC_MEASURE_STRUCTURE_STRUCTURE_H

#include "measure/core/measurement.h"

gc_step gc_step_banks;          /* shared_banks.c: shared memory */
gc_step gc_step_sm_groups;      /* sm_groups.c: TPCs, GPCs, and what clusters reach */
gc_step gc_step_remote_latency; /* remote_latency.c: shared memory of another SM in the cluster */
gc_step gc_step_sets;           /* sets, ways, masks of the hash, replacement, shares of the ways */
gc_step gc_step_address_bits;   /* masks for upper address bits, after the sets */
gc_step gc_step_excess_misses;  /* misses for each line that does not fit */
gc_step gc_step_survival;       /* the survival curve of a cache in the SM */
gc_step gc_step_l2_survival;    /* that of L2 */
gc_step_needs gc_needs_l2_survival;
gc_step gc_step_warp_order; /* warp_order.c: which warps of an SM go first */
gc_step gc_step_flush; /* flush.c: what displaces everything; after the latencies */
gc_step_needs gc_needs_flush;
/* Entries, bytes of an entry, reach and miss penalty of a TLB, and which SMs share one. The second
 * level needs what was found of the first one. */
gc_step gc_step_tlb;
gc_step gc_step_cpcs; /* sm_groups.c: groups of SMs between TPC and GPC; after the TLBs */
gc_step gc_step_tlb_patterns;

/* instruction_cache.c: by code that jumps. The last two need the capacity; the last one also needs
 * those of the constant L1.5. */
gc_step gc_step_instruction_capacity;
gc_step gc_step_instruction_penalty;
gc_step gc_step_instruction_sharing;
gc_step gc_step_instruction_groups; /* instruction_groups.c: needs the capacity and the penalty */

gc_step gc_step_slices; /* slices.c: L2 */
gc_step_needs gc_needs_slices;

/* sm_groups.c: groups of SMs that share a cache or a TLB. If they consist of whole TPCs, and GPCs
 * consist of several of them, they are the CPCs. CPCs are absent if an earlier call had other such
 * groups. The confidence is at most GC_ONE_WITNESS unless two calls agree. Returns 0. */
int gc_cpcs_put(struct gc_measurement *m, struct gc_measured *gpu, const struct gc_groups *groups,
                double confidence);
#define GC_ONE_WITNESS 0.94 /* most confidence in groups that only one kind of evidence shows */

/* What these steps report. */
#define GC_SET_PROPERTIES                                                                          \
  GC_SET_OF(GC_IN(SETS), GC_IN(WAYS), GC_IN(SET_INDEX_MASKS), GC_IN(SET_INDEX_ADDRESS),            \
            GC_IN(SET_WAYS), GC_IN(REPLACEMENT), GC_IN(VICTIM_SHARES))
#define GC_SLICE_PROPERTIES                                                                        \
  GC_SET_OF(GC_IN(SLICES), GC_IN(SIDE_MASK), GC_IN(SIDE_GRANULE), GC_IN(SLICE_READ))
#define GC_SM_GROUP_PROPERTIES                                                                     \
  GC_SET_OF(GC_IN(GPCS), GC_IN(GPC_SMS), GC_IN(MAX_CLUSTER_BLOCKS), GC_IN(CLUSTER_SMS),            \
            GC_IN(TPC_SMS), GC_IN(CPC_SMS), GC_IN(GPC_SIDES))
#define GC_TLB_PROPERTIES                                                                          \
  GC_SET_OF(GC_IN(ENTRIES), GC_IN(ENTRY), GC_IN(REACH), GC_IN(MISS_PENALTY), GC_IN(INSTANCES),     \
            GC_IN(PER_SM), GC_IN(SM_GROUPS))

#endif
