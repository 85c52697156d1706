/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the store: its directories, and files opened in them without trust.
 */
#ifndef GC_STORE_DIR_H
#define GC_STORE_DIR_H

#include "store/store.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

/* A record that is being written: "." ID, this, and who writes it. */
#define GC_STORE_UNFINISHED ".xml.tmp-"

/* Behind the id in the name of the note of a failed measurement. */
#define GC_STORE_FAILED ".failed"

/* Longest file name that the store makes: an id with its endings. */
#define GC_STORE_NAME 160

/* Opens a directory of records: not through a symbolic link, of the caller or root, and not writable for
 * everybody, be it for reading or for writing. Returns a descriptor or negative errno with a sentence. */
int gc_store_open_dir(const char *dir, struct gc_error *err);

/* gc_store_dir, then gc_store_open_dir of it, and what to do in the sentence. -ENOENT when there is none. make:
 * it is made then, with what it is in (of a default: but not a home) as far as that is of the caller or root. */
int gc_store_open(char dir[PATH_MAX], bool make, struct gc_error *err);

/* The same, never made, as a stream of the names in it. 0 or negative errno with a sentence. */
int gc_store_list(char dir[PATH_MAX], DIR **stream, struct gc_error *err);

/* Reads the record file of this GPU in dir and judges it. Results as for gc_store_find. */
int gc_store_read(int fd, const char *dir, const struct gc_identity *identity,
                  struct gc_record **record, struct gc_error *err);

/* Reads a file that is believed: regular, of the caller or root, writable by nobody else, at most so many
 * bytes. *text is malloc'ed and ends with a NUL that is not counted. 0 or negative errno with a sentence. */
int gc_store_load(int dir_fd, const char *dir, const char *name, size_t most, char **text,
                  size_t *length, struct gc_error *err);

/* Makes this the text of the file ID + ending, whole or not at all, whatever is in its place, and durable.
 * 0 or negative errno with a sentence. */
int gc_store_put(int dir_fd, const char *dir, const char *id, const char *ending, const char *text,
                 size_t length, struct gc_error *err);

/* Whether a file of GC_STORE_ROOM bytes finds a place there now. 0 or negative errno with a sentence. */
int gc_store_try(int dir_fd, const char *dir, const char *id, struct gc_error *err);

/* Removes the file ID + ending from the writable directory. 0, -ENOENT, or other negative errno. */
int gc_store_unlink(const char *id, const char *ending, struct gc_error *err);

/* The hash of what hash is of, and of which directory root is and whether the caller may open the
 * device. */
uint64_t gc_store_hash_place(uint64_t hash, const char *root, const char *device);

/* Whether this name in the directory is that of this file. */
bool gc_store_same_file(int dir_fd, const char *name, const struct stat *file);

/* Removes what interrupted writes of this GPU's record left in the directory; what somebody still writes
 * stays. Failing is no matter: the next one tries again. */
void gc_store_tidy_unfinished(int dir_fd, const char *dir, const char *id);

/* -EINVAL with a sentence for what cannot be the id of a GPU. */
int gc_store_check_id(const char *id, struct gc_error *err);

/* Ends a failed system call on DIR/NAME (name may be NULL) with: return gc_store_failed(…). */
int gc_store_failed(struct gc_error *err, int code, const char *what, const char *dir,
                    const char *name);

/* The same for a file that could not be made: where that is the directory's fault, says so, and what to do. */
int gc_store_unwritable(struct gc_error *err, int code, int dir_fd, const char *dir, const char *what,
                        const char *name);

#endif
