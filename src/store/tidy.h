/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Removes what writing and locking leave behind.
 */
#ifndef GC_STORE_TIDY_H
#define GC_STORE_TIDY_H

#include "util/error.h"

/* Called by gc_store_tidy, with data, for what it finds. */
struct gc_store_tidy_report {
  void (*aside)(const char *path, void *data); /* a renamed file, ID.xml.bad-…: stays */
  void (*forgot)(const char *id, void *data);  /* the note of a failure was removed */
  void *data;
};

/* Cleans the directory for new records: removes the locks that nobody holds, the notes of
 * failures, the temporary files of killed writers, and the files with which earlier versions locked.
 * If a file cannot be removed, the others still are. 0, also when there is no directory, or a
 * negative errno. */
int gc_store_tidy(const struct gc_store_tidy_report *report, struct gc_error *err);

/* For the files of the store: removes the temporary files that killed writers of this GPU's
 * record left in the directory. Failures are ignored: the next call tries again. */
void gc_store_tidy_unfinished(int dir_fd, const char *dir, const char *id);

#endif
