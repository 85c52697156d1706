/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs a function that may block for ever, and waits for it only until a deadline. Files can block:
 * the server of a network file system may be down, a file system may be frozen, and a driver may
 * hang with a lock on its files in /proc. No signal ends such a call, so it runs in another thread.
 */
#ifndef GC_PLUGIN_WORKER_H
#define GC_PLUGIN_WORKER_H

#include <stdbool.h>

struct gc_work {
  void (*run)(void *data);
  /* Called if the deadline passes first, while run() still works. It may read only those parts of
   * data that run() never changes or changes atomically. May be NULL. */
  void (*late)(void *data);
  /* Frees data. Called by the thread after a late run(). */
  void (*release)(void *data);
  void *data; /* allocated, because it may outlive the caller */
};

struct gc_worker;

/* Starts a new thread, in which all signals are blocked, that calls work->run(data). The caller
 * then calls gc_worker_wait once. NULL: no thread can be created; nothing was called. */
struct gc_worker *gc_worker_start(const struct gc_work *work);

/* Waits for the thread and frees worker. True: run() has ended, no thread is left, and the caller
 * releases data. False: the deadline (milliseconds of gc_now_ms) has passed; the thread is detached
 * and releases data when it ends. Call this function with cancellation disabled. */
bool gc_worker_wait(struct gc_worker *worker, double deadline);

/* Both together. If no thread can be created, the caller's thread calls run() without a
 * deadline. */
bool gc_worker_run(const struct gc_work *work, double deadline);

/* The number of threads of this process that were detached and have not ended, if there are so many
 * that no more should be started; else 0. This count is the only state of the plugin that outlives
 * a load. */
unsigned gc_worker_stuck(void);

#endif
