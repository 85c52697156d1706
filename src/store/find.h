/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds records, and judges whether they are still valid.
 */
#ifndef GC_STORE_FIND_H
#define GC_STORE_FIND_H

#include "record/record.h"
#include "util/error.h"

#include <stdbool.h>

/* Finds the valid record of this GPU: id, driver, VBIOS (where known then and now) and MIG state
 * are equal, format and method are those of this program. A problem in the caller's directory does
 * not hide a valid record of the site. Neither does a provisional record there if the record of the
 * site is not provisional. 0 and *record, which the caller frees with gc_record_free. -ENOENT: no
 * record. -ESTALE: a record made with another driver, VBIOS, MIG state, format or method. -EBADMSG:
 * a record that cannot be read. -EACCES: not allowed to read, wrong owner, writable by others, or a
 * symbolic link. -ENOMEM. */
int gc_store_find(const struct gc_identity *identity, struct gc_record **record,
                  struct gc_error *err);

/* Whether the record is valid for the GPU as it is now. 0; -ESTALE; -EBADMSG when it is the
 * record of another GPU. The text in err is the end of a sentence about the record. */
int gc_store_judge(const struct gc_record *record, const struct gc_identity *now,
                   struct gc_error *err);

/* Whether the site's directory has a record file for that id. */
bool gc_store_has_site(const char *id);

/* Calls visit(dir_fd, id, path, data) for each record file ID.xml in the directory for new records,
 * which is open as dir_fd, in no order, until a call returns another value than 0, which is then
 * returned. path is for messages. 0 when there is no directory. */
int gc_store_each(int (*visit)(int dir_fd, const char *id, const char *path, void *data),
                  void *data, struct gc_error *err);

/* For the files of the store: as gc_store_find, in the open directory fd with the path dir. */
int gc_store_read(int fd, const char *dir, const struct gc_identity *identity,
                  struct gc_record **record, struct gc_error *err);

#endif
