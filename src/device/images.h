/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The compiled kernels, which are part of the program: all kernels of args.h in one module per
 * vendor. Constant data.
 */
#ifndef GC_DEVICE_IMAGES_H
#define GC_DEVICE_IMAGES_H

#include <stdint.h>

/* NVIDIA: a fat binary with machine code for all architectures that ptxas supported at build time,
 * and PTX for newer ones. Without ptxas: PTX only. Ends with a NUL in both cases. For
 * cuModuleLoadData. */
extern const unsigned char gc_cuda_image[];
extern const uint64_t gc_cuda_image_bytes;

/* The same for copies.c: the kernels that need several constant banks, to be loaded several
 * times. */
extern const unsigned char gc_cuda_copies_image[];
extern const uint64_t gc_cuda_copies_image_bytes;

/* The same for filler.c, which is long and seldom needed. */
extern const unsigned char gc_cuda_filler_image[];
extern const uint64_t gc_cuda_filler_image_bytes;

/* The same for cluster.c, which GPUs before compute capability 9.0 cannot load. */
extern const unsigned char gc_cuda_cluster_image[];
extern const uint64_t gc_cuda_cluster_image_bytes;

/* The same for bulk.c. */
extern const unsigned char gc_cuda_bulk_image[];
extern const uint64_t gc_cuda_bulk_image_bytes;

/* The same for system.c, which GPUs before compute capability 6.0 cannot load. */
extern const unsigned char gc_cuda_system_image[];
extern const uint64_t gc_cuda_system_image_bytes;

/* The same for jumps.c: machine code only. Empty (0 bytes) if this program was built without ptxas. */
extern const unsigned char gc_cuda_jumps_image[];
extern const uint64_t gc_cuda_jumps_image_bytes;

/* AMD: one code object for each processor or generic target that clang supported at build time, in
 * no order. The last entry has no processor. For hipModuleLoadData; afterwards the caller writes
 * gpu_tick (args.h). */
struct gc_amd_image {
  const char *processor; /* "gfx942", "gfx11-generic" */
  const unsigned char *bytes;
  const uint64_t *length;
};
extern const struct gc_amd_image gc_amd_images[];

/* The code object for this processor ("gfx1101", or as HIP names it, "gfx90a:sramecc+:xnack-"): its
 * own, or that of its generic target. NULL: the build has none. */
const struct gc_amd_image *gc_amd_image_for(const char *processor);

#endif
