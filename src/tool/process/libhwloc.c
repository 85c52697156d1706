/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * By default, hwloc is built without plugins, and its public functions do not report that. Such a
 * libhwloc does not contain the name of the variable with the plugin directories. So this file
 * searches what the loader has mapped for that name. configure does the same with the file.
 */
#include "tool/process/libhwloc.h"

#include "util/regular.h"

#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The name with the zero byte at its end. */
static const char variable[] = "HWLOC_PLUGINS_PATH";

struct search {
  char *path;
  size_t size;
  enum gc_libhwloc found;
};

static bool is_libhwloc(const char *path)
{
  const char *slash = strrchr(path, '/');

  return !strncmp(slash ? slash + 1 : path, "libhwloc.", strlen("libhwloc."));
}

/* Constant strings are in a segment that is readable and not writable. */
static bool has_variable(const struct dl_phdr_info *library)
{
  for (size_t i = 0; i < library->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &library->dlpi_phdr[i];

    if (segment->p_type == PT_LOAD && (segment->p_flags & (PF_R | PF_W)) == PF_R &&
        memmem((const void *)(library->dlpi_addr + segment->p_vaddr), segment->p_filesz, variable,
               sizeof(variable)))
      return true;
  }
  return false;
}

static int visit(struct dl_phdr_info *library, size_t size, void *data)
{
  struct search *search = data;

  (void)size;
  if (!library->dlpi_name || !is_libhwloc(library->dlpi_name))
    return 0;
  snprintf(search->path, search->size, "%s", library->dlpi_name);
  search->found = has_variable(library) ? GC_LIBHWLOC_PLUGINS : GC_LIBHWLOC_NO_PLUGINS;
  return 1;
}

enum gc_libhwloc gc_libhwloc_find(char *path, size_t size)
{
  struct search search = {path, size, GC_LIBHWLOC_UNKNOWN};

  if (size)
    *path = '\0';
  dl_iterate_phdr(visit, &search);
  return search.found;
}

enum gc_libhwloc gc_libhwloc_in_file(const char *path)
{
  uint64_t size;
  const int fd = gc_regular_open_any(path, &size);
  int found;

  if (fd < 0)
    return GC_LIBHWLOC_UNKNOWN;
  found = gc_regular_contains(fd, variable, sizeof(variable));
  close(fd);
  if (found < 0)
    return GC_LIBHWLOC_UNKNOWN;
  return found ? GC_LIBHWLOC_PLUGINS : GC_LIBHWLOC_NO_PLUGINS;
}
