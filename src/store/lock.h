/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The lock of a record: one process at a time measures a GPU.
 */
#ifndef GC_STORE_LOCK_H
#define GC_STORE_LOCK_H

#include "util/error.h"

#include <stdbool.h>

/* Takes the lock (ID.lock in the directory for new records, created if missing) and waits for it
 * at most `seconds`; 0 or less: tries once. The end of the process releases the lock. Returns a
 * descriptor for gc_store_unlock; -ETIMEDOUT when another process holds the lock ("another
 * process (1234) is measuring this GPU", with the number where it is known, and with advice if that
 * process is stopped); -EOPNOTSUPP: this file system has no locks (store/hold.h says what to do);
 * or another negative errno. */
int gc_store_lock(const char *id, double seconds, struct gc_error *err);
void gc_store_unlock(int lock);

/* Whether a process holds the lock that this process can see in /proc, with the sentence of
 * gc_store_lock. Waits for nothing, and makes and locks nothing. */
bool gc_store_held(const char *id, struct gc_error *err);

#endif
