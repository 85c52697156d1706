/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What a driver finds in each image for a GPU. For a GPU that is newer than the ptxas of this build,
 * that is PTX, which the driver compiles. Only the image of the jumps has none, because their layout
 * must be the one that ptxas made.
 *
 * A fat binary has a header (magic, version and length of the header, length of the rest) and
 * entries, each with a header (kind, version, length of the header, length of the rest ...).
 * Machine code runs on GPUs with the same major and the same or a higher minor number; PTX can be
 * compiled for all GPUs from its number on (CUDA C++ Programming Guide, "Compilation with NVCC").
 */
#include "device/images.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAGIC = 0xba55ed50, PTX = 1, ELF = 2, AT_ARCHITECTURE = 28 };

static int failures;

static uint64_t number(const unsigned char *at, unsigned bytes)
{
  uint64_t value = 0;

  while (bytes--)
    value = value << 8 | at[bytes];
  return value;
}

/* The kind of entry that a GPU gets; 0: none. */
static unsigned kind_for(const unsigned char *image, uint64_t bytes, unsigned gpu)
{
  unsigned found = 0;
  uint64_t end;

  if (bytes < 16 || number(image, 4) != MAGIC) { /* text, if the build has no ptxas */
    const char *target = bytes ? strstr((const char *)image, "\n.target sm_") : NULL;

    return target && (unsigned)atoi(target + 12) <= gpu ? PTX : 0;
  }
  end = number(image + 6, 2) + number(image + 8, 8);
  if (end > bytes)
    return printf("an image of %llu bytes that should have %llu\n", (unsigned long long)bytes,
                  (unsigned long long)end),
           failures++, 0;
  for (uint64_t at = number(image + 6, 2); at + AT_ARCHITECTURE + 4 <= end;
       at += number(image + at + 4, 4) + number(image + at + 8, 8)) {
    const unsigned kind = (unsigned)number(image + at, 2);
    const unsigned built_for = (unsigned)number(image + at + AT_ARCHITECTURE, 4);

    if (kind == ELF && built_for / 10 == gpu / 10 && built_for <= gpu)
      return ELF;
    if (kind == PTX && built_for <= gpu)
      found = PTX;
  }
  return found;
}

#define EXPECT(name, gpu, kind)                                                                    \
  expect(#name, kind_for(gc_cuda_##name##_image, gc_cuda_##name##_image_bytes, gpu), gpu, kind)
#define gc_cuda_kernels_image gc_cuda_image
#define gc_cuda_kernels_image_bytes gc_cuda_image_bytes

static void expect(const char *name, unsigned got, unsigned gpu, unsigned expected)
{
  static const char *const kinds[] = {"nothing", "PTX", "machine code"};

  if (got == expected)
    return;
  printf("%s: sm_%u gets %s, not %s\n", name, gpu, kinds[got], kinds[expected]);
  failures++;
}

int main(void)
{
  unsigned built = 0;

  /* a generation that no ptxas knows, and the first GPUs of each kind of kernel */
  EXPECT(kernels, 995, PTX);
  EXPECT(copies, 995, PTX);
  EXPECT(filler, 995, PTX);
  EXPECT(cluster, 995, PTX);
  EXPECT(bulk, 995, PTX);
  EXPECT(system, 995, PTX);
  EXPECT(jumps, 995, 0);
  EXPECT(kernels, 35, PTX);
  EXPECT(system, 50, 0);
  EXPECT(system, 60, PTX);
  EXPECT(cluster, 89, 0);
  EXPECT(bulk, 89, 0);
  for (unsigned gpu = 35; gpu < 995; gpu++) {
    if (kind_for(gc_cuda_image, gc_cuda_image_bytes, gpu) != ELF)
      continue;
    EXPECT(copies, gpu, ELF);
    EXPECT(filler, gpu, ELF);
    EXPECT(system, gpu, ELF);
    EXPECT(jumps, gpu, ELF);
    EXPECT(cluster, gpu, gpu < 90 ? 0 : ELF);
    if (number(gc_cuda_bulk_image, 4) == MAGIC) /* text, if ptxas is too old for its PTX */
      EXPECT(bulk, gpu, gpu < 90 ? 0 : ELF);
    built++;
  }
  printf("machine code for %u numbers of architectures, PTX for all others; %d failures\n", built,
         failures);
  return failures > 0;
}
