/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The libhwloc that this process runs with: where it is, and whether it can load plugins.
 */
#ifndef GC_TOOL_PROCESS_LIBHWLOC_H
#define GC_TOOL_PROCESS_LIBHWLOC_H

#include <stddef.h>

enum gc_libhwloc {
  GC_LIBHWLOC_UNKNOWN,   /* no shared library libhwloc is loaded: it may be linked statically */
  GC_LIBHWLOC_PLUGINS,   /* it can load plugins */
  GC_LIBHWLOC_NO_PLUGINS /* it was built without --enable-plugins: it never loads any */
};

/* Writes the path of libhwloc, which is empty if unknown. Reads only memory, and takes less than a
 * millisecond. Safe from threads. */
enum gc_libhwloc gc_libhwloc_find(char *path, size_t size);

/* The same for the libhwloc in this file. GC_LIBHWLOC_UNKNOWN: the file cannot be read. */
enum gc_libhwloc gc_libhwloc_in_file(const char *path);

#endif
