/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The partitions of one AMD GPU (DPX … CPX) share its memory, its L3 and its power. If they were
 * measured in parallel, they would slow each other down, and the values would be wrong. So they are
 * measured one after another, also when several users measure them: a lock on the GPU's directory
 * in sysfs leaves nothing behind, needs no write permission, and is the same for all users.
 *
 * But any user can also hold it for ever, on purpose or with a stopped process. A lock in a
 * directory of each user could not be blocked by others, but two users would then measure at the
 * same time, and both would store wrong values without noticing. A measurement needs the lock for a
 * few seconds only. So a process that holds it for STUCK_MS does not measure, and is ignored. A
 * load may not wait that long: it fails, notes the failure, and says that the command waits longer.
 *
 * The kernel does not tell which process of another container holds the lock. There, several
 * processes that measure one partition after another look like one that never ends. So an unknown
 * holder gets the time of all partitions, STUCK_UNKNOWN_MS. Waiting without end would let any
 * container block the GPU; ignoring it earlier would measure beside a process that measures.
 *
 * GPUs of other vendors are locked only if there is no other lock (store/hold.h).
 */
#define _GNU_SOURCE
#include "gpus/gpu_lock.h"

#include "gpus/kfd.h"
#include "util/clock.h"
#include "util/holder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* A measurement takes a few seconds, even when it waits for a busy GPU. */
#define STUCK_MS 30e3
/* Eight partitions (CPX of an MI300X), each less than 12 s; less than the command waits (120 s). */
#define STUCK_UNKNOWN_MS 96e3
#define LOOK_MS 500 /* how often the holder is looked up */

static int open_dir(const char *root, const char *path)
{
  char full[PATH_MAX];
  int fd;

  if ((size_t)snprintf(full, sizeof(full), "%s%s", root, path) >= sizeof(full))
    return -ENAMETOOLONG;
  fd = open(full, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return fd < 0 ? -errno : fd;
}

/* Opens what all partitions of a GPU share, even where each has its own unique id: the PCI
 * device, function 0. Where PCI is not visible, all AMD GPUs share one lock. */
static int open_whole(const char *root, const struct gc_gpu *gpu)
{
  char path[64];
  int fd = -ENOENT;

  if (gpu->has_pci) {
    snprintf(path, sizeof(path), "/sys/bus/pci/devices/%04x:%02x:%02x.0", gpu->domain, gpu->bus,
             gpu->dev);
    fd = open_dir(root, path);
  }
  return fd < 0 && gpu->vendor == GC_VENDOR_AMD ? open_dir(root, GC_KFD_NODES) : fd;
}

static int say_held(const struct gc_gpu *gpu, int status, long holder, const char *rest,
                    struct gc_error *err)
{
  char who[32] = "", advice[GC_HOLDER_ADVICE];

  if (holder)
    snprintf(who, sizeof(who), " (%ld)", holder);
  gc_holder_advice(holder, advice);
  return gc_fail(err, status, "the GPU%s is being measured by another process%s%s%s",
                 gpu->vendor == GC_VENDOR_AMD ? ", or another partition of it," : "", who, rest,
                 advice);
}

/* Polls, because flock has no time limit. 0; GC_GPUS_LOCK_IGNORED; or a negative errno. */
static int wait_for(int fd, const struct gc_gpu *gpu, double seconds, struct gc_error *err)
{
  const struct timespec pause = {0, 20 * 1000 * 1000};
  const double end = gc_now_ms() + 1e3 * seconds;
  double since = gc_now_ms(), looked = 0, now, stuck;
  struct stat dir;
  long holder = 0, before;

  if (fstat(fd, &dir))
    return gc_fail(err, -errno, "cannot lock the GPU in sysfs: %m");
  while (flock(fd, LOCK_EX | LOCK_NB)) {
    if (errno == EINTR)
      continue;
    if (errno != EWOULDBLOCK)
      return gc_fail(err, -errno, "cannot lock the GPU in sysfs: %m");
    now = gc_now_ms();
    if (now - looked >= LOOK_MS || now >= end) {
      before = holder;
      holder = gc_holder_of(&dir);
      looked = now;
      if (holder != before)
        since = now;
    }
    stuck = holder ? STUCK_MS : STUCK_UNKNOWN_MS;
    if (now - since >= stuck)
      return say_held(gpu, GC_GPUS_LOCK_IGNORED, holder, " for too long; measuring without "
                      "waiting for its end", err);
    if (!(now < end))
      return say_held(gpu, -ETIMEDOUT, holder, seconds * 1e3 < stuck ?
                      "; hwloc-gpucache measure waits longer" : "", err);
    nanosleep(&pause, NULL);
  }
  return 0;
}

int gc_gpus_lock(const char *root, const struct gc_gpu *gpu, bool any, double seconds, int *lock,
                 struct gc_error *err)
{
  const bool is_amd = gpu->vendor == GC_VENDOR_AMD;
  int fd, status;

  *lock = -1;
  if (!is_amd && (!any || gpu->vendor == GC_VENDOR_SIM))
    return 0;
  fd = open_whole(root, gpu);
  status = fd < 0 ? gc_fail(err, fd, "cannot lock the GPU in sysfs: %s", strerror(-fd))
                  : wait_for(fd, gpu, seconds, err);
  if (!status)
    *lock = fd;
  else if (fd >= 0)
    close(fd);
  /* without partitions, a GPU can be measured without this lock */
  return status < 0 && status != -ETIMEDOUT && !is_amd ? 0 : status;
}
