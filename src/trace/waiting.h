/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Waiting for other threads, which ends after two seconds, and for kernels, which does not: the
 * driver has no such call.
 */
#ifndef GC_TRACE_WAITING_H
#define GC_TRACE_WAITING_H

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

/* Whether this thread gets the lock in time. If not, a launch is left out: the thread whose launch
 * is being recorded may wait for a lock of this thread. */
bool gc_wait_for_mutex(pthread_mutex_t *lock);
bool gc_wait_to_read(pthread_rwlock_t *lock);
bool gc_wait_to_write(pthread_rwlock_t *lock);

/* Between begin and end, this thread waits for kernels. After ten seconds, a message on stderr says
 * so. */
struct gc_wait_message {
  timer_t timer;
  bool running;
};
void gc_wait_begin(struct gc_wait_message *message);
void gc_wait_end(const struct gc_wait_message *message);

#endif
