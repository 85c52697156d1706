/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * AMD GPUs, from what the kernel shows as files:
 *   /sys/class/kfd/kfd/topology/nodes/N/properties    a node for each GPU, or partition
 *                                                     of one (kfd.h)
 *   /sys/bus/pci/devices/BUSID/{product_name,vbios_version,unique_id,
 *                               current_compute_partition,current_memory_partition}
 *   /sys/module/amdgpu/version (the module that comes with ROCm), else /proc/sys/kernel/osrelease
 *   /dev/kfd    a user who may open it may use the GPUs
 *
 * The id of a GPU is "GPU-" and its unique id in hexadecimal, as in ROCm. Consumer GPUs have no
 * unique id: their id consists of bus id and device id. If two GPUs of one model change places,
 * each gets the record of the other, which does no harm. The id of a partition (DPX … CPX) is that
 * of its whole GPU, "-" and the number of the partition. amd_nodes.c finds both, in such a way that
 * a new kernel does not change them.
 */
#define _GNU_SOURCE
#include "gpus/amd.h"

#include "gpus/amd_nodes.h"
#include "gpus/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_NODES 256
#define DEV_KFD "/dev/kfd"

static void make_id(const struct gc_amd_node *found, char *id, size_t size)
{
  struct gc_pci at = gc_amd_place(&found->node);
  size_t length;

  if (found->board)
    snprintf(id, size, "GPU-%016" PRIx64, found->board);
  else
    snprintf(id, size, "pci-%04x_%02x_%02x.%x-%04lx", at.domain, at.bus, at.dev, at.func,
             at.device < 0 ? 0 : (unsigned long)at.device);
  length = strlen(id);
  if (found->amd.is_partition)
    snprintf(id + length, size - length, "-%u", found->amd.partition);
}

/* 90402 is major 9, minor 4, stepping 2; the name has the last two as hexadecimal digits. */
static void make_gfx(uint64_t version, char *gfx, size_t size)
{
  unsigned major = (unsigned)(version / 10000), minor = (unsigned)(version / 100 % 100),
           stepping = (unsigned)(version % 100);

  if (version >= 10000 && version < 1000000 && minor < 16 && stepping < 16)
    snprintf(gfx, size, "gfx%u%x%x", major, minor, stepping);
}

static void make_model(const char *root, const struct gc_pci *pci, const char *gfx, long device,
                       char *model, size_t size)
{
  char number[24] = "";

  model[0] = '\0';
  if (pci)
    gc_amd_read_pci_line(root, pci, "product_name", model, size);
  if (model[0])
    return;
  if (device >= 0)
    snprintf(number, sizeof(number), " [1002:%04lx]", device & 0xffff);
  snprintf(model, size, "AMD GPU%s%s%s", *gfx ? " " : "", gfx, number);
}

/* Facts that all AMD GPUs of this machine share. */
struct driver {
  char version[64];
  char problem[128]; /* not empty: why no GPU can be used */
};

static void read_driver(const char *root, struct driver *driver)
{
  char path[PATH_MAX], release[48];

  gc_gpus_read_line(root, "/sys/module/amdgpu/version", driver->version, sizeof(driver->version));
  if (!driver->version[0]) {
    gc_gpus_read_line(root, "/proc/sys/kernel/osrelease", release, sizeof(release));
    if (release[0])
      snprintf(driver->version, sizeof(driver->version), "Linux %s", release);
  }
  driver->problem[0] = '\0';
  if ((size_t)snprintf(path, sizeof(path), "%s" DEV_KFD, root) >= sizeof(path) ||
      !faccessat(AT_FDCWD, path, R_OK | W_OK, AT_EACCESS))
    return;
  if (errno == ENOENT && *root)
    snprintf(driver->problem, sizeof(driver->problem),
             "HWLOC_FSROOT names a copy: GPUs can be measured only on the machine itself");
  else if (errno == ENOENT)
    snprintf(driver->problem, sizeof(driver->problem),
             "there is no " DEV_KFD
             ": load the kernel driver amdgpu, or pass the device to the container");
  else if (errno == EACCES)
    snprintf(driver->problem, sizeof(driver->problem),
             "no access to " DEV_KFD ": add the user to the group render");
  else
    snprintf(driver->problem, sizeof(driver->problem), "no access to " DEV_KFD ": %s",
             strerror(errno));
}

static void fill(struct gc_gpu *gpu, const char *root, const struct gc_amd_node *found,
                 const struct driver *driver)
{
  struct gc_identity *identity = &gpu->identity;
  struct gc_pci at = gc_amd_place(&found->node);

  gpu->vendor = GC_VENDOR_AMD;
  gpu->kfd_node = found->number;
  gpu->render_minor = (unsigned)found->node.render_minor;
  gpu->amd = found->amd;
  gpu->has_pci = found->node.location != 0;
  gpu->domain = at.domain;
  gpu->bus = at.bus;
  gpu->dev = at.dev;
  gpu->func = at.func;
  make_gfx(found->node.gfx, gpu->gfx, sizeof(gpu->gfx));
  make_id(found, identity->id, sizeof(identity->id));
  make_model(root, found->pci, gpu->gfx, at.device, identity->model, sizeof(identity->model));
  snprintf(identity->driver, sizeof(identity->driver), "%s", driver->version);
  if (found->pci)
    gc_amd_read_pci_line(root, found->pci, "vbios_version", identity->vbios,
                         sizeof(identity->vbios));
  /* Memory partitions are part of the state: each has its own share of memory and of the L3. */
  snprintf(identity->mig, sizeof(identity->mig), "%s%s%s", found->compute,
           found->compute[0] && found->memory[0] ? "/" : "", found->memory);
  snprintf(gpu->problem, sizeof(gpu->problem), "%s", driver->problem);
}

static int add_nodes(const char *root, const struct gc_amd_node *array, size_t count,
                     struct gc_gpus *gpus)
{
  struct driver driver;

  if (count > 0)
    read_driver(root, &driver);
  for (size_t i = 0; i < count; i++) {
    struct gc_gpu *gpu = gc_gpus_append(gpus);

    if (!gpu)
      return -ENOMEM;
    fill(gpu, root, &array[i], &driver);
  }
  return 0;
}

/* The PCI devices without a node: they have no driver, or one that uses them for graphics only. */
static int add_others(const char *root, const struct gc_pci_list *pci,
                      const struct gc_amd_node *array, size_t count, struct gc_gpus *gpus)
{
  for (size_t i = 0; i < pci->count; i++) {
    const struct gc_pci *at = &pci->array[i];
    bool has_node = at->vendor != GC_PCI_AMD;
    struct gc_gpu *gpu;

    for (size_t j = 0; !has_node && j < count; j++)
      has_node = array[j].pci == at;
    if (has_node)
      continue;
    gpu = gc_gpus_append(gpus);
    if (!gpu)
      return -ENOMEM;
    gpu->vendor = GC_VENDOR_AMD;
    gpu->kfd_node = GC_NO_KFD_NODE;
    gpu->has_pci = true;
    gpu->domain = at->domain;
    gpu->bus = at->bus;
    gpu->dev = at->dev;
    gpu->func = at->func;
    snprintf(gpu->identity.id, sizeof(gpu->identity.id), "pci-%04x_%02x_%02x.%x", at->domain,
             at->bus, at->dev, at->func);
    make_model(root, at, "", at->device, gpu->identity.model, sizeof(gpu->identity.model));
    snprintf(gpu->problem, sizeof(gpu->problem),
             "the amdgpu kernel driver has no compute node (KFD) for it");
  }
  return 0;
}

int gc_gpus_add_amd(const char *root, const struct gc_pci_list *pci, struct gc_gpus *gpus)
{
  DIR *dir = gc_gpus_open_dir(root, GC_KFD_NODES);
  struct gc_amd_node *array = NULL;
  size_t count = 0;
  int status = 0;

  if (dir) {
    array = calloc(MOST_NODES, sizeof(*array));
    if (array)
      count = gc_amd_read_nodes(root, dir, pci, array, MOST_NODES);
    else
      status = -ENOMEM;
    closedir(dir);
  }
  if (!status)
    status = add_nodes(root, array, count, gpus);
  if (!status)
    status = add_others(root, pci, array, count, gpus);
  free(array);
  return status;
}
