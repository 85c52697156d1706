/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Random samples, and values that are compared within a tolerance, for tests of statistics.
 */
#ifndef TESTS_UNIT_SAMPLES_H
#define TESTS_UNIT_SAMPLES_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static inline void near(double value, double expected, double tolerance)
{
  if (!(fabs(value - expected) <= tolerance))
    fail_msg("%g is not %g +- %g", value, expected, tolerance);
}

/* A small random generator with the same sequence on every machine. */
static uint64_t seed;
static inline double uniform(void)
{
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) / 9007199254740992.0;
}

#endif
