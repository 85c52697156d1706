/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The way to a directory: walked step by step, whether files are read, written or removed there,
 * and made where it is missing. For records and for what the command writes elsewhere.
 */
#ifndef GC_UTIL_WALK_H
#define GC_UTIL_WALK_H

#include "util/error.h"

#include <limits.h>
#include <stdbool.h>

/* Space for a name, and for one character more, so that the kernel refuses a longer name. */
#define GC_WALK_COMPONENT (NAME_MAX + 2)

/* Walks to the parent of the directory `path`, makes the parents and the directory itself if they
 * are missing, and writes the name of the last component to `last`. levels: how many of the last
 * components may be made; UINT_MAX: all, because the user named this path.
 *
 * - Nothing is made in a directory that belongs neither to the effective user nor to root.
 * - For root, no directory of another user may be on the way, unless the user named the path:
 *   "sudo -E" keeps the HOME of the user, and the user could not remove root's files there.
 * - Symbolic links are followed only if they belong to the effective user or to root; the last
 *   component is not followed.
 * - New directories have the mode 0700, whatever the umask.
 *
 * Returns a descriptor (O_PATH) of the parent, or a negative errno with the reason, which is not a
 * whole sentence. */
int gc_walk(const char *path, unsigned levels, char last[GC_WALK_COMPONENT],
                  struct gc_error *why);

/* The same, but makes nothing. -ENOENT: the parent is missing; the directory itself may be, too. */
int gc_walk_only(const char *path, unsigned levels, char last[GC_WALK_COMPONENT],
                       struct gc_error *why);

/* Walks to a file that the user named, and makes nothing. Symbolic links are followed as on the way of
 * gc_walk, the last component, too: `last` is no link unless it was replaced meanwhile. Returns a
 * descriptor (O_PATH) of the directory of the file, which may be missing, or fails as gc_walk. */
int gc_walk_file(const char *path, char last[GC_WALK_COMPONENT], struct gc_error *why);

/* Whether the path is a descriptor of this process, /proc/self/fd/N or /dev/fd/N. Then `last` of
 * gc_walk_file is a link of the kernel, which leads to the file even if it has no name; the caller
 * follows it. */
bool gc_walk_is_descriptor(const char *path);

/* Whether gc_walk would succeed, as far as this function can find out without making
 * anything. 0, or the negative errno of gc_walk and its reason. */
int gc_walk_dry(const char *path, unsigned levels, struct gc_error *why);

#endif
