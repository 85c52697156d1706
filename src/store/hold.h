/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Locks on open files. For the files of the store.
 *
 * All locks are those of the kernel: flock, or else fcntl's locks of open files. The kernel knows
 * which process holds a lock and releases it at the end of that process. On a file system without
 * either, there is no lock; no file takes its place. A file that names its process would have to be
 * removed by others when that process has ended, and without a lock, two processes can decide that
 * at the same time: one of them removes the new file of the other. Whether a process of another
 * container or of another machine still runs cannot be known either.
 *
 * Without the lock, this is what keeps a record right:
 * - A record is written to a file of its own and renamed. Of several records of a GPU, the last one
 *   stays. Each is complete, and each would be valid.
 * - Processes that measure one GPU at the same time disturb each other. So the command then locks
 *   the GPU in sysfs, whose locks are the kernel's, too (gpus/gpu_lock.h). Where sysfs does not show
 *   the GPU, all of them measure, and the interference check refuses disturbed values: the failure
 *   is noted, and the next load after the note measures again. Simulated GPUs do not disturb each
 *   other.
 * - Tries of a provisional record are counted by each process that measures, so the count may miss
 *   some of them, and the next try comes earlier.
 * - The temporary file of a killed writer stays for ten minutes, because nobody can know whether it
 *   still writes. It exists only where the file system also lacks files without a name (O_TMPFILE), or
 *   if the writer was killed in the moment between naming and renaming it.
 */
#ifndef GC_STORE_HOLD_H
#define GC_STORE_HOLD_H

/* The name of a record that is being written: ".", ID, this, and random digits. */
#define GC_STORE_UNFINISHED ".xml.tmp-"

/* Longest file name that the store creates: an id with its endings. */
#define GC_STORE_NAME 160

/* Locks a file that is open for writing, without waiting. The lock belongs to the descriptor and
 * ends with it. 0; -EWOULDBLOCK: another descriptor has the lock; -EOPNOTSUPP: this file system has
 * no locks; or another negative errno. */
int gc_store_hold(int fd);

/* Releases the lock, even if a child process has inherited the descriptor. */
void gc_store_release(int fd);

#endif
