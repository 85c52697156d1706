/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/part.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio_ext.h>
#include <string.h>
#include <unistd.h>

#define MOST_NAMES 10000

int gc_part_open(struct gc_part *part, const char *directory, struct gc_error *err)
{
  char path[sizeof part->name + 8];
  int file = -1;

  part->process = (int)getpid();
  for (int i = 0; file < 0 && i < MOST_NAMES; i++) {
    snprintf(part->name, sizeof part->name, "%s/%d-%d", directory, part->process, i);
    snprintf(path, sizeof path, "%s.part", part->name);
    file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0 && errno != EEXIST)
      break;
  }
  part->file = file < 0 ? NULL : fdopen(file, "w");
  return part->file ? 0 : gc_fail(err, -errno, "cannot write %s: %s", path, strerror(errno));
}

int gc_part_end_launch(struct gc_part *part, int status, struct gc_error *err)
{
  if (!status && (ferror(part->file) || fflush(part->file)))
    status = gc_fail(err, -EIO, "cannot write %s.part: %s", part->name, strerror(errno));
  if (!status) {
    part->good = ftell(part->file);
    return 0;
  }
  /* Bytes that stdio still holds must not get into the file later. */
  __fpurge(part->file);
  clearerr(part->file);
  if (ftruncate(fileno(part->file), part->good) || fseek(part->file, part->good, SEEK_SET))
    return gc_fail(err, -EIO, "cannot shorten %s.part: %s", part->name, strerror(errno));
  return status;
}

void gc_part_renew(const struct gc_part *part, long place, uint64_t number)
{
  char digits[24];
  const int length = snprintf(digits, sizeof digits, GC_PART_NUMBER, number);

  /* if it fails, the launch stands for fewer */
  if (pwrite(fileno(part->file), digits, (size_t)length, place) < 0)
    return;
}

int gc_part_write(const struct gc_part *part, const char *suffix, const void *bytes, size_t size)
{
  char path[sizeof part->name + 32];
  FILE *file;
  bool good;

  snprintf(path, sizeof path, "%s%s", part->name, suffix);
  file = fopen(path, "we");
  good = file && fwrite(bytes, 1, size, file) == size;
  return file && !fclose(file) && good ? 0 : -EIO;
}
