/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions of a library that is loaded at run time, as a table.
 */
#ifndef GC_UTIL_SYMBOLS_H
#define GC_UTIL_SYMBOLS_H

#include "util/error.h"

#include <stddef.h>

/* A function of a library, and the offset of its address in the caller's table. */
struct gc_symbol {
  const char *name;
  size_t offset;
};

/* A library that is open. */
struct gc_library {
  void *handle;       /* of dlopen */
  const char *name;   /* for messages */
  const char *advice; /* end of the message if it lacks a function */
};

/* Fills the table with the addresses of n functions. -ENODEV "LIBRARY has no NAME: <advice>". */
int gc_find_symbols(const struct gc_library *library, const struct gc_symbol *symbols, size_t n,
                    void *table, struct gc_error *err);

/* The same if the library may lack them: all or none. */
void gc_find_optional_symbols(const struct gc_library *library, const struct gc_symbol *symbols,
                              size_t n, void *table);

#endif
