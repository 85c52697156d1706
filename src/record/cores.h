/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What no interface states of an SM or CU: its lanes for single-precision arithmetic, and its
 * Tensor Memory.
 */
#ifndef GC_RECORD_CORES_H
#define GC_RECORD_CORES_H

#include <stdbool.h>
#include <stdint.h>

/* A CU has 64 lanes: four SIMDs of 16 (GCN, CDNA) or two of 32 (RDNA). AMD's ISA documents. */
#define GC_CORES_PER_CU 64

/* NVIDIA: the single-precision lanes ("CUDA cores") of an SM with this compute capability, from a
 * table; 0: the table does not have this architecture. */
uint32_t gc_cores_of_capability(uint32_t major, uint32_t minor);

/* Tensor Memory of an SM: a word of 32 bits in each lane of each column. No ordinary load reaches
 * it, only instructions for tensor cores. */
#define GC_TENSOR_LANES 128
#define GC_TENSOR_COLUMNS 512
#define GC_TENSOR_BYTES (GC_TENSOR_LANES * GC_TENSOR_COLUMNS * 4)

/* NVIDIA: whether SMs of this compute capability have it. */
bool gc_has_tensor_memory(uint32_t major);

#endif
