/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/commands.h"

#include "tool/export/formats.h"
#include "tool/print/messages.h"
#include "tool/sources/choose.h"
#include "util/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where the text goes. dir: -1 is the standard output. */
struct place {
  int dir;
  const char *name;
};

/* Opens the directory of the output file, so that a wrong one is noticed before the GPU is
 * measured. */
static int open_place(const char *path, struct place *place, struct gc_error *err)
{
  const char *slash = path ? strrchr(path, '/') : NULL;
  struct stat file;
  char *dir;

  *place = (struct place){.dir = -1};
  if (!path)
    return 0;
  /* a file is replaced, and a device such as /dev/null must not be */
  if (!lstat(path, &file) && !S_ISREG(file.st_mode))
    return gc_fail(err, -EINVAL, "cannot write %s: it exists and is not a regular file", path);
  place->name = slash ? slash + 1 : path;
  if (!*place->name)
    return gc_fail(err, -EISDIR, "cannot write %s: it names a directory", path);
  dir = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
  if (!dir)
    return gc_fail(err, -ENOMEM, "out of memory");
  place->dir = gc_file_dir(dir, NULL, err);
  free(dir);
  return place->dir < 0 ? place->dir : 0;
}

static int write_text(const struct place *place, const char *text, size_t length,
                      struct gc_error *err)
{
  if (place->dir >= 0)
    return gc_file_put(place->dir, place->name, text, length, err);
  fwrite(text, 1, length, stdout); /* main() checks stdout */
  return 0;
}

static int export_one(const struct gc_format *format, const struct gc_source *source,
                      const struct place *place)
{
  struct gc_error err = {""};
  size_t length;
  char *text;
  int status = gc_format_text(format, source->record, source->gpu, &text, &length, &err);

  if (status) {
    gc_say(source->name, "%s", err.text);
    return GC_EXIT_FAILED;
  }
  status = write_text(place, text, length, &err);
  free(text);
  if (status)
    gc_say(NULL, "%s", err.text);
  return status ? GC_EXIT_FAILED : GC_EXIT_DONE;
}

int gc_tool_export(const struct gc_tool *tool)
{
  struct gc_error err = {""};
  const struct gc_format *format = gc_format_find(tool->format, &err);
  struct gc_sources sources;
  struct place place;
  int status;

  if (!format) {
    gc_say(NULL, "%s", err.text);
    return GC_EXIT_USAGE;
  }
  if (open_place(tool->output, &place, &err)) {
    gc_say(NULL, "%s", err.text);
    return GC_EXIT_FAILED;
  }
  status = gc_choose_one(tool, "export writes one GPU", &sources);
  if (status == GC_EXIT_DONE) {
    status = export_one(format, sources.array, &place);
    gc_sources_free(&sources);
  }
  if (place.dir >= 0)
    close(place.dir);
  return status;
}
