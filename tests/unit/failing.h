/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One allocation of a test program fails. Linked with --wrap=malloc,--wrap=calloc,--wrap=realloc,
 * --wrap=strdup, so libraries keep their memory. One file of the program includes this.
 */
#ifndef GC_TESTS_UNIT_FAILING_H
#define GC_TESTS_UNIT_FAILING_H

#include <stddef.h>

static long until_failure = -1; /* the allocation after so many fails; -1: none */
static unsigned long failures;

static int fails(void)
{
  if (until_failure < 0 || until_failure-- > 0)
    return 0;
  failures++;
  return 1;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);

void *__wrap_malloc(size_t size)
{
  return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
  return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
  return fails() ? NULL : __real_realloc(old, size);
}

char *__wrap_strdup(const char *text)
{
  return fails() ? NULL : __real_strdup(text);
}

#endif
