/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * kernels/trace.c, compiled for all architectures that ptxas supported at build time; empty without
 * ptxas.
 */
#ifndef GC_TRACE_IMAGE_H
#define GC_TRACE_IMAGE_H

#include <stdint.h>

extern const unsigned char gc_trace_image[];
extern const uint64_t gc_trace_image_bytes;

#endif
