/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A thread waits for the signals that end a program, and for the deadline. A driver call that hangs
 * cannot be cancelled, and a signal handler could not clean up. This thread can do both, because
 * all other threads block these signals.
 */
#include "tool/process/watch.h"

#include "tool/print/messages.h"
#include "tool/print/progress.h"
#include "tool/process/environment.h"
#include "tool/tool.h"
#include "util/clock.h"

#include <hwloc/gpucache.h>

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
  double deadline; /* gc_now_ms(); 0: none */
  double seconds;
  const char *gpu;
  void (*at_end)(void *data);
  void *data;
} watch = {.held = PTHREAD_MUTEX_INITIALIZER};

/* The time left until the deadline. False: it has passed. */
static bool time_left(struct timespec *left)
{
  const double milliseconds = watch.deadline - gc_now_ms();

  if (milliseconds < 0)
    return false;
  left->tv_sec = (time_t)(milliseconds / 1e3);
  left->tv_nsec = (long)((milliseconds - 1e3 * (double)left->tv_sec) * 1e6);
  return true;
}

/* Waits for a signal and returns its number, or 0 at the deadline. */
static int await_end(void)
{
  struct timespec left;
  int number;

  for (;;) {
    if (!(watch.deadline > 0))
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
  pthread_mutex_lock(&watch.held); /* never released: no record is written from here on */
  if (watch.at_end)
    watch.at_end(watch.data);
  gc_progress_erase();
  if (!number) {
    gc_say(watch.gpu, "not finished after %g s, so it was stopped; %s", watch.seconds,
           gc_environment_for_load() ? "raise " HWLOC_GPUCACHE_TIMEOUT_ENV
                                     : "use a longer --timeout, or none");
    _exit(GC_EXIT_FAILED);
  }
  signal(number, SIG_DFL);
  sigemptyset(&one);
  sigaddset(&one, number);
  pthread_sigmask(SIG_UNBLOCK, &one, NULL);
  raise(number); /* so that the parent sees which signal it was */
  _exit(128 + number);
}

int gc_watch_start(double seconds, const char *gpu, void (*at_end)(void *data), void *data,
                   struct gc_error *err)
{
  static const int numbers[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
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
  watch.deadline = seconds > 0 ? gc_now_ms() + 1e3 * seconds : 0;
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
  pthread_join(watch.thread, NULL); /* waits for ever when the thread already ends the process */
  watch.running = false;
  pthread_sigmask(SIG_SETMASK, &watch.before, NULL); /* a pending signal ends the process now */
}

void gc_watch_hold_pipe(sigset_t *before)
{
  sigset_t broken_pipe;

  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &broken_pipe, before);
}
