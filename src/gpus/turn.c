/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The partitions of one AMD GPU (DPX … CPX) share its memory, its L3 and its power: measured side by side they
 * would be in each other's way, and what was slower would be taken for what the hardware does. So they take
 * turns, whoever starts them: the directory of the GPU in sysfs is locked, which leaves nothing behind,
 * needs no right to write anywhere, and is the same for all users.
 */
#define _GNU_SOURCE
#include "gpus/kfd.h"
#include "gpus/vendors.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
  struct timespec t;

  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int open_dir(const char *root, const char *path)
{
  char full[PATH_MAX];
  int fd;

  if ((size_t)snprintf(full, sizeof(full), "%s%s", root, path) >= sizeof(full))
    return -ENAMETOOLONG;
  fd = open(full, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return fd < 0 ? -errno : fd;
}

/* What all partitions of a GPU have in common, even where each has a unique id of its own: their place in
 * PCI but for the function. Where PCI is not shown, all AMD GPUs are taken for one. */
static int open_whole(const char *root, const struct gc_gpu *gpu)
{
  char path[64];
  int fd = -ENOENT;

  if (gpu->has_pci) {
    snprintf(path, sizeof(path), "/sys/bus/pci/devices/%04x:%02x:%02x.0", gpu->domain, gpu->bus,
             gpu->dev);
    fd = open_dir(root, path);
  }
  return fd < 0 ? open_dir(root, GC_KFD_NODES) : fd;
}

int gc_gpus_take_turn(const char *root, const struct gc_gpu *gpu, double seconds, int *turn,
                      struct gc_error *err)
{
  const struct timespec pause = {0, 20 * 1000 * 1000};
  const double end = now() + seconds;
  int fd;

  *turn = -1;
  if (gpu->vendor != GC_VENDOR_AMD)
    return 0;
  fd = open_whole(root, gpu);
  if (fd < 0)
    return gc_fail(err, fd, "cannot lock the GPU in sysfs: %s", strerror(-fd));
  while (flock(fd, LOCK_EX | LOCK_NB)) {
    const int status = errno == EWOULDBLOCK || errno == EINTR ? -ETIMEDOUT : -errno;

    if (status == -ETIMEDOUT && now() < end) {
      nanosleep(&pause, NULL);
      continue;
    }
    close(fd);
    return status == -ETIMEDOUT
             ? gc_fail(err, status, "the GPU, or another partition of it, is being measured by another process")
             : gc_fail(err, status, "cannot lock the GPU in sysfs: %s", strerror(-status));
  }
  *turn = fd;
  return 0;
}
