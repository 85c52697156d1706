/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes records. A record appears completely or not at all, and replaces only a record of the same
 * GPU.
 */
#ifndef GC_STORE_WRITE_H
#define GC_STORE_WRITE_H

#include "record/record.h"
#include "util/error.h"

#include <stddef.h>

/* Whether a new record of this GPU could be stored: the directory can be used or created (then
 * it is), can be written, and has GC_STORE_RESERVE_BYTES, which are reserved and freed again.
 * Call it before something is measured. 0 or a negative errno; a directory that was created is then
 * removed again. */
int gc_store_check(const char *id, struct gc_error *err);
#define GC_STORE_RESERVE_BYTES (64u * 1024) /* three records of an H200 */

/* Stores the record durably: creates the directory (0700, also its parents) if missing, writes a
 * temporary file (0600), syncs, renames it, and syncs the directory. A file in its place that is
 * no record of this GPU is first renamed to ID.xml.bad-YYYYmmddTHHMMSS (UTC), so that nothing is
 * lost. Removes what killed writers of this record left, and the note of a failed measurement.
 * Text that gc_store_find would refuse is not stored. On failure the earlier record is still
 * there. 0 or a negative errno; -EACCES also for a directory that is a symbolic link, belongs to
 * another user, or is writable by everybody. */
int gc_store_write(const struct gc_identity *identity, const char *xml, size_t length,
                   struct gc_error *err);

/* Removes the record from the directory for new records. 0, -ENOENT, or another negative errno. */
int gc_store_remove(const char *id, struct gc_error *err);

#endif
