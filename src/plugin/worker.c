/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/worker.h"

#include "util/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Enough for paths and texts on the stack, whatever limit the application has. Only pages that are
 * touched take memory. */
#define STACK_BYTES (512 * 1024)

/* Enough for loads that are late for a while. Each thread keeps the memory and the descriptors of
 * its load. */
#define MOST_ABANDONED 8

/* The number of abandoned threads (lower half) of the process with that id (upper half): a child
 * that was forked has none of them. */
static _Atomic uint64_t abandoned;

struct gc_worker {
  struct gc_work work;
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t ended;
  bool has_ended, is_abandoned;
};

static uint32_t count_in(uint64_t state, uint64_t process)
{
  return state >> 32 == process ? (uint32_t)state : 0;
}

static void count_abandoned(uint32_t change)
{
  const uint64_t process = (uint32_t)getpid();
  uint64_t before = abandoned;

  while (!atomic_compare_exchange_weak(
      &abandoned, &before, process << 32 | (uint32_t)(count_in(before, process) + change)))
    ;
}

unsigned gc_worker_stuck(void)
{
  const uint32_t count = count_in(abandoned, (uint32_t)getpid());

  return count >= MOST_ABANDONED ? count : 0;
}

static void release(struct gc_worker *worker)
{
  pthread_cond_destroy(&worker->ended);
  pthread_mutex_destroy(&worker->mutex);
  free(worker);
}

/* Calls run() in the locale "C", whatever other threads set meanwhile: in another locale, strerror
 * reads the environment for the language. This locale is a constant of libc, so nothing is
 * allocated. */
static void call(const struct gc_work *work)
{
  const locale_t fixed = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  const locale_t before = fixed ? uselocale(fixed) : (locale_t)0;

  work->run(work->data);
  if (before)
    uselocale(before);
  if (fixed)
    freelocale(fixed);
}

static void *run(void *data)
{
  struct gc_worker *worker = data;
  bool is_abandoned;

  call(&worker->work);
  pthread_mutex_lock(&worker->mutex);
  worker->has_ended = true;
  is_abandoned = worker->is_abandoned;
  pthread_cond_signal(&worker->ended);
  pthread_mutex_unlock(&worker->mutex);
  if (is_abandoned) {
    worker->work.release(worker->work.data);
    release(worker);
    count_abandoned(UINT32_MAX); /* one less */
  }
  return NULL;
}

static struct gc_worker *make(const struct gc_work *work)
{
  struct gc_worker *worker = calloc(1, sizeof(*worker));
  pthread_condattr_t monotonic;

  if (!worker)
    return NULL;
  worker->work = *work;
  if (pthread_condattr_init(&monotonic)) {
    free(worker);
    return NULL;
  }
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_mutex_init(&worker->mutex, NULL);
  pthread_cond_init(&worker->ended, &monotonic);
  pthread_condattr_destroy(&monotonic);
  return worker;
}

/* The application's signal handlers must not run in this thread. */
static int start(struct gc_worker *worker)
{
  pthread_attr_t attributes;
  sigset_t all, before;
  int status = pthread_attr_init(&attributes);

  if (status)
    return status;
  sigfillset(&all);
  status = pthread_attr_setstacksize(&attributes, STACK_BYTES);
  if (!status && !(status = pthread_sigmask(SIG_SETMASK, &all, &before))) {
    status = pthread_create(&worker->thread, &attributes, run, worker);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
  }
  pthread_attr_destroy(&attributes);
  return status;
}

struct gc_worker *gc_worker_start(const struct gc_work *work)
{
  struct gc_worker *worker = make(work);

  if (worker && start(worker)) {
    release(worker);
    return NULL;
  }
  return worker;
}

bool gc_worker_wait(struct gc_worker *worker, double deadline)
{
  const time_t seconds = (time_t)(deadline / 1e3);
  const struct timespec end = {seconds, (long)((deadline - 1e3 * (double)seconds) * 1e6)};
  const struct gc_work *work = &worker->work;
  const pthread_t thread = worker->thread;
  bool has_ended;
  int status = 0;

  pthread_mutex_lock(&worker->mutex);
  while (!worker->has_ended && status != ETIMEDOUT)
    status = pthread_cond_timedwait(&worker->ended, &worker->mutex, &end);
  has_ended = worker->has_ended;
  worker->is_abandoned = !has_ended;
  if (!has_ended)
    count_abandoned(1);
  if (!has_ended && work->late)
    work->late(work->data);
  pthread_mutex_unlock(&worker->mutex);
  if (!has_ended) {
    pthread_detach(thread);
    return false;
  }
  pthread_join(thread, NULL);
  release(worker);
  return true;
}

bool gc_worker_run(const struct gc_work *work, double deadline)
{
  struct gc_worker *worker = gc_worker_start(work);

  if (worker)
    return gc_worker_wait(worker, deadline);
  call(work);
  return true;
}
