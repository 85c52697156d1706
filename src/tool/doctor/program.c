/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The dynamic linker knows which libhwloc a program gets: it obeys the run paths of the program,
 * LD_LIBRARY_PATH and LD_PRELOAD. "ld.so --list PROGRAM" prints that and does not run the program.
 */
#include "tool/doctor/program.h"

#include "tool/doctor/child.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECONDS 5

/* Each hwloc contains this name, with the zero byte; programs that use hwloc do not. */
static const char in_each_hwloc[] = "HWLOC_DONT_ADD_VERSION_INFO";

struct bytes {
  const char *start; /* NULL: cannot be read */
  size_t size;
};

static struct bytes map(const char *path)
{
  struct bytes bytes = {NULL, 0};
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat st;
  void *start;

  if (fd < 0)
    return bytes;
  if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0) {
    start = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (start != MAP_FAILED)
      bytes = (struct bytes){start, (size_t)st.st_size};
  }
  close(fd);
  return bytes;
}

static void unmap(struct bytes bytes)
{
  if (bytes.start)
    munmap((void *)bytes.start, bytes.size);
}

static bool contains_hwloc(const char *path)
{
  struct bytes bytes = map(path);
  bool found = bytes.start && memmem(bytes.start, bytes.size, in_each_hwloc, sizeof in_each_hwloc);

  unmap(bytes);
  return found;
}

const char *gc_program_interpreter(const void *bytes, size_t size)
{
  const unsigned char class = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
  ElfW(Ehdr) head;
  ElfW(Phdr) part;

  if (size < sizeof head)
    return NULL;
  memcpy(&head, bytes, sizeof head);
  if (memcmp(head.e_ident, ELFMAG, SELFMAG) || head.e_ident[EI_CLASS] != class ||
      head.e_phentsize != sizeof part)
    return NULL;
  for (size_t i = 0; i < head.e_phnum; i++) {
    if (head.e_phoff > size || size - head.e_phoff < (i + 1) * sizeof part)
      return NULL;
    memcpy(&part, (const char *)bytes + head.e_phoff + i * sizeof part, sizeof part);
    if (part.p_type != PT_INTERP)
      continue;
    if (part.p_offset >= size || part.p_filesz > size - part.p_offset || !part.p_filesz ||
        !memchr((const char *)bytes + part.p_offset, '\0', part.p_filesz))
      return NULL;
    return (const char *)bytes + part.p_offset;
  }
  return NULL;
}

/* The path in a line of the list: "libc.so.6 => /lib/libc.so.6 (0x…)", or "/lib/ld.so (0x…)". */
static bool path_in(char *line, char **path)
{
  char *arrow = strstr(line, "=> "), *end;

  *path = arrow ? arrow + 3 : line + strspn(line, " \t");
  end = strstr(*path, " (0x");
  if (end)
    *end = '\0';
  return end && **path == '/';
}

static bool is_libhwloc(const char *path)
{
  const char *slash = strrchr(path, '/');

  return !strncmp(slash ? slash + 1 : path, "libhwloc.so", strlen("libhwloc.so"));
}

/* Looks for libhwloc in the list, then for a copy of hwloc in the other libraries. */
static void search_list(char *list, struct gc_program *program)
{
  char *rest = list, *line, *path;

  while ((line = strsep(&rest, "\n"))) {
    if (strstr(line, "libhwloc") && strstr(line, "not found")) {
      program->kind = GC_PROGRAM_UNKNOWN;
      snprintf(program->why, sizeof program->why, "its linker does not find libhwloc");
      return;
    }
    if (!path_in(line, &path))
      continue;
    if (is_libhwloc(path)) {
      program->kind = GC_PROGRAM_SHARED;
      snprintf(program->file, sizeof program->file, "%s", path);
      program->plugins = gc_libhwloc_in_file(path);
      return;
    }
    if (program->kind == GC_PROGRAM_NONE && contains_hwloc(path)) {
      program->kind = GC_PROGRAM_COPY;
      snprintf(program->file, sizeof program->file, "%s", path);
    }
  }
}

static void list(const struct gc_tool *tool, const char *linker, const char *path,
                 struct gc_program *program)
{
  const char *const argv[] = {linker, "--list", path, NULL};
  struct gc_errand errand = {.argv = argv, .tool = tool, .seconds = SECONDS};
  struct gc_error how = {""};
  int status = gc_errand_run(&errand, &how);

  if (errand.output && *errand.output)
    search_list(errand.output, program);
  else if (status) {
    program->kind = GC_PROGRAM_UNKNOWN;
    snprintf(program->why, sizeof program->why, "%.80s --list %.180s", linker, how.text);
  }
  free(errand.output);
}

void gc_program_examine(const struct gc_tool *tool, const char *path, struct gc_program *program)
{
  struct bytes bytes = map(path);
  char linker[PATH_MAX] = "";
  const char *interpreter = bytes.start ? gc_program_interpreter(bytes.start, bytes.size) : NULL;

  memset(program, 0, sizeof *program);
  program->kind = GC_PROGRAM_NONE;
  if (interpreter)
    snprintf(linker, sizeof linker, "%s", interpreter);
  if (!bytes.start) {
    program->kind = GC_PROGRAM_UNKNOWN;
    snprintf(program->why, sizeof program->why, "it cannot be read");
  } else if (bytes.size < SELFMAG || memcmp(bytes.start, ELFMAG, SELFMAG)) {
    program->kind = GC_PROGRAM_UNKNOWN;
    snprintf(program->why, sizeof program->why, "it is no ELF program (is it a script?)");
  }
  unmap(bytes);
  if (program->kind == GC_PROGRAM_UNKNOWN)
    return;
  if (*linker)
    list(tool, linker, path, program);
  if (program->kind == GC_PROGRAM_NONE && contains_hwloc(path)) {
    program->kind = GC_PROGRAM_COPY;
    snprintf(program->file, sizeof program->file, "%s", path);
  }
}

bool gc_program_find(const char *name, char path[PATH_MAX])
{
  const char *at = getenv("PATH");
  struct stat st;

  if (strchr(name, '/')) {
    snprintf(path, PATH_MAX, "%s", name);
    return !stat(path, &st);
  }
  while (at) {
    const char *colon = strchrnul(at, ':');

    if (snprintf(path, PATH_MAX, "%.*s%s%s", (int)(colon - at), at, colon == at ? "./" : "/",
                 name) < PATH_MAX &&
        !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK))
      return true;
    at = *colon ? colon + 1 : NULL;
  }
  return false;
}
