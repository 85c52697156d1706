/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Locks on open files, on any file system. For the files of the store.
 */
#ifndef GC_STORE_HOLD_H
#define GC_STORE_HOLD_H

/* The name of a record that is being written: ".", ID, this, and the process that writes it. */
#define GC_STORE_UNFINISHED ".xml.tmp-"

/* Longest file name that the store creates: an id with its endings. */
#define GC_STORE_NAME 160

/* Locks a file that is open for writing, without waiting. The lock belongs to the descriptor and
 * ends with it. 0; -EWOULDBLOCK: another descriptor has the lock; -EOPNOTSUPP: this file system has
 * no locks; or another negative errno. */
int gc_store_hold(int fd);

/* Releases the lock, even if a child process has inherited the descriptor. 0, or -EOPNOTSUPP. */
int gc_store_release(int fd);

/* For a file system without locks: makes the file `name`, which names the process that holds it. 0
 * or more: a descriptor of the file, for gc_store_disown; -EWOULDBLOCK: another process holds it
 * (*holder is its process id, or 0 when that is not known); or another negative errno.
 *
 * The file of a process that has ended, or of another boot, is replaced. If this process cannot
 * know whether the other one runs (in another container), the file is valid for ten minutes. */
int gc_store_own(int dir_fd, const char *name, long *holder);
void gc_store_disown(int fd);

/* The process that holds such a file; 0: none, or it is unknown. */
long gc_store_owner(int dir_fd, const char *name);

/* Removes such a file, unless a process holds it. 1: removed; 0: a process holds it, or it is not
 * such a file; or a negative errno. */
int gc_store_remove_unowned(int dir_fd, const char *name);

#endif
