/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the dynamic linker reads in an ELF file. The file may be damaged or made for an attack.
 */
#ifndef GC_TOOL_DOCTOR_ELF_H
#define GC_TOOL_DOCTOR_ELF_H

#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>

struct gc_elf {
  int fd;
  uint64_t size; /* of the file */
  ElfW(Ehdr) head;
  uint64_t dynamic, dynamic_entries; /* where the dynamic section is in the file; 0 entries: none */
  uint64_t strings, strings_size;    /* the same for its strings */
};

/* Opens an ELF file of this machine's word size and byte order. 0, and the caller calls
 * gc_elf_close; -ENOEXEC: it is no such file; or a negative errno of gc_regular_open_any. */
int gc_elf_open(const char *path, struct gc_elf *elf);
void gc_elf_close(struct gc_elf *elf);

/* The next string of the dynamic section with this tag (DT_NEEDED, DT_RUNPATH …). *entry is where
 * to search, 0 at first. False: there is no further one. */
bool gc_elf_string(const struct gc_elf *elf, int64_t tag, uint64_t *entry, char text[PATH_MAX]);

/* The interpreter (dynamic linker) that the file names. False: it names none. */
bool gc_elf_interpreter(const struct gc_elf *elf, char text[PATH_MAX]);

#endif
