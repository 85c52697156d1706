/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Preloaded into the tool, makes the machine seem a hundred times faster: the clock that measures intervals passes so
 * much more slowly. The interference check compares how long a launch takes with how long its kernel ran. Behind the
 * stand-ins for HIP, a launch takes as long as the simulator needs, so a busy machine would look like a busy GPU. For
 * tests/tool/hip.bats and tests/many/killed.bats.
 *
 * With FAST_SLEEPS, nanosleep returns at once, and this clock advances by the time that it should have taken. So a
 * process that polls comes to the end of its patience after the same number of polls on every machine.
 */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define FACTOR 100
#define SECOND 1000000000LL

static atomic_llong slept;

/* By a system call, because dlsym allocates, and the allocator of a sanitizer reads the clock. */
EXPORT int clock_gettime(clockid_t id, struct timespec *t)
{
  const int status = (int)syscall(SYS_clock_gettime, id, t);

  if (!status && id == CLOCK_MONOTONIC) {
    const long long slow = (t->tv_sec * SECOND + t->tv_nsec) / FACTOR + slept;

    t->tv_sec = slow / SECOND;
    t->tv_nsec = slow % SECOND;
  }
  return status;
}

EXPORT int nanosleep(const struct timespec *time, struct timespec *left)
{
  if (!getenv("FAST_SLEEPS"))
    return (int)syscall(SYS_nanosleep, time, left);
  slept += time->tv_sec * SECOND + time->tv_nsec;
  return 0;
}
