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

/* AMD: one code object for each processor or generic target that clang knew at build time, in no order.
 * For hipModuleLoadData; gpu_tick (args.h) is to be written after that. The last one has no processor. */
struct gc_amd_image {
  const char *processor; /* "gfx942", "gfx11-generic" */
  const unsigned char *bytes;
  const uint64_t *length;
};
extern const struct gc_amd_image gc_amd_images[];

/* The code object that runs on this processor ("gfx1101", or as HIP names it, "gfx90a:sramecc+:xnack-"): its
 * own, or that of the generic target it belongs to. NULL: none was built, or clang knew none. */
const struct gc_amd_image *gc_amd_image_for(const char *processor);

#endif
