/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which SMs run the blocks of one cluster. doc/methods.md, "Groups of SMs".
 */
#ifndef GC_MEASURE_STRUCTURE_CLUSTERS_H
#define GC_MEASURE_STRUCTURE_CLUSTERS_H

#include "measure/core/measurement.h"

#define GC_CLUSTER_PAIRS 8 /* launches in clusters of two blocks */

/* SMs are indices (core/placement.h). */
struct gc_clusters {
  struct gc_groups groups;      /* SMs that clusters connect, directly or through others */
  bool joined[GC_SMS_MAX];      /* a cluster of three or more blocks has reached the SM */
  uint32_t partner[GC_SMS_MAX]; /* the SM with the other block of a cluster of two; UINT32_MAX:
                                   there is none */
  bool partners_vary;           /* not the same in every launch */
  uint32_t reached;             /* SMs that clusters of the largest size have reached */
  uint32_t agreeing;            /* launches since the last one that changed anything */
  bool settled;                 /* the last launches of every size changed nothing */
};

/* Launches clusters of all sizes up to `largest`, which is 2 or more, until nothing changes.
 * results->sm_number must be complete. */
int gc_clusters_find(struct gc_measurement *m, uint32_t largest, struct gc_clusters *clusters);

#endif
