/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Fuzz target: notes of failed measurements. The input takes the place of a whole note, or, if it
 * begins with "+", of what follows the head of a valid one. The file is a real one, preferably in
 * memory (/dev/shm).
 */
#include "fuzz.h"

#include "store/store.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define ID "GPU-01234567-89ab-cdef-0123-456789abcdef"

static const struct gc_identity gpu = {ID, "NVIDIA H200", "580.95.05", "96.00.BC.00.01",
                                       "disabled"};
static char dir[PATH_MAX], path[PATH_MAX + 64], head[4096];
static size_t head_length;
static int fd = -1;

static void remove_it(void)
{
  unlink(path);
  rmdir(dir);
}

/* Stores a note, and keeps what comes before its variable part. */
static void prepare(void)
{
  const char *tmp = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
  struct gc_error err = {""};
  ssize_t length;
  char *end;

  snprintf(dir, sizeof(dir), "%s/gpucache-fuzz-XXXXXX", tmp);
  PROMISE(mkdtemp(dir) && !setenv("HWLOC_GPUCACHE_DIR", dir, 1));
  snprintf(path, sizeof(path), "%s/" ID ".failed", dir);
  atexit(remove_it);
  if (gc_store_remember_failure(&gpu, 1, "it is busy", true, &err)) {
    fprintf(stderr, "cannot prepare: %s\n", err.text);
    exit(1);
  }
  fd = open(path, O_RDWR | O_CLOEXEC);
  length = read(fd, head, sizeof(head) - 1);
  PROMISE(length > 0);
  end = strstr(head, "since: ");
  PROMISE(end);
  head_length = (size_t)(end - head);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct gc_failure failure;
  size_t before = 0;

  if (fd < 0)
    prepare();
  if (size > 0 && data[0] == '+') {
    data++, size--;
    before = head_length;
  }
  if (pwrite(fd, data, size, (off_t)before) != (ssize_t)size ||
      (before && pwrite(fd, head, before, 0) != (ssize_t)before) ||
      ftruncate(fd, (off_t)(before + size)))
    return 0;
  if (!gc_store_find_failure(&gpu, 1, &failure))
    PROMISE(strlen(failure.why) < sizeof(failure.why) &&
            strlen(failure.since) < sizeof(failure.since));
  return 0;
}
