/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Where records live. Search order: $HWLOC_GPUCACHE_DIR, else ${XDG_CACHE_HOME:-~/.cache}/hwloc-gpucache;
 * then the site's read-only ${localstatedir}/cache/hwloc-gpucache. Writing goes to the first only.
 * Files are opened without following symbolic links, and only believed when they are regular files
 * owned by the caller or by root, and writable by nobody else.
 */
#ifndef GC_STORE_STORE_H
#define GC_STORE_STORE_H

#include "record/record.h"

/* The directory that records are written to. -ENOENT with a sentence when there is none ($HOME unset
 * and no variable names one). size: of dir, at least 2. */
int gc_store_dir(char *dir, size_t size, struct gc_error *err);

/* Finds the valid record of this GPU. Valid: id, driver, vbios and mig equal, format and method
 * those of this program. 0 and *record (caller frees); -ENOENT no record; -ESTALE there is one, of
 * another driver/VBIOS/MIG/format/method; -EBADMSG there is one and it cannot be read; -EACCES not
 * allowed to read or wrong owner; -ENOMEM. err says it as a sentence, naming the file. */
int gc_store_find(const struct gc_identity *identity, struct gc_record **record, struct gc_error *err);

/* Makes the record durable: directory made (0700) if missing, temporary file (0600) + fsync + rename
 * + fsync of the directory. A file in its place that is not a valid record is first renamed to
 * ID.xml.bad-<date> so that nothing is lost. 0 or negative errno with a sentence. */
int gc_store_write(const struct gc_identity *identity, const char *xml, size_t length,
                   struct gc_error *err);

/* Removes the record from the writable directory. 0, -ENOENT, or other negative errno. */
int gc_store_remove(const char *id, struct gc_error *err);

/* Takes the lock of one GPU's record (ID.lock in the writable directory), waiting at most seconds.
 * Returns a descriptor to give to gc_store_unlock, -ETIMEDOUT when someone else keeps it, or another
 * negative errno with a sentence. */
int gc_store_lock(const char *id, double seconds, struct gc_error *err);
void gc_store_unlock(int lock);

/* Calls visit(id, path, data) for each record file in the writable directory, in no order. */
int gc_store_each(int (*visit)(const char *id, const char *path, void *data), void *data,
                  struct gc_error *err);

#endif
