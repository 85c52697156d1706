/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/page/place.h"

#include "util/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool gc_page_can(const char *file)
{
  const char *slash = strrchr(file, '/'), *dot = strrchr(file, '.');

  return dot && dot > (slash ? slash + 1 : file) && (!strcmp(dot, ".html") || !strcmp(dot, ".htm"));
}

int gc_page_place_open(const char *file, struct gc_page_place *place, struct gc_error *err)
{
  const char *slash = strrchr(file, '/');
  char *folder;

  place->file = file;
  place->folder = slash ? (size_t)(slash + 1 - file) : 0;
  folder = place->folder ? strndup(file, place->folder) : strdup(".");
  if (!folder)
    return gc_fail(err, -ENOMEM, "out of memory");
  place->dir = gc_file_dir(folder, NULL, err);
  free(folder);
  return place->dir < 0 ? place->dir : 0;
}

void gc_page_place_close(struct gc_page_place *place)
{
  close(place->dir);
}

int gc_page_place_put(const struct gc_page_place *place, const char *name, const char *page,
                      size_t size, struct gc_error *err)
{
  const int status = gc_file_put(place->dir, name, page, size, err);

  if (!status)
    printf("%.*s%s\n", (int)place->folder, place->file, name);
  return status;
}
