/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Where records are kept. Search order: $HWLOC_GPUCACHE_DIR, else
 * ${XDG_CACHE_HOME:-~/.cache}/hwloc-gpucache; then the read-only directory of the site,
 * ${localstatedir}/cache/hwloc-gpucache. Records are written to the first only. Files and
 * directories are opened without following symbolic links. They are trusted only when they are
 * regular files and directories that belong to the caller or to root; a file must not be writable
 * by anybody else, a directory not by everybody.
 *
 * Functions that can fail return 0 or a negative errno, with a sentence in err that names the file.
 * They read the environment and keep no state, so several threads may call them.
 *
 * This header is for users of the store; the files of the store include what they need.
 */
#ifndef GC_STORE_STORE_H
#define GC_STORE_STORE_H

#include "store/dir.h"
#include "store/due.h"
#include "store/failure.h"
#include "store/find.h"
#include "store/lock.h"
#include "store/tidy.h"
#include "store/write.h"

#endif
