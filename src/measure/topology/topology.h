/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Steps that find which SMs and which paths use the same cache. gc_step says what a step is.
 */
#ifndef GC_MEASURE_TOPOLOGY_TOPOLOGY_H
#define GC_MEASURE_TOPOLOGY_TOPOLOGY_H

#include "measure/core/measurement.h"

gc_step gc_step_storage;        /* sharing.c: which paths end in L1, tested early */
gc_step gc_step_sharing;        /* sharing.c: which paths end in the same storage */
gc_step gc_step_code_sharing;   /* code_sharing.c: does the constant L1.5 hold code? */
gc_step gc_step_instances;      /* instances.c: caches in an SM and on the GPU */
gc_step gc_step_sharing_groups; /* sharing_groups.c: AMD: which CUs share a scalar L1 */
gc_step gc_step_partitions;     /* partitions.c: parts of the L2, and which SMs are near to each */

gc_step_needs gc_needs_partitions;

/* What the last two report. */
#define GC_CU_GROUP_PROPERTIES                                                                     \
  GC_SET_OF(GC_IN(INSTANCES), GC_IN(PER_SM), GC_IN(SHARED_BY_CUS), GC_IN(CU_GROUPS))
#define GC_PARTITION_PROPERTIES                                                                    \
  GC_SET_OF(GC_IN(INSTANCES), GC_IN(PARTITIONS), GC_IN(PARTITION_SMS), GC_IN(NEAR_LATENCY),        \
            GC_IN(FAR_LATENCY), GC_IN(LATENCY_BY_SM))

#endif
