/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Each test has its own empty directory with a store: "records" is what HWLOC_GPUCACHE_DIR names
 * unless a test sets something else, "site" the site's directory (GC_SITE_DIR of test_store),
 * "home" for tests of $HOME.
 */
#ifndef TESTS_UNIT_STORE_H
#define TESTS_UNIT_STORE_H

#include "fixture.h"
#include "tree.h"

#include "store/file.h"
#include "store/store.h"

#define ID "GPU-01234567-89ab-cdef-0123-456789abcdef"
#define RECORD "records/" ID ".xml"

static const struct gc_identity h200 = { ID, "NVIDIA H200", "580.95.05", "96.00.BC.00.01", "disabled" };
static char *good; /* its record */
static struct gc_error err;

static inline int load_good(void **state)
{
  (void)state;
  good = fixture_text("record-good.xml");
  return 0;
}

static inline int free_good(void **state)
{
  (void)state;
  free(good);
  return 0;
}

static inline int set_up(void **state)
{
  make_root(state);
  if (chdir(root) || mkdir("home", 0700) || mkdir("site", 0755))
    return -1;
  umask(022);
  unsetenv("XDG_CACHE_HOME");
  setenv("HOME", "/nonexistent", 1);
  return setenv("HWLOC_GPUCACHE_DIR", "records", 1);
}

static inline int tear_down(void **state)
{
  return chdir("/") || remove_root(state);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

static inline char *get(const char *path)
{
  char *text = calloc(1, 1 << 17);
  FILE *file = fopen(path, "r");

  if (!file)
    fail_msg("%s: %s", path, strerror(errno));
  assert_true(fread(text, 1, (1 << 17) - 1, file) < (1 << 17) - 1);
  fclose(file);
  return text;
}

/* The number of files in a directory with `what` in their names; name: of the last one, or NULL. */
static inline unsigned files(const char *dir, const char *what, char *name)
{
  DIR *stream = opendir(dir);
  struct dirent *entry;
  unsigned count = 0;

  assert_non_null(stream);
  while ((entry = readdir(stream)))
    if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") && strstr(entry->d_name, what)) {
      count++;
      if (name)
        sprintf(name, "%s/%.200s", dir, entry->d_name);
    }
  closedir(stream);
  return count;
}

static inline int find_status(void)
{
  struct gc_record *record = NULL;
  int status;

  err.text[0] = '\0';
  status = gc_store_find(&h200, &record, &err);
  if (!status) {
    gc_record_free(record);
  } else {
    assert_null(record);
    assert_true(err.text[0] != '\0');
  }
  return status;
}

static inline void expect_find(int expected, const char *sentence)
{
  int status = find_status();

  if (status != expected || (expected && !strstr(err.text, sentence)))
    fail_msg("find: %d \"%s\", expected %d \"%s\"", status, err.text, expected,
             expected ? sentence : "");
}

static inline int write_good(void)
{
  err.text[0] = '\0';
  return gc_store_write(&h200, good, strlen(good), &err);
}

#endif
