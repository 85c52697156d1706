/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The partitions of one AMD GPU (DPX … CPX) share its memory, its L3 and its power: measured side by side they
 * would be in each other's way, and what was slower would be taken for what the hardware does. So they take
 * turns, whoever starts them: the directory of the GPU in sysfs is locked, which leaves nothing behind,
 * needs no right to write anywhere, and is the same for all users.
 *
 * NVIDIA's driver starts one GPU after the other, and ends their use so, too: what registers a GPU with it has
 * its lock for 92 ms, what gives one back for 60 (two H200, driver 580). Processes that start at the same time
 * are in each other's way all the while; those that take turns at it measure while the next one starts.
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

#define PAUSE_MS 20
/* Those who start a GPU go first, since others wait for what they measure: they look more often. */
#define START_PAUSE_MS 1
#define END_PAUSE_MS 8
#define DRIVER_SECONDS 2.0 /* who hangs in the driver has no other wait longer */
#define LATE_FD 60         /* the kernel closes the lock after what it is for, and needs no larger table */

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

/* Locks the open directory before the time `end`. 0, -ETIMEDOUT, or what flock says. */
static int lock_until(int fd, double end, long pause_ms)
{
  const struct timespec pause = {0, pause_ms * 1000 * 1000};

  while (flock(fd, LOCK_EX | LOCK_NB)) {
    if (errno != EWOULDBLOCK && errno != EINTR)
      return -errno;
    if (now() >= end)
      return -ETIMEDOUT;
    nanosleep(&pause, NULL);
  }
  return 0;
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
  int fd, status;

  *turn = -1;
  if (gpu->vendor != GC_VENDOR_AMD)
    return 0;
  fd = open_whole(root, gpu);
  if (fd < 0)
    return gc_fail(err, fd, "cannot lock the GPU in sysfs: %s", strerror(-fd));
  status = lock_until(fd, now() + seconds, PAUSE_MS);
  if (status) {
    close(fd);
    return status == -ETIMEDOUT
             ? gc_fail(err, status, "the GPU, or another partition of it, is being measured by another process")
             : gc_fail(err, status, "cannot lock the GPU in sysfs: %s", strerror(-status));
  }
  *turn = fd;
  return 0;
}

int gc_gpus_take_driver(const char *root, enum gc_vendor vendor, bool start)
{
  int low, fd;

  if (vendor != GC_VENDOR_NVIDIA)
    return -1;
  low = open_dir(root, GC_NVIDIA_GPUS);
  if (low < 0)
    return -1;
  fd = fcntl(low, F_DUPFD_CLOEXEC, LATE_FD);
  close(low);
  if (fd >= 0 && lock_until(fd, now() + DRIVER_SECONDS, start ? START_PAUSE_MS : END_PAUSE_MS)) {
    close(fd);
    return -1;
  }
  return fd;
}
