/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/clock.h"

#include <time.h>

double gc_now_ms(void)
{
  struct timespec t;

  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}
