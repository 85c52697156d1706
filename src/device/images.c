/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Embeds the compiled kernels into the program.
 */
#include "config.h"

#include "device/images.h"

#include "util/embed.h"

#include <stddef.h>
#include <string.h>

IMAGE("gc_cuda_image", "kernels/cuda.image")
IMAGE("gc_cuda_copies_image", "kernels/copies.image")
IMAGE("gc_cuda_filler_image", "kernels/filler.image")
IMAGE("gc_cuda_cluster_image", "kernels/cluster.image")
IMAGE("gc_cuda_bulk_image", "kernels/bulk.image")
IMAGE("gc_cuda_jumps_image", "kernels/jumps.image")
IMAGE("gc_cuda_system_image", "kernels/system.image")

#define PROCESSOR(name, file, symbol)                                                              \
  IMAGE(#symbol, file)                                                                             \
  extern const unsigned char symbol[];                                                             \
  extern const uint64_t symbol##_bytes;
AMD_PROCESSORS(PROCESSOR)
#undef PROCESSOR

const struct gc_amd_image gc_amd_images[] = {
#define PROCESSOR(name, file, symbol) {name, symbol, &symbol##_bytes},
    AMD_PROCESSORS(PROCESSOR)
#undef PROCESSOR
        {NULL, NULL, NULL}};

/* The processors of each generic target: LLVM, "User Guide for AMDGPU Backend", table of generic
 * processors. */
static const struct {
  const char *generic, *processors[12];
} families[] = {
    {"gfx9-generic", {"gfx900", "gfx902", "gfx904", "gfx906", "gfx909", "gfx90c"}},
    {"gfx9-4-generic", {"gfx940", "gfx941", "gfx942", "gfx950"}},
    {"gfx10-1-generic", {"gfx1010", "gfx1011", "gfx1012", "gfx1013"}},
    {"gfx10-3-generic",
     {"gfx1030", "gfx1031", "gfx1032", "gfx1033", "gfx1034", "gfx1035", "gfx1036"}},
    {"gfx11-generic",
     {"gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151", "gfx1152", "gfx1153"}},
    {"gfx12-generic", {"gfx1200", "gfx1201"}},
};

static const struct gc_amd_image *find(const char *processor, size_t length)
{
  for (const struct gc_amd_image *image = gc_amd_images; image->processor; image++)
    if (strlen(image->processor) == length && !memcmp(image->processor, processor, length))
      return image;
  return NULL;
}

const struct gc_amd_image *gc_amd_image_for(const char *processor)
{
  const size_t length = strcspn(processor, ":");
  const struct gc_amd_image *image = find(processor, length);

  for (size_t f = 0; !image && f < sizeof(families) / sizeof(*families); f++)
    for (const char *const *p = families[f].processors; !image && *p; p++)
      if (strlen(*p) == length && !memcmp(*p, processor, length))
        image = find(families[f].generic, strlen(families[f].generic));
  return image;
}
