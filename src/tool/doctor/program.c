/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/doctor/program.h"

#include "tool/doctor/libraries.h"
#include "util/regular.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Each hwloc contains this name, with the zero byte; programs that use hwloc do not. */
static const char in_each_hwloc[] = "HWLOC_DONT_ADD_VERSION_INFO";

static bool contains_hwloc(const char *path)
{
  uint64_t size;
  const int fd = gc_regular_open_any(path, &size);
  bool found;

  if (fd < 0)
    return false;
  found = gc_regular_contains(fd, in_each_hwloc, sizeof in_each_hwloc) > 0;
  close(fd);
  return found;
}

/* Fills in file, kind and plugins: a libhwloc among the libraries, or else a copy of hwloc. */
static void search(const char *path, const struct gc_libraries *libraries,
                   struct gc_program *program)
{
  for (size_t i = 0; i < libraries->count; i++)
    if (gc_libraries_is_libhwloc(libraries->paths[i])) {
      program->kind = GC_PROGRAM_SHARED;
      snprintf(program->file, sizeof program->file, "%s", libraries->paths[i]);
      program->plugins = gc_libhwloc_in_file(libraries->paths[i]);
      return;
    }
  for (size_t i = 0; i <= libraries->count; i++) {
    const char *file = i < libraries->count ? libraries->paths[i] : path;

    if (contains_hwloc(file)) {
      program->kind = GC_PROGRAM_COPY;
      snprintf(program->file, sizeof program->file, "%s", file);
      return;
    }
  }
  program->kind = GC_PROGRAM_NONE;
}

void gc_program_examine(const char *path, struct gc_program *program)
{
  struct gc_libraries libraries;
  int status = gc_libraries_find(path, &libraries);

  memset(program, 0, sizeof *program);
  program->kind = GC_PROGRAM_UNKNOWN;
  if (status == -ENOEXEC)
    snprintf(program->why, sizeof program->why,
             "it is no ELF program of this machine's word size (is it a script?)");
  else if (status)
    snprintf(program->why, sizeof program->why, "it cannot be read: %s",
             status == -EBADMSG ? "it is not a regular file" : strerror(-status));
  if (status)
    return;
  if (libraries.missing)
    snprintf(program->why, sizeof program->why, "it needs %.200s, which is not found",
             libraries.missing);
  else
    search(path, &libraries, program);
  gc_libraries_free(&libraries);
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
