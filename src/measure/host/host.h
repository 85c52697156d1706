/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Steps that find how the GPU reaches the host and other GPUs. gc_step says what a step is.
 */
#ifndef GC_MEASURE_HOST_HOST_H
#define GC_MEASURE_HOST_HOST_H

#include "measure/core/measurement.h"

gc_step gc_step_host_memory; /* host_memory.c: memory of each NUMA node */
gc_step gc_step_peers;       /* peers.c: memory of each other GPU */

/* What it reports. */
#define GC_HOST_PROPERTIES                                                                         \
  GC_SET_OF(GC_IN(HOST_READ), GC_IN(HOST_WRITE), GC_IN(HOST_COPY_TO), GC_IN(HOST_COPY_FROM),       \
            GC_IN(HOST_COPY_BOTH), GC_IN(HOST_LATENCY), GC_IN(HOST_ATOMIC_LATENCY))
#define GC_PEER_PROPERTIES                                                                         \
  GC_SET_OF(GC_IN(PEER_READ), GC_IN(PEER_WRITE), GC_IN(PEER_COPY), GC_IN(PEER_LATENCY),            \
            GC_IN(PEER_PATH))

#endif
