/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests of the HIP back end with its stand-in library (fake-hip.c), whose GPU is a simulated MI210.
 *
 * The stand-in has the soname libamdhip64.so.7, so that dlopen of that name finds it once it is
 * loaded. tests/tool/hip.bats tests the search for the library.
 */
#ifndef TESTS_UNIT_HIP_H
#define TESTS_UNIT_HIP_H

#include "fake-hip.h"
#include "device/images.h"

#include "backend.h"

#define UUID "GPU-0123456789abcdef"
#define CUS 104

static const char *const variables[] = {"ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES",
                                        "CUDA_VISIBLE_DEVICES", "FAKE_HIP_FAIL", "FAKE_HIP_LAUNCHES",
                                        "FAKE_HIP_PROFILE"};

static inline void clean_environment(void)
{
  for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
    unsetenv(variables[i]);
}

static inline int set_up(void **state)
{
  struct fixture *f = calloc(1, sizeof(*f));
  void (*reset)(void);

  assert_non_null(f);
  clean_environment();
  f->library = load_library("hip-7/.libs/libamdhip64.so.7");
  f->fake = dlsym(f->library, "fake_hip");
  *(void **)&reset = dlsym(f->library, "fake_hip_reset");
  assert_non_null(f->fake);
  assert_non_null(reset);
  reset();
  f->gpu = (struct gc_gpu){.vendor = GC_VENDOR_AMD, .has_pci = true, .bus = 0xa, .name = "gpu3",
                           .gfx = "gfx90a",
                           .amd = {.uuid = UUID, .own_uuid = true, .own_bus_id = true, .parts = 1,
                                   .rocr = UUID}};
  strcpy(f->gpu.identity.id, UUID);
  strcpy(f->gpu.identity.model, "as sysfs calls it");
  *state = f;
  return 0;
}

static inline int tear_down(void **state)
{
  struct fixture *f = *state;

  clean_environment();
  close_device(f);
  assert_string_equal(f->fake->violation, "");
  assert_int_equal(f->fake->modules, 0);
  assert_int_equal(f->fake->allocations, 0);
  assert_int_equal(f->fake->pinned, 0);
  gc_record_free(f->gpu.tables);
  free(f);
  return 0;
}

/* Tests that open the GPU need a code object for it, which the build may lack. */
static inline int set_up_gpu(void **state)
{
  if (!gc_amd_image_for("gfx90a")) {
    printf("SKIPPED: this build has no kernels for gfx90a\n");
    *state = NULL;
    return 0;
  }
  return set_up(state);
}

static inline int tear_down_gpu(void **state)
{
  return *state ? tear_down(state) : 0;
}

static inline struct fixture *fixture_of(void **state)
{
  if (!*state)
    skip();
  return *state;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
#define GPU_TEST(name) cmocka_unit_test_setup_teardown(name, set_up_gpu, tear_down_gpu)

#endif
