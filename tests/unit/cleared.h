/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Each test of results starts with cleared ones. They are too large for the stack of every test.
 */
#ifndef TESTS_UNIT_CLEARED_H
#define TESTS_UNIT_CLEARED_H

#include "measure/results/results.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static inline int clear(void **state)
{
  struct gc_results *results = malloc(sizeof(*results));

  assert_non_null(results);
  gc_results_clear(results);
  *state = results;
  return 0;
}

static inline int discard(void **state)
{
  free(*state);
  return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, clear, discard)

#endif
