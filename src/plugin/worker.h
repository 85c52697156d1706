/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs a function that may block for ever, and waits for it only until a deadline. Files can block:
 * the server of a network file system may be down, a file system may be frozen, and a driver may
 * hang with a lock on its files in /proc. No signal ends such a call, so it runs in another thread.
 */
#ifndef GC_PLUGIN_WORKER_H
#define GC_PLUGIN_WORKER_H

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

/* The most threads of a process. Each one that waits for ever keeps the memory and the descriptors of
 * its load. If all are late, further loads end at once, without records, until one has ended. */
#define GC_WORKERS 8

/* Starts a new thread, in which all signals are blocked, that calls work->run(data). The caller
 * then calls gc_worker_wait once. If GC_WORKERS threads run, waits until one ends, but only until
 * the time `until` (gc_now_ms), and only if it may help: a late thread may never end. 0; -EBUSY:
 * too many threads run; -EAGAIN: no thread can be created. After a failure nothing was called. */
int gc_worker_start(const struct gc_work *work, double until, struct gc_worker **worker);

/* Waits for the thread and frees worker. 0: run() has ended, no thread is left, and the caller
 * releases data. -ETIMEDOUT: the deadline (milliseconds of gc_now_ms) has passed; the thread is
 * detached and releases data when it ends. Call this function with cancellation disabled. */
int gc_worker_wait(struct gc_worker *worker, double deadline);

/* Both together. If no thread can be created, the caller's thread calls run() without a deadline.
 * -EBUSY: nothing was called. */
int gc_worker_run(const struct gc_work *work, double deadline);

#endif
