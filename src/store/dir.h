/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The directories that records are kept in: which they are, and how they are opened.
 */
#ifndef GC_STORE_DIR_H
#define GC_STORE_DIR_H

#include "record/record.h"
#include "util/error.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* --- for users of the store
 * ------------------------------------------------------------------------- */

/* Writes the path of the directory for new records to dir (size: at least 2). 0; -ENOENT; or
 * -ENAMETOOLONG. -ENOENT: no variable names one ($HOME is unset, too), or this process has rights
 * that its user lacks (as a set-user-ID program has), so the variables are not those of the files'
 * owner. */
int gc_store_dir(char *dir, size_t size, struct gc_error *err);

/* Whether the directory for new records can be used, as far as that can be found out without
 * writing: a missing one may be created. 0 or a negative errno. (gc_store_check writes, too.) */
int gc_store_usable(struct gc_error *err);

/* A sentence about a variable that should have named that directory and is ignored; NULL: there
 * is none. Static. */
const char *gc_store_ignored(void);

/* The directory of the site, which is only read. Static. */
const char *gc_store_site_dir(void);

/* --- for the files of the store
 * --------------------------------------------------------------------- */

/* All directories of records are reached step by step (util/walk.h), and refused if they are
 * symbolic links, belong neither to the caller nor to root, or can be written by everybody. */

/* Opens the directory of the site, for reading. Returns a descriptor or a negative errno. */
int gc_store_open_site(struct gc_error *err);

/* Opens the directory for new records and writes its path to dir; the sentence of a failure says
 * what to do. make: creates the directory and its parents where they are missing, but not a home
 * directory, and not below a directory of another user. Returns a descriptor, -ENOENT when there
 * is no such directory, or another negative errno. */
int gc_store_open(char dir[PATH_MAX], bool make, struct gc_error *err);

/* Removes the same directory if it is empty. */
void gc_store_remove_dir(void);

/* Opens the same directory as a stream of the names in it, and never creates it. 0 or a negative
 * errno. */
int gc_store_list(char dir[PATH_MAX], DIR **stream, struct gc_error *err);

/* 0, or -EINVAL when this cannot be the id of a GPU. */
int gc_store_check_id(const char *id, struct gc_error *err);

/* For a failed system call on DIR/NAME (name may be NULL) with the errno code. what: "cannot open".
 * Use: return gc_store_failed(…). */
int gc_store_failed(struct gc_error *err, int code, const char *what, const char *dir,
                    const char *name);

/* The same for a file that could not be created. Where the directory is the reason, the sentence
 * says so and what to do. */
int gc_store_unwritable(struct gc_error *err, int code, int dir_fd, const char *dir,
                        const char *what, const char *name);

#endif
