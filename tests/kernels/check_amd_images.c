/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which code object a processor gets: its own, else that of its generic target, else none. The
 * objects that exist depend on the version of clang, and so do the expectations.
 */
#include "device/images.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#ifndef EM_AMDGPU
#define EM_AMDGPU 224
#endif

static int failures;

static int is_built(const char *name)
{
  for (const struct gc_amd_image *image = gc_amd_images; image->processor; image++)
    if (!strcmp(image->processor, name))
      return 1;
  return 0;
}

/* own, generic: names of objects, "" for none. An object that was not built is not expected. */
static void expect(const char *processor, const char *own, const char *generic)
{
  const struct gc_amd_image *image = gc_amd_image_for(processor);
  const char *expected = is_built(own) ? own : is_built(generic) ? generic : "none";
  const char *got = image ? image->processor : "none";

  if (strcmp(got, expected)) {
    printf("%s gets %s, not %s\n", processor, got, expected);
    failures++;
  }
}

static void check_image(const struct gc_amd_image *image)
{
  Elf64_Ehdr header;

  if (*image->length < sizeof(header)) {
    printf("%s: %llu bytes\n", image->processor, (unsigned long long)*image->length);
    failures++;
    return;
  }
  memcpy(&header, image->bytes, sizeof(header));
  if (memcmp(header.e_ident, ELFMAG, SELFMAG) || header.e_machine != EM_AMDGPU ||
      header.e_shoff + (uint64_t)header.e_shnum * header.e_shentsize > *image->length) {
    printf("%s: not a complete object for AMD GPUs\n", image->processor);
    failures++;
  }
}

int main(void)
{
  int images = 0;

  for (const struct gc_amd_image *image = gc_amd_images; image->processor; image++, images++)
    check_image(image);
  expect("gfx906", "gfx906", "gfx9-generic");
  expect("gfx906:sramecc-:xnack-", "gfx906", "gfx9-generic");
  expect("gfx900", "gfx900", "gfx9-generic");
  expect("gfx90c:xnack+", "gfx90c", "gfx9-generic");
  expect("gfx908", "gfx908", "");
  expect("gfx90a:sramecc+:xnack-", "gfx90a", "");
  expect("gfx942", "gfx942", "gfx9-4-generic");
  expect("gfx950", "gfx950", "gfx9-4-generic");
  expect("gfx1010", "gfx1010", "gfx10-1-generic");
  expect("gfx1030", "gfx1030", "gfx10-3-generic");
  expect("gfx1036", "gfx1036", "gfx10-3-generic");
  expect("gfx1101", "gfx1101", "gfx11-generic");
  expect("gfx1103", "gfx1103", "gfx11-generic");
  expect("gfx1151", "gfx1151", "gfx11-generic");
  expect("gfx1152", "gfx1152", "gfx11-generic");
  expect("gfx1153", "gfx1153", "gfx11-generic");
  expect("gfx1201", "gfx1201", "gfx12-generic");
  expect("gfx1250", "", ""); /* gfx12-generic does not cover it */
  expect("gfx1251", "", "");
  expect("gfx803", "", "");
  expect("gfx110", "", "");
  expect("gfx11000", "", "");
  expect("gfx9-generi", "", "");
  expect("", "", "");
  expect(":", "", "");
  printf("%d code objects, %d failures\n", images, failures);
  return failures > 0;
}
