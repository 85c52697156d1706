/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * kernels/trace.c: compiled for all architectures that ptxas supported at build time (empty without
 * ptxas), and as PTX, which a ptxas can compile for others. The driver cannot: it does not know
 * that other code will call these functions.
 */
#ifndef GC_TRACE_IMAGE_H
#define GC_TRACE_IMAGE_H

#include <stdint.h>

extern const unsigned char gc_trace_image[];
extern const uint64_t gc_trace_image_bytes;
extern const unsigned char gc_trace_ptx[];
extern const uint64_t gc_trace_ptx_bytes;

#endif
