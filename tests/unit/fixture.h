/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Texts for the tests of record and store: the files of tests/data, and variations on them.
 */
#ifndef TESTS_UNIT_FIXTURE_H
#define TESTS_UNIT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The path of a file of tests/data. */
static inline const char *fixture_path(const char *name, char *path, size_t size)
{
  const char *top = getenv("top_srcdir");

  snprintf(path, size, "%s/tests/data/%s", top ? top : ".", name);
  return path;
}

/* Its text, which the caller frees. */
static inline char *fixture_text(const char *name)
{
  char path[4096], *text = calloc(1, 1 << 17);
  FILE *file = fopen(fixture_path(name, path, sizeof(path)), "r");

  assert_non_null(text);
  if (!file)
    fail_msg("%s cannot be opened", path);
  assert_true(fread(text, 1, (1 << 17) - 1, file) > 0);
  fclose(file);
  return text;
}

/* text with its first `from` replaced; there must be one, or the test would test nothing. */
static inline char *replaced(const char *text, const char *from, const char *to)
{
  const char *at = strstr(text, from);
  char *result = malloc(strlen(text) + strlen(to) + 1);

  if (!at)
    fail_msg("the fixture has no %s", from);
  assert_non_null(result);
  sprintf(result, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
  return result;
}

#endif
