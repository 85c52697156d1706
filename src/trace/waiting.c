/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "trace/waiting.h"

#include <signal.h>
#include <stdio.h>

#define MOST_SECONDS 2
#define MESSAGE_SECONDS 10

#ifdef HAVE_PTHREAD_MUTEX_CLOCKLOCK
#define CLOCK CLOCK_MONOTONIC
#else /* before glibc 2.30: setting the clock changes how long they wait */
#define CLOCK CLOCK_REALTIME
#define pthread_mutex_clocklock(lock, clock, until) pthread_mutex_timedlock(lock, until)
#define pthread_rwlock_clockrdlock(lock, clock, until) pthread_rwlock_timedrdlock(lock, until)
#define pthread_rwlock_clockwrlock(lock, clock, until) pthread_rwlock_timedwrlock(lock, until)
#endif

static struct timespec deadline(void)
{
  struct timespec until;

  clock_gettime(CLOCK, &until);
  until.tv_sec += MOST_SECONDS;
  return until;
}

bool gc_wait_for_mutex(pthread_mutex_t *lock)
{
  const struct timespec until = deadline();

  return !pthread_mutex_clocklock(lock, CLOCK, &until);
}

bool gc_wait_to_read(pthread_rwlock_t *lock)
{
  const struct timespec until = deadline();

  return !pthread_rwlock_clockrdlock(lock, CLOCK, &until);
}

bool gc_wait_to_write(pthread_rwlock_t *lock)
{
  const struct timespec until = deadline();

  return !pthread_rwlock_clockwrlock(lock, CLOCK, &until);
}

static void say(union sigval unused)
{
  (void)unused;
  fprintf(stderr,
          "hwloc-gpucache: recording has waited for kernels to end for %d s. If one of them waits "
          "for the CPU, or for a later launch of the same thread, the program hangs: choose other "
          "kernels with --launches and --kernel\n",
          MESSAGE_SECONDS);
}

void gc_wait_begin(struct gc_wait_message *message)
{
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = say};
  const struct itimerspec after = {.it_value.tv_sec = MESSAGE_SECONDS};

  message->running = !timer_create(CLOCK_MONOTONIC, &event, &message->timer);
  if (message->running)
    timer_settime(message->timer, 0, &after, NULL);
}

void gc_wait_end(const struct gc_wait_message *message)
{
  if (message->running)
    timer_delete(message->timer);
}
