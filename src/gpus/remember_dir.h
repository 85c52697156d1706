/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Where remembered texts are: on a tmpfs of this node, because many nodes share the home
 * directories, and because a tmpfs does not survive a boot.
 *
 *   /run/hwloc-gpucache               of the site: written by root if root has made the directory,
 *                                     read by everybody
 *   $XDG_RUNTIME_DIR/hwloc-gpucache   of the user, if that directory is an absolute path, belongs
 *                                     to the user, is closed to others, and is on a tmpfs. No
 *                                     link of another user, and for root no directory of another
 *                                     user, is on the way
 *   /dev/shm/hwloc-gpucache-UID       of the user, otherwise
 *
 * A file is used only if it belongs to the caller (or to root, in the directory of the site) and
 * others cannot write it. Symbolic links are not followed. If the user's directory cannot be used,
 * for example because a file has its name, nothing is remembered. With another root directory,
 * which is a copy or a test, only $XDG_RUNTIME_DIR is used.
 */
#ifndef GC_GPUS_REMEMBER_DIR_H
#define GC_GPUS_REMEMBER_DIR_H

#include <stdbool.h>
#include <stddef.h>

#define GC_REMEMBER_BYTES (32 << 10) /* the largest file */

/* Reads the file of this user, or that of the site: *length bytes and a NUL, for the caller to
 * free. NULL: there is none, it cannot be trusted, or it is longer than GC_REMEMBER_BYTES. */
char *gc_remember_load_own(bool other_root, size_t *length);
char *gc_remember_load_site(bool other_root, size_t *length);

/* Whether there may be a directory to write in; otherwise texts need not be collected. */
bool gc_remember_can_store(bool other_root);

/* Replaces the file of this user, and makes its directory. A failure changes nothing. Of several
 * processes that write, the last one counts. */
void gc_remember_store(bool other_root, const char *text, size_t length);

/* Removes unfinished files that killed processes of this user have left (util/file.h). */
void gc_remember_tidy(void);

#endif
