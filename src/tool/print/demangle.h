/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Names of C++ functions for people.
 */
#ifndef GC_TOOL_PRINT_DEMANGLE_H
#define GC_TOOL_PRINT_DEMANGLE_H

#include <stddef.h>

#define GC_NAME 4096 /* bytes; few names are longer */

/* "f(int)" for "_Z1fi", printable, and cut to fit between two characters. Other names, and all if
 * there is no libstdc++, stay as they are. */
void gc_demangle(const char *name, char *text, size_t size);

#endif
