/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What `hwloc-gpucache trace` puts into the kernels of a program, and the records that it writes.
 * gcc compiles this file for the host, clang for the GPU.
 *
 * Each SM has a region of 64-bit words in memory of the GPU. What does not fit is counted, but not
 * written. A record has these words:
 *
 *   0  what (bits 0 to 31), threads that take part (bits 32 to 63)
 *   1  number of the block in the trace (bits 0 to 31), of the warp in the block (bits 32 to 36), of
 *      the launch (bits 37 to 63)
 *   2  address
 *   3  strides, if the form has any; or one address for each thread that takes part
 *
 * "what" is as in the file: doc/traces.md, "Version 2".
 */
#ifndef GPU_TRACE_H
#define GPU_TRACE_H

#include <stdint.h>

#define GPU_TRACE_PC(offset) ((offset) >> 3 & 0x3fffff)
#define GPU_TRACE_ELSEWHERE 0x3fffff /* in a function that is not in the code of the kernel */
#define GPU_TRACE_OPERATION(number) ((uint32_t)(number) << 22)
#define GPU_TRACE_SIZE(log2) ((uint32_t)(log2) << 25)
#define GPU_TRACE_FORM(number) ((uint32_t)(number) << 28)
#define GPU_TRACE_WARP UINT32_C(0x80000000) /* only in files: the record begins a warp */

enum gpu_trace_operation {
  GPU_TRACE_LOAD,
  GPU_TRACE_STORE,
  GPU_TRACE_ATOMIC,
  GPU_TRACE_BARRIER,
  GPU_TRACE_LOCAL_LOAD,
  GPU_TRACE_LOCAL_STORE,
  GPU_TRACE_ASYNC, /* cp.async: from global into shared memory */
  GPU_TRACE_BULK   /* the size is GPU_TRACE_LOAD, STORE or ATOMIC */
};

enum gpu_trace_form {
  GPU_TRACE_CONSECUTIVE, /* thread i accesses address + i * size */
  GPU_TRACE_STRIDE,      /* address + i * stride; word 3 is the stride */
  GPU_TRACE_EACH,        /* an address for each thread that takes part; "address" is 0 */
  GPU_TRACE_ROWS         /* address + i % n * stride + i / n * row; word 3: log2 n in bits 0 to 2, the
                            stride in bits 3 to 23, row in bits 24 to 63, both with sign */
};
#define GPU_TRACE_STRIDE_BITS 21
#define GPU_TRACE_ROW_WORD(log2, stride, row)                                                      \
  ((log2) | ((stride) & 0x1fffff) << 3 | (uint64_t)(row) << 24)

#define GPU_TRACE_WARP_BITS 5
#define GPU_TRACE_WARP_MASK 31

/* The region of an SM: where the next record will be, and where the region ends. "next" goes on if
 * the region is full. */
struct gpu_trace_region {
  uint64_t next, end;
};

#define GPU_TRACE_MOST_LAUNCHES 1024 /* that are recorded together: kernels of a graph */

/* In memory of the GPU: what is recorded of a launch; the addresses are valid there. A graph has a
 * table of GPU_TRACE_MOST_LAUNCHES of them; the place of a kernel is its grid's number modulo that. */
struct gpu_trace {
  uint64_t places;      /* struct gpu_trace_region[regions] */
  uint64_t start, size; /* pc of the kernel's first instruction, bytes of its code */
  uint64_t grid;        /* in a graph: the number of the grid; UINT64_MAX: none */
  uint64_t shared;      /* written with records: bytes of shared memory of a block */
  uint32_t of_graph;
  uint32_t regions;
  uint32_t launch; /* its number, shifted left by GPU_TRACE_WARP_BITS */
  /* Block b of the grid is recorded if b % period < group; inverse is UINT32_MAX / period. */
  uint32_t period, group, inverse;
};

#endif
