/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Preloaded into the tool, makes the machine seem a hundred times faster: the clock that measures intervals passes so
 * much more slowly. The interference check compares how long a launch takes with how long its kernel ran. Behind the
 * stand-ins for HIP, a launch takes as long as the simulator needs, so a busy machine would look like a busy GPU. For
 * tests/tool/hip.bats and tests/many/killed.bats.
 */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define FACTOR 100
#define SECOND 1000000000LL

/* By a system call, because dlsym allocates, and the allocator of a sanitizer reads the clock. */
EXPORT int clock_gettime(clockid_t id, struct timespec *t)
{
  const int status = (int)syscall(SYS_clock_gettime, id, t);

  if (!status && id == CLOCK_MONOTONIC) {
    const long long slow = (t->tv_sec * SECOND + t->tv_nsec) / FACTOR;

    t->tv_sec = slow / SECOND;
    t->tv_nsec = slow % SECOND;
  }
  return status;
}
