/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Each test has its own directory, "root", with files that the test puts there.
 */
#ifndef TESTS_UNIT_TREE_H
#define TESTS_UNIT_TREE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[256];

static inline void __attribute__((format(printf, 1, 2))) shell(const char *format, ...)
{
  char command[1024];
  va_list args;

  va_start(args, format);
  assert_true((size_t)vsnprintf(command, sizeof(command), format, args) < sizeof(command));
  va_end(args);
  if (system(command))
    fail_msg("%s", command);
}

static inline int make_root(void **state)
{
  const char *tmp = getenv("TMPDIR");

  (void)state;
  unsetenv("XDG_RUNTIME_DIR"); /* nothing is remembered from one list of GPUs to the next */
  snprintf(root, sizeof(root), "%s/gpucache-test-XXXXXX", tmp && *tmp ? tmp : "/tmp");
  assert_non_null(mkdtemp(root));
  return 0;
}

static inline int remove_root(void **state)
{
  (void)state;
  shell("chmod -R u+rwx '%s' && rm -rf '%s'", root, root);
  return 0;
}

static inline char *path_of(const char *file)
{
  static char path[PATH_MAX];

  snprintf(path, sizeof(path), "%s/%s", root, file);
  return path;
}

/* Writes a file with this text, and creates missing directories. */
static inline void put(const char *file, const char *text)
{
  char *path = path_of(file);
  FILE *stream;

  for (char *slash = strchr(path + strlen(root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    mkdir(path, 0755);
    *slash = '/';
  }
  stream = fopen(path, "w");
  if (!stream)
    fail_msg("%s: %s", path, strerror(errno));
  fputs(text, stream);
  fclose(stream);
}

/* Adds an AMD GPU as tests/data/amd-tree.sh writes it. */
static inline void add_amd(const char *model, unsigned node, const char *bus_id)
{
  const char *top = getenv("top_srcdir");

  shell("%s/tests/data/amd-tree.sh %s %s %u %s", top ? top : ".", root, model, node, bus_id);
}

/* How many descriptors this process has open. */
static inline unsigned descriptors(void)
{
  DIR *stream = opendir("/proc/self/fd");
  unsigned count = 0;

  assert_non_null(stream);
  while (readdir(stream))
    count++;
  closedir(stream);
  return count;
}

#endif
