/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/settings.h"

#include "util/file.h"
#include "util/number.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define NAME "settings"

static int open_file(const char *directory, const char *mode, FILE **file, struct gc_error *err)
{
  char path[4096];

  if (snprintf(path, sizeof path, "%s/" NAME, directory) >= (int)sizeof path)
    return gc_fail(err, -ENAMETOOLONG, "the path of a temporary directory is too long");
  *file = fopen(path, mode);
  return *file ? 0 : gc_fail(err, -errno, "cannot open %s: %s", path, strerror(errno));
}

int gc_trace_settings_write(const char *directory, const struct gc_trace_settings *settings,
                            struct gc_error *err)
{
  FILE *file;
  const int status = open_file(directory, "w", &file, err);

  if (status)
    return status;
  fprintf(file, "%s\n%s\n%s\n%" PRIu64 "\n%" PRIu64 "\n%" PRIu64 "\n%" PRIu64 "\n",
          settings->sanitizer, settings->ptxas, settings->kernel, settings->first, settings->last,
          settings->blocks, settings->limit);
  return gc_file_close(file)
             ? 0
             : gc_fail(err, -EIO, "cannot write %s/" NAME ": %s", directory, strerror(errno));
}

static bool read_line(FILE *file, char *text, size_t size)
{
  char *const newline = fgets(text, (int)size, file) ? strchr(text, '\n') : NULL;

  if (newline)
    *newline = '\0';
  return newline;
}

int gc_trace_settings_read(const char *directory, struct gc_trace_settings *settings,
                           struct gc_error *err)
{
  uint64_t *const numbers[] = {&settings->first, &settings->last, &settings->blocks,
                               &settings->limit};
  FILE *file;
  int status = open_file(directory, "re", &file, err);
  bool good;
  char line[64];

  if (status)
    return status;
  good = read_line(file, settings->sanitizer, sizeof settings->sanitizer) &&
         read_line(file, settings->ptxas, sizeof settings->ptxas) &&
         read_line(file, settings->kernel, sizeof settings->kernel);
  for (size_t i = 0; good && i < sizeof numbers / sizeof *numbers; i++)
    good = read_line(file, line, sizeof line) && gc_number_whole(line, numbers[i]);
  fclose(file);
  return good ? 0 : gc_fail(err, -EBADMSG, "%s/" NAME " is broken", directory);
}
