/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The shared libraries that a program gets when it starts. The dynamic linker could list them
 * (ld.so --list), but not safely: the program names its linker and its auditing libraries, whose
 * code would run, and a segment can replace the linker in memory. So this file reads the ELF files
 * and searches as ld.so(8) describes, except for libraries for newer processors (glibc-hwcaps) and
 * programs that are linked with -z nodefaultlib.
 */
#ifndef GC_TOOL_DOCTOR_LIBRARIES_H
#define GC_TOOL_DOCTOR_LIBRARIES_H

#include <stdbool.h>
#include <stddef.h>

struct gc_libraries {
  char **paths; /* in the order in which they are loaded: those to preload, then breadth first */
  size_t count;
  char *missing; /* the first library called libhwloc.so… that is not found; NULL: none */
};

/* Fills in the libraries of this program with the present LD_LIBRARY_PATH, LD_PRELOAD and
 * /etc/ld.so.preload. Nothing is executed and only regular files are opened. 0, and the caller
 * calls gc_libraries_free; or a negative errno with nothing to free: -ENOEXEC if it is no ELF file
 * of this machine's word size, -ENOMEM, or that of open(). */
int gc_libraries_find(const char *program, struct gc_libraries *libraries);
void gc_libraries_free(struct gc_libraries *libraries);

/* Whether a path or name is that of libhwloc. */
bool gc_libraries_is_libhwloc(const char *path);

#endif
