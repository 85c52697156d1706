/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Preloaded, so that its clock_gettime is found before that of the C library.
 */
#include "host-clock.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

unsigned long long gpgpusim_nanoseconds;

static int real_time(clockid_t clock, struct timespec *t)
{
  return (int)syscall(SYS_clock_gettime, clock, t);
}

extern "C" int clock_gettime(clockid_t clock, struct timespec *t) noexcept
{
  static unsigned long long opened;

  if (clock != CLOCK_MONOTONIC || !gpgpusim_nanoseconds)
    return real_time(clock, t);
  if (!opened) {
    real_time(clock, t);
    opened = t->tv_sec * 1000000000ull + t->tv_nsec;
  }
  t->tv_sec = (time_t)((opened + gpgpusim_nanoseconds) / 1000000000);
  t->tv_nsec = (long)((opened + gpgpusim_nanoseconds) % 1000000000);
  return 0;
}
