/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/part.h"

#include "util/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio_ext.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_NAMES 10000

/* A new file, with room for the lines of the end, and locked. Its descriptor, or a negative errno.
 */
static int make_file(const char *path)
{
  char blanks[GC_PART_END];
  const struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  int status;

  if (file < 0)
    return -errno;
  memset(blanks, ' ', sizeof blanks - 1);
  blanks[sizeof blanks - 1] = '\n';
  status = gc_file_write(file, blanks, sizeof blanks);
  fcntl(file, F_SETLK, &lock); /* without it, a process that still runs is taken for ended */
  if (!status)
    return file;
  close(file);
  unlink(path);
  return status;
}

int gc_part_open(struct gc_part *part, const char *directory, struct gc_error *err)
{
  char path[sizeof part->name + 8];
  int file = -EEXIST;

  part->process = (int)getpid();
  part->good = GC_PART_END;
  for (int i = 0; file == -EEXIST && i < MOST_NAMES; i++) {
    snprintf(part->name, sizeof part->name, "%s/%d-%d", directory, part->process, i);
    snprintf(path, sizeof path, "%s.part", part->name);
    file = make_file(path);
  }
  if (file < 0)
    return gc_fail(err, file, "cannot write %s: %s", path, strerror(-file));
  part->file = fdopen(file, "w");
  if (part->file)
    return 0;
  close(file);
  return gc_fail(err, -ENOMEM, "out of memory");
}

int gc_part_end_launch(struct gc_part *part, int status, struct gc_error *err)
{
  struct stat written;

  if (!status && !fstat(fileno(part->file), &written) && !written.st_nlink)
    status = gc_fail(err, -EIO, "the program that was traced has ended");
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

void gc_part_write_end(const struct gc_part *part, const char *format, ...)
{
  char lines[GC_PART_END];
  va_list values;

  va_start(values, format);
  vsnprintf(lines, sizeof lines, format, values);
  va_end(values);
  /* if it fails, the process seems to have ended early */
  if (pwrite(fileno(part->file), lines, strlen(lines), 0) < 0)
    return;
}

int gc_part_write(const struct gc_part *part, const char *suffix, const void *bytes, size_t size)
{
  char path[sizeof part->name + 32];
  int file, status;

  snprintf(path, sizeof path, "%s%s", part->name, suffix);
  file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0)
    return -errno;
  status = gc_file_write(file, bytes, size);
  if (close(file) && !status)
    status = -errno;
  if (status)
    unlink(path);
  return status;
}
