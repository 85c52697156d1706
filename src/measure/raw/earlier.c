/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds, checks and removes files of earlier runs of --raw.
 */
#include "measure/raw/earlier.h"

#include "util/regular.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST "# hwloc-gpucache "
#define HEAD_BYTES 2048 /* the lines that identify a file are among the first */

struct head {
  char gpu[32], id[128], model[128];
};

static void take(const char *line, const char *name, char *value, size_t size)
{
  const size_t length = strlen(name);

  if (!strncmp(line, "# ", 2) && !strncmp(line + 2, name, length) &&
      !strncmp(line + 2 + length, ": ", 2))
    snprintf(value, size, "%s", line + 2 + length + 2);
}

/* Was this file written by --raw? Links and directories were not. */
static bool read_head(int dir, const char *name, struct head *head)
{
  char text[HEAD_BYTES], *rest = NULL;
  uint64_t size;
  const int fd = gc_regular_open_in(dir, name, &size);
  ssize_t length;

  memset(head, 0, sizeof(*head));
  if (fd < 0)
    return false;
  length = read(fd, text, sizeof(text) - 1);
  close(fd);
  if (length <= 0)
    return false;
  text[length] = '\0';
  if (strncmp(text, FIRST, strlen(FIRST)))
    return false;
  for (char *line = strtok_r(text, "\n", &rest); line && *line == '#';
       line = strtok_r(NULL, "\n", &rest)) {
    take(line, "gpu", head->gpu, sizeof(head->gpu));
    take(line, "id", head->id, sizeof(head->id));
    take(line, "model", head->model, sizeof(head->model));
  }
  return true;
}

/* Is this the name of a file for this GPU? gpu1-L1Cache-latency.tsv does not belong to gpu10. */
static bool has_name(const struct gc_raw *raw, const char *name)
{
  const size_t length = strlen(raw->gpu), all = strlen(name);

  return !strncmp(name, raw->gpu, length) && name[length] == '-' && all > 4 &&
         !strcmp(name + all - 4, ".tsv");
}

/* Calls visit for each file that --raw wrote for a GPU of this name, until one returns an error. */
static int each(const struct gc_raw *raw,
                int (*visit)(const struct gc_raw *raw, const char *name, const struct head *head,
                             struct gc_error *err),
                struct gc_error *err)
{
  const int fd = openat(raw->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *dir = fd < 0 ? NULL : fdopendir(fd);
  struct dirent *entry;
  struct head head;
  int status = 0;

  if (!dir) {
    status = gc_fail(err, -errno, "cannot search for earlier data: %s", strerror(errno));
    if (fd >= 0)
      close(fd);
    return status;
  }
  while (!status && (entry = readdir(dir)))
    if (has_name(raw, entry->d_name) && read_head(raw->dir, entry->d_name, &head) &&
        !strcmp(head.gpu, raw->gpu))
      status = visit(raw, entry->d_name, &head, err);
  closedir(dir);
  return status;
}

/* Is this the same GPU? Files of versions that wrote no id are compared by model. */
static int compare(const struct gc_raw *raw, const char *name, const struct head *head,
                   struct gc_error *err)
{
  if (!strcmp(head->id[0] ? head->id : head->model, head->id[0] ? raw->id : raw->model))
    return 0;
  return gc_fail(
      err, -EEXIST,
      "%s was measured on another %s (%.60s%s%.64s); give a directory of its own, or remove "
      "that data",
      name, raw->gpu, head->model, head->id[0] ? ", " : "", head->id);
}

static int drop(const struct gc_raw *raw, const char *name, const struct head *head,
                struct gc_error *err)
{
  (void)head;
  if (unlinkat(raw->dir, name, 0) && errno != ENOENT)
    return gc_fail(err, -errno, "cannot remove the earlier %s: %s", name, strerror(errno));
  return 0;
}

int gc_raw_check_earlier(const struct gc_raw *raw, struct gc_error *err)
{
  return each(raw, compare, err);
}

int gc_raw_remove_earlier(const struct gc_raw *raw, struct gc_error *err)
{
  return each(raw, drop, err);
}

int gc_raw_check_name(const struct gc_raw *raw, const char *name, struct gc_error *err)
{
  struct head head;
  struct stat st;

  if (fstatat(raw->dir, name, &st, AT_SYMLINK_NOFOLLOW) ||
      (read_head(raw->dir, name, &head) && !strcmp(head.gpu, raw->gpu)))
    return 0;
  return gc_fail(err, -EEXIST,
                 "cannot write %s: a file of this name exists that --raw did not write; move it "
                 "away, or give another directory",
                 name);
}
