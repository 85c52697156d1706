/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A thread that waits for the signals that end a program, and for the deadline. A driver call that
 * hangs cannot be cancelled, and a handler could not clean up; a thread can do both, because all
 * others block these signals.
 */
#include "tool/tool.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct {
  pthread_t thread;
  pthread_mutex_t held;
  bool running;
  sigset_t signals, before;
  struct timespec deadline; /* tv_sec 0: none */
  double seconds;
  const char *gpu;
  void (*at_end)(void *data);
  void *data;
} watch = {.held = PTHREAD_MUTEX_INITIALIZER};

/* What is left until the deadline; false when it has passed. */
static bool time_left(struct timespec *left)
{
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  left->tv_sec = watch.deadline.tv_sec - now.tv_sec;
  left->tv_nsec = watch.deadline.tv_nsec - now.tv_nsec;
  if (left->tv_nsec < 0) {
    left->tv_nsec += 1000000000;
    left->tv_sec--;
  }
  return left->tv_sec >= 0;
}

/* The signal that came, or 0 at the deadline. */
static int await_end(void)
{
  struct timespec left;
  int number;

  for (;;) {
    if (!watch.deadline.tv_sec)
      number = sigwaitinfo(&watch.signals, NULL);
    else if (time_left(&left))
      number = sigtimedwait(&watch.signals, NULL, &left);
    else
      return 0;
    if (number > 0)
      return number;
    if (errno != EAGAIN && errno != EINTR)
      return SIGTERM;
  }
}

static void *keep_watch(void *unused)
{
  int number = await_end();
  sigset_t one;

  (void)unused;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
  pthread_mutex_lock(&watch.held); /* for good: nobody writes a record from here on */
  if (watch.at_end)
    watch.at_end(watch.data);
  gc_progress_erase();
  if (!number) {
    gc_say(watch.gpu, "not finished after %g s, given up", watch.seconds);
    _exit(GC_EXIT_FAILED);
  }
  signal(number, SIG_DFL);
  sigemptyset(&one);
  sigaddset(&one, number);
  pthread_sigmask(SIG_UNBLOCK, &one, NULL);
  raise(number); /* so that whoever waits for us sees what ended us */
  _exit(128 + number);
}

int gc_watch_start(double seconds, const char *gpu, void (*at_end)(void *data), void *data,
                   struct gc_error *err)
{
  static const int numbers[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
  struct sigaction action;
  int status;

  watch.seconds = seconds;
  watch.gpu = gpu;
  watch.at_end = at_end;
  watch.data = data;
  sigemptyset(&watch.signals);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (!sigaction(numbers[i], NULL, &action) && action.sa_handler != SIG_IGN) /* as under nohup */
      sigaddset(&watch.signals, numbers[i]);
  memset(&watch.deadline, 0, sizeof watch.deadline);
  if (seconds > 0) {
    clock_gettime(CLOCK_MONOTONIC, &watch.deadline);
    watch.deadline.tv_sec += (time_t)seconds;
    watch.deadline.tv_nsec += (long)((seconds - (double)(time_t)seconds) * 1e9);
    if (watch.deadline.tv_nsec >= 1000000000) {
      watch.deadline.tv_nsec -= 1000000000;
      watch.deadline.tv_sec++;
    }
    if (!watch.deadline.tv_sec)
      watch.deadline.tv_sec = 1; /* 0 means none */
  }

  pthread_sigmask(SIG_BLOCK, &watch.signals, &watch.before);
  status = pthread_create(&watch.thread, NULL, keep_watch, NULL);
  if (status) {
    pthread_sigmask(SIG_SETMASK, &watch.before, NULL);
    return gc_fail(err, -status, "cannot start a thread: %s", strerror(status));
  }
  watch.running = true;
  return 0;
}

void gc_watch_hold(void)
{
  pthread_mutex_lock(&watch.held);
}

void gc_watch_release(void)
{
  pthread_mutex_unlock(&watch.held);
}

void gc_watch_stop(void)
{
  if (!watch.running)
    return;
  pthread_cancel(watch.thread);
  pthread_join(watch.thread, NULL); /* for ever, when it is ending the process already */
  watch.running = false;
  pthread_sigmask(SIG_SETMASK, &watch.before, NULL); /* one that came in between ends us now */
}
