/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * /etc/ld.so.cache: where ldconfig(8) has found each library.
 */
#ifndef GC_TOOL_DOCTOR_LINKER_CACHE_H
#define GC_TOOL_DOCTOR_LINKER_CACHE_H

#include <stddef.h>

struct gc_linker_cache {
  char *text;        /* of the file; NULL: there is none */
  const char *start; /* of its newer format, in text */
  size_t length;     /* from there on */
  size_t count;      /* libraries */
};

/* Reads the file. If that fails, the cache is empty. The caller calls gc_linker_cache_free. */
void gc_linker_cache_read(struct gc_linker_cache *cache);
void gc_linker_cache_free(struct gc_linker_cache *cache);

/* The next path of the library with this name: those of several architectures follow each other.
 * *entry is where to search, 0 at first. Libraries for special processors (glibc-hwcaps) are left
 * out. NULL: there is no further one. The path belongs to the cache. */
const char *gc_linker_cache_next(const struct gc_linker_cache *cache, const char *name,
                                 size_t *entry);

/* For gc_linker_cache_read and its test: the cache of a text, which it takes. */
void gc_linker_cache_parse(char *text, size_t length, struct gc_linker_cache *cache);

#endif
