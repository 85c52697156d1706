/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpus/nvidia_other.h"

#include "gpus/tree.h"
#include "util/hash.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define TEGRA "/sys/bus/platform/drivers/gk20a"
#define DEVICE_TREE "/proc/device-tree"
#define MACHINE_ID "/etc/machine-id"

/* A hash, because machine-id(5) asks programs not to publish the id itself. False: there is none.
 */
static bool hash_machine(const char *root, char hash[17])
{
  static const char ours[] = "hwloc-gpucache";
  char id[64];

  gc_gpus_read_line(root, MACHINE_ID, id, sizeof(id));
  if (strlen(id) != 32 || id[strspn(id, "0123456789abcdef")])
    return false; /* "uninitialized" is possible, too */
  snprintf(hash, 17, "%016" PRIx64,
           gc_hash(gc_hash(GC_HASH_START, ours, sizeof(ours)), id, strlen(id)));
  return true;
}

void gc_gpus_name_by_place(const char *root, const char *driver, struct gc_gpu *gpu)
{
  char machine[17];

  if (!hash_machine(root, machine)) {
    snprintf(gpu->problem, sizeof(gpu->problem),
             "there is neither /proc/driver/nvidia/gpus, which has its UUID, nor " MACHINE_ID
             ", which could replace it");
    return;
  }
  snprintf(gpu->identity.id, sizeof(gpu->identity.id), "pci-%s-%04x_%02x_%02x.%x", machine,
           gpu->domain, gpu->bus, gpu->dev, gpu->func);
  snprintf(gpu->identity.driver, sizeof(gpu->identity.driver), "%.63s", driver);
  gpu->problem[0] = '\0';
}

/* The GPU with the name ADDRESS.NAME in the driver's directory. The driver is a part of the
 * kernel's package and has no version of its own. */
static int add_tegra(const char *root, const char *device, struct gc_gpus *gpus)
{
  char serial[32], kernel[48];
  struct gc_identity *identity;
  struct gc_gpu *gpu = gc_gpus_append(gpus);

  if (!gpu)
    return -ENOMEM;
  gpu->vendor = GC_VENDOR_NVIDIA;
  identity = &gpu->identity;
  gc_gpus_read_line(root, DEVICE_TREE "/model", identity->model, sizeof(identity->model));
  if (!*identity->model)
    snprintf(identity->model, sizeof(identity->model), "NVIDIA Tegra");
  gc_gpus_read_line(root, "/proc/sys/kernel/osrelease", kernel, sizeof(kernel));
  snprintf(identity->driver, sizeof(identity->driver), "nvgpu %s", kernel);
  /* a container may hide the device tree */
  gc_gpus_read_line(root, DEVICE_TREE "/serial-number", serial, sizeof(serial));
  for (const char *c = serial; *c; c++)
    if (!isalnum((unsigned char)*c))
      *serial = '\0';
  if (!*serial && !hash_machine(root, serial)) {
    snprintf(gpu->problem, sizeof(gpu->problem),
             "there is neither " DEVICE_TREE
             "/serial-number, which would identify it, nor " MACHINE_ID ", which could replace it");
    strcpy(serial, "unknown");
  }
  snprintf(identity->id, sizeof(identity->id), "tegra-%s-%.*s", serial,
           (int)strspn(device, "0123456789abcdef"), device);
  return 0;
}

int gc_gpus_add_tegra(const char *root, struct gc_gpus *gpus)
{
  DIR *dir = gc_gpus_open_dir(root, TEGRA);
  struct dirent *entry;
  int status = 0;

  while (dir && !status && (entry = readdir(dir))) {
    /* others are "bind", "module", "uevent" … */
    const size_t address = strspn(entry->d_name, "0123456789abcdef");

    if (address > 0 && address <= 16 && entry->d_name[address] == '.')
      status = add_tegra(root, entry->d_name, gpus);
  }
  if (dir)
    closedir(dir);
  return status;
}
