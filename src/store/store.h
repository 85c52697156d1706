/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Where records live. Search order: $HWLOC_GPUCACHE_DIR, else
 * ${XDG_CACHE_HOME:-~/.cache}/hwloc-gpucache; then the site's read-only
 * ${localstatedir}/cache/hwloc-gpucache. Writing goes to the first only. Files and directories are opened
 * without following symbolic links, and only believed when they are regular files and directories owned by
 * the caller or by root; files when nobody else, directories when not everybody can write them.
 */
#ifndef GC_STORE_STORE_H
#define GC_STORE_STORE_H

#include "record/record.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* The directory that records are written to. -ENOENT with a sentence when there is none ($HOME
 * unset and no variable names one). size: of dir, at least 2. */
int gc_store_dir(char *dir, size_t size, struct gc_error *err);

/* A variable that should have named that directory and was passed over, in a sentence; NULL: none was. */
const char *gc_store_ignored(void);

/* The site's, which is only read. */
const char *gc_store_site_dir(void);

/* 0, or why a new record of this GPU would not find a place: the directory that records are written to is not
 * used or cannot be made (it is, as gc_store_write does), cannot be written, or has no room. Negative errno with
 * a sentence. Takes and gives back GC_STORE_ROOM bytes: for when something is to be measured. */
int gc_store_check(const char *id, struct gc_error *err);
#define GC_STORE_ROOM (64u * 1024) /* three records of an H200 */

/* Where this GPU's record is or would be written: DIR/ID.xml. -EINVAL when id cannot be one,
 * -ENAMETOOLONG, -ENOENT as above. */
int gc_store_path(const char *id, char *path, size_t size, struct gc_error *err);

/* Finds the valid record of this GPU. Valid: id, driver, vbios (where known then and now) and mig
 * equal, format and method those of this program. 0 and *record (caller frees); -ENOENT no record;
 * -ESTALE there is one, of another driver/VBIOS/MIG/format/method; -EBADMSG there is one and it cannot
 * be read; -EACCES not allowed to read, wrong owner, writable for others or a symbolic link; -ENOMEM. err says it as a
 * sentence, naming the file. What is wrong in the caller's directory does not hide a valid record of
 * the site. */
int gc_store_find(const struct gc_identity *identity, struct gc_record **record,
                  struct gc_error *err);

/* 0, or why this record does not say what is true of the GPU now, as the end of a sentence about it: -ESTALE,
 * or -EBADMSG when it is another GPU's. */
int gc_store_judge(const struct gc_record *record, const struct gc_identity *now,
                   struct gc_error *err);

/* Makes the record durable: directory made (0700, as all it is in) if missing, temporary file (0600) + fsync +
 * rename + fsync of the directory. What is in its place and is no record of this GPU is first
 * renamed to ID.xml.bad-YYYYmmddTHHMMSS (UTC) so that nothing is lost. What writers of this record
 * that were killed left unfinished is removed. Text that gc_store_find would not accept is not
 * stored. On failure what was there is still there. 0 or negative errno with a sentence: -EACCES also
 * for a directory that is a symbolic link, someone else's, or writable for everybody. */
int gc_store_write(const struct gc_identity *identity, const char *xml, size_t length,
                   struct gc_error *err);

/* Removes the record from the writable directory. 0, -ENOENT, or other negative errno. */
int gc_store_remove(const char *id, struct gc_error *err);
/* Whether the site's directory has a file for that id. */
bool gc_store_has_site(const char *id);

/* Takes the lock of one GPU's record (ID.lock in the writable directory, made if missing), waiting
 * at most seconds; 0 or less: tries once. Ends with the process that holds it. Returns a descriptor
 * to give to gc_store_unlock, -ETIMEDOUT when someone else keeps it, or another negative errno, each with
 * a sentence: "another process (1234) is measuring this GPU", the number where it is known. */
int gc_store_lock(const char *id, double seconds, struct gc_error *err);
void gc_store_unlock(int lock);

/* A measurement that failed is remembered, in ID.failed beside the record and under the same rules of
 * trust, so that not every load of a topology tries it again. It counts for ten minutes, as nearly every
 * reason may pass (a busy GPU, a time-out, a driver or a library that is not there yet), or for a day
 * where this program has nothing that runs on the GPU; and only while all of this is as it was: id,
 * driver, VBIOS, MIG state, format, method and version of this program; the variables that say where a
 * vendor's library is and which GPUs it shows (LD_LIBRARY_PATH, CUDA_VISIBLE_DEVICES …), and how long a
 * load may wait; the root directory, which a container has of its own; and whether the caller may open
 * /dev/nvidiactl and /dev/kfd. */
#define GC_FAILURE_SECONDS (24 * 60 * 60)
#define GC_PASSING_FAILURE_SECONDS (10 * 60)

struct gc_failure {
  time_t when;
  char since[24]; /* the same as ISO 8601 date */
  bool passing;   /* may pass by itself */
  char why[512];  /* a sentence */
};

/* A hash of all that is not in the identity or this program, to be taken before anything changes them. */
uint64_t gc_store_environment(void);
/* Remembers that measuring this GPU failed now. 0 or negative errno with a sentence, as gc_store_write. */
int gc_store_remember_failure(const struct gc_identity *identity, uint64_t environment,
                              const char *why, bool passing, struct gc_error *err);
/* The failure that counts now: 0, or -ENOENT when there is none, whatever the reason. */
int gc_store_find_failure(const struct gc_identity *identity, uint64_t environment,
                          struct gc_failure *failure);
/* Whether there is a note of that id, of whatever time and GPU. */
bool gc_store_has_failure(const char *id);
/* Removes the note. gc_store_write does so, too. 0, -ENOENT, or other negative errno. */
int gc_store_forget_failure(const char *id, struct gc_error *err);

/* Told of what gc_store_tidy finds. */
struct gc_store_broom {
  void (*aside)(const char *path, void *data); /* was renamed to ID.xml.bad-…, and stays */
  void (*forgot)(const char *id, void *data);  /* the note of a failure was removed */
  void *data;
};

/* What writing and locking left in the writable directory: removes the locks that nobody holds, the
 * notes of failures and the files that nobody will finish. No directory: 0. What cannot be removed does
 * not keep the others. 0 or negative errno with a sentence. */
int gc_store_tidy(const struct gc_store_broom *broom, struct gc_error *err);

/* Calls visit(id, path, data) for each record file in the writable directory, in no order, until
 * one returns not 0, which is then returned. No directory: 0. */
int gc_store_each(int (*visit)(const char *id, const char *path, void *data), void *data,
                  struct gc_error *err);

#endif
