/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The compiled kernels, inside the program: every kernel of args.h in one module per vendor.
 */
#ifndef GPU_IMAGES_H
#define GPU_IMAGES_H

#include <stdint.h>

/* NVIDIA: a fat binary with machine code for every architecture that ptxas knew at build time and
 * PTX for the others, or without ptxas the PTX alone; ends in a NUL either way. For
 * cuModuleLoadData. */
extern const unsigned char gc_cuda_image[];
extern const uint64_t gc_cuda_image_bytes;

/* The same of stretch.c: long, and seldom needed. */
extern const unsigned char gc_cuda_stretch_image[];
extern const uint64_t gc_cuda_stretch_image_bytes;

#endif
