/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The copies of the environment that a thread uses.
 */
#define _GNU_SOURCE
#include "fixture.h"

#include "util/env.h"

#include <pthread.h>
#include <unistd.h>

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
  assert_int_equal(chdir("/"), 0);
  for (int i = 0; i < GC_ENV_COUNT; i++) {
    assert_true(gc_env_name((enum gc_env_variable)i)[0]);
    setenv(gc_env_name((enum gc_env_variable)i), gc_env_name((enum gc_env_variable)i), 1);
  }
  copy = gc_env_copy();
  assert_non_null(copy);
  for (int i = 0; i < GC_ENV_COUNT; i++)
    assert_string_equal(copy->values[i] + (copy->values[i][0] == '/' ? 2 : 0),
                        gc_env_name((enum gc_env_variable)i));
  free(copy);
}

/* They mean the same file after another thread has changed the working directory. */
static void relative_paths_become_absolute(void **state)
{
  static const struct {
    const char *text, *absolute;
    char separator;
    bool names;
  } texts[] = {
      {"records", "/proc/records", '\0', false},
      {"/records", "/records", '\0', false},
      {"a:b", "/proc/a:b", '\0', false},
      {"a:/b::c/d:", "/proc/a:/b::/proc/c/d:", ':', false},
      {"h200,./x,/y,", "h200,/proc/./x,/y,", ',', true},
      {"", "", '\0', false},
      {",", ",", ',', true},
      {" ./x, h200 ,\t/y", "/proc/./x,h200 ,/y", ',', true},
      {" x: y", "/proc/ x:/proc/ y", ':', false},
  };
  struct gc_env *copy;

  (void)state;
  assert_int_equal(chdir("/proc"), 0);
  for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
    char *absolute = gc_env_absolute(texts[i].text, texts[i].separator, texts[i].names);

    assert_non_null(absolute);
    assert_string_equal(absolute, texts[i].absolute);
    free(absolute);
  }
  setenv("HWLOC_GPUCACHE_DIR", "records", 1);
  setenv("HWLOC_GPUCACHE_SIM_PATH", "sim:/sim", 1);
  copy = gc_env_copy();
  assert_int_equal(chdir("/"), 0);
  assert_non_null(copy);
  assert_string_equal(copy->values[GC_ENV_DIR], "/proc/records");
  assert_string_equal(copy->values[GC_ENV_SIM_PATH], "/proc/sim:/sim");
  free(copy);
}

static bool has(char *const *entries, const char *entry)
{
  for (; *entries; entries++)
    if (!strcmp(*entries, entry))
      return true;
  return false;
}

static void settings_are_merged(void **state)
{
  static const char *const set[] = {"GC_NEW=1", "GC_OLD=new", "GC_GONE", NULL};
  char **merged, *none[] = {NULL}, **before;

  (void)state;
  setenv("GC_OLD", "old", 1);
  setenv("GC_GONE", "here", 1);
  setenv("GC_GONE2", "here", 1);
  merged = gc_env_merge(set);
  setenv("GC_GONE2", "changed", 1);
  assert_non_null(merged);
  assert_true(has(merged, "GC_NEW=1") && has(merged, "GC_OLD=new") && has(merged, "GC_GONE2=here"));
  assert_false(has(merged, "GC_OLD=old") || has(merged, "GC_GONE=here"));
  free(merged);
  before = environ;
  environ = none;
  merged = gc_env_merge(NULL);
  environ = before;
  assert_non_null(merged);
  assert_null(*merged);
  free(merged);
}

static char longer[1 << 16], shorter[] = "GC_ENTRY=1";

/* Another thread may replace an entry at any moment. */
static void *replace(void *stop)
{
  char **entry = environ;

  while (strncmp(*entry, "GC_ENTRY=", 9))
    entry++;
  while (!*(volatile bool *)stop) {
    *(char *volatile *)entry = longer;
    *(char *volatile *)entry = shorter;
  }
  return NULL;
}

static void an_entry_is_replaced_meanwhile(void **state)
{
  static bool stop;
  const time_t end = time(NULL) + 60;
  unsigned seen[2] = {0};
  pthread_t thread;

  (void)state;
  memset(longer, 'x', sizeof(longer) - 1);
  memcpy(longer, shorter, sizeof(shorter) - 1);
  putenv(shorter);
  assert_int_equal(pthread_create(&thread, NULL, replace, &stop), 0);
  /* on a busy machine, the other thread may begin late */
  for (int i = 0; i < 2000 || ((!seen[0] || !seen[1]) && time(NULL) < end); i++) {
    char **merged = gc_env_merge(NULL);

    assert_non_null(merged);
    if (has(merged, shorter))
      seen[0]++;
    else if (has(merged, longer))
      seen[1]++;
    else
      fail_msg("the entry is lost or cut");
    free(merged);
  }
  *(volatile bool *)&stop = true;
  pthread_join(thread, NULL);
  assert_true(seen[0] && seen[1]);
}

/* The path of such a directory would be two items of the list. */
static void a_directory_has_the_separator(void **state)
{
  char name[] = "/tmp/a,b-XXXXXX", *absolute;

  (void)state;
  assert_non_null(mkdtemp(name));
  assert_int_equal(chdir(name), 0);
  assert_non_null(absolute = gc_env_absolute("./x,h200", ',', true));
  assert_string_equal(absolute, "./x,h200");
  free(absolute);
  assert_non_null(absolute = gc_env_absolute("x", '\0', false));
  assert_memory_equal(absolute, name, strlen(name));
  free(absolute);
  assert_int_equal(chdir("/"), 0);
  assert_int_equal(rmdir(name), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_copy_does_not_change),
      cmocka_unit_test(every_variable_is_copied),
      cmocka_unit_test(relative_paths_become_absolute),
      cmocka_unit_test(a_directory_has_the_separator),
      cmocka_unit_test(settings_are_merged),
      cmocka_unit_test(an_entry_is_replaced_meanwhile),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
