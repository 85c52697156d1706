/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Preloaded into a program: the clock that measures intervals stands still until the file $LEAP_AFTER exists, and is
 * $LEAP seconds ahead from then on. So a deadline comes after the events of a test, however slow the machine is.
 *
 * poll() and sigtimedwait() return after a short time, so that their caller reads the clock again.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define SHORT_MS 20

static struct timespec start;
static char after[4096]; /* $LEAP_AFTER; empty: the clock is the usual one */
static int seconds;

/* Not when the clock is read, because a sanitizer reads it before there is an environment. */
__attribute__((constructor)) static void begin(void)
{
  const char *file = getenv("LEAP_AFTER"), *leap = getenv("LEAP");

  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &start);
  seconds = leap ? atoi(leap) : 0;
  if (file && strlen(file) < sizeof after)
    memcpy(after, file, strlen(file) + 1);
}

/* By a system call, because dlsym allocates, and the allocator of a sanitizer reads the clock. */
EXPORT int clock_gettime(clockid_t id, struct timespec *t)
{
  if (id != CLOCK_MONOTONIC || !*after)
    return (int)syscall(SYS_clock_gettime, id, t);
  *t = start;
  if (!access(after, F_OK))
    t->tv_sec += seconds;
  return 0;
}

EXPORT int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *unused)
{
  const struct timespec wait = {0, SHORT_MS * 1000000L};

  (void)unused;
  pthread_testcancel(); /* sigtimedwait lets a thread be cancelled, a system call does not */
  return (int)syscall(SYS_rt_sigtimedwait, set, info, &wait, _NSIG / 8);
}

EXPORT int poll(struct pollfd *fds, nfds_t count, int ms)
{
  const struct timespec wait = {0, (ms < 0 || ms > SHORT_MS ? SHORT_MS : ms) * 1000000L};

  return ppoll(fds, count, &wait, NULL);
}
