/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The copy of the environment that a thread uses.
 */
#include "fixture.h"

#include "util/env.h"

static void a_copy_does_not_change(void **state)
{
  const struct gc_env *copy;

  (void)state;
  setenv("HWLOC_GPUCACHE_DIR", "/before", 1);
  setenv("CUDA_VISIBLE_DEVICES", "", 1);
  unsetenv("XDG_RUNTIME_DIR");
  copy = gc_env_copy();
  assert_non_null(copy);
  gc_env_use(copy);
  setenv("HWLOC_GPUCACHE_DIR", "/after", 1);
  unsetenv("CUDA_VISIBLE_DEVICES");
  setenv("XDG_RUNTIME_DIR", "/run", 1);
  assert_string_equal(gc_env_get(GC_ENV_DIR), "/before");
  assert_string_equal(gc_env_get(GC_ENV_CUDA_VISIBLE_DEVICES), "");
  assert_null(gc_env_get(GC_ENV_XDG_RUNTIME_DIR));
  gc_env_use(NULL);
  assert_string_equal(gc_env_get(GC_ENV_DIR), "/after");
  assert_null(gc_env_get(GC_ENV_CUDA_VISIBLE_DEVICES));
  assert_string_equal(gc_env_get(GC_ENV_XDG_RUNTIME_DIR), "/run");
  free((void *)copy);
}

/* Each variable has a name, and its value is copied. */
static void every_variable_is_copied(void **state)
{
  struct gc_env *copy;

  (void)state;
  for (int i = 0; i < GC_ENV_COUNT; i++) {
    assert_true(gc_env_name((enum gc_env_variable)i)[0]);
    setenv(gc_env_name((enum gc_env_variable)i), gc_env_name((enum gc_env_variable)i), 1);
  }
  copy = gc_env_copy();
  assert_non_null(copy);
  for (int i = 0; i < GC_ENV_COUNT; i++)
    assert_string_equal(copy->values[i], gc_env_name((enum gc_env_variable)i));
  free(copy);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_copy_does_not_change),
      cmocka_unit_test(every_variable_is_copied),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
