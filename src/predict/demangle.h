/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Names of C++ functions for people.
 */
#ifndef GC_PREDICT_DEMANGLE_H
#define GC_PREDICT_DEMANGLE_H

#include <stddef.h>

#define GC_NAME 4096 /* bytes; few names are longer */

/* "f(int)" for "_Z1fi", printable, and cut to fit between two characters; size may be 0. Other
 * names, and all if there is no libstdc++, stay as they are. Returns the bytes of the whole name.
 */
size_t gc_demangle(const char *name, char *text, size_t size);

#endif
