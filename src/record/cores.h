/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The lanes for single-precision arithmetic of an SM or CU, which no interface states.
 */
#ifndef GC_RECORD_CORES_H
#define GC_RECORD_CORES_H

#include <stdint.h>

/* A CU has 64 lanes: four SIMDs of 16 (GCN, CDNA) or two of 32 (RDNA). AMD's ISA documents. */
#define GC_CORES_PER_CU 64

/* NVIDIA: the single-precision lanes ("CUDA cores") of an SM with this compute capability, from a
 * table; 0: the table does not have this architecture. */
uint32_t gc_cores_of_capability(uint32_t major, uint32_t minor);

#endif
