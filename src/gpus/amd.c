/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * AMD GPUs, from what the kernel shows as files:
 *   /sys/class/kfd/kfd/topology/nodes/N/properties    a node for each GPU, or partition of one (kfd.h)
 *   /sys/bus/pci/devices/BUSID/{product_name,vbios_version,current_compute_partition,
 *                               current_memory_partition}
 *   /sys/module/amdgpu/version (the module that comes with ROCm), else /proc/sys/kernel/osrelease
 *   /dev/kfd    whoever may open it may compute
 *
 * The id of a GPU is "GPU-" and its unique id in hexadecimal, which is how ROCm calls it. Consumer GPUs
 * have none: their id is made of bus id and device id, so two of one model that change places are taken
 * for each other, which does no harm. The partitions of a GPU (DPX … CPX) have its unique id in common
 * in all but the newest kernels; "-" and the number of the partition follows, which the kernel puts into
 * the function of the PCI bus id. Should nodes have even that in common, their order counts.
 */
#define _GNU_SOURCE
#include "gpus/kfd.h"
#include "gpus/vendors.h"

#include <ctype.h>
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

/* A GPU's node. Partitions are no PCI functions; pci is then the one they are partitions of. */
struct found {
  unsigned number;
  struct gc_kfd_node node;
  const struct gc_pci *pci; /* NULL: PCI does not show it */
  char compute[16], memory[16]; /* partition modes; empty: there are none */
};

/* The printable text of a one-line file, without blanks at its ends; empty when there is none. */
static void read_line(const char *root, const char *path, char *line, size_t size)
{
  char full[PATH_MAX], text[256];
  const char *start = text;
  size_t length;

  line[0] = '\0';
  if ((size_t)snprintf(full, sizeof(full), "%s%s", root, path) >= sizeof(full) ||
      gc_gpus_read(AT_FDCWD, full, text, sizeof(text)) <= 0)
    return;
  text[strcspn(text, "\n")] = '\0';
  start += strspn(start, " \t");
  length = strlen(start);
  while (length > 0 && isspace((unsigned char)start[length - 1]))
    length--;
  if (length >= size)
    length = size - 1;
  for (size_t i = 0; i < length; i++)
    line[i] = start[i] >= ' ' && start[i] <= '~' ? start[i] : '?';
  line[length] = '\0';
}

static void read_pci_line(const char *root, const struct gc_pci *pci, const char *name, char *line,
                          size_t size)
{
  char path[128];

  snprintf(path, sizeof(path), "/sys/bus/pci/devices/%04x:%02x:%02x.%x/%s", pci->domain, pci->bus,
           pci->dev, pci->func, name);
  read_line(root, path, line, size);
}

/* location_id is PCI's 16 bits of bus, device and function. */
static struct gc_pci place_of(const struct gc_kfd_node *node)
{
  return (struct gc_pci){
      .vendor = GC_PCI_AMD,
      .device = node->device ? (long)(node->device & 0xffff) : -1,
      .domain = (unsigned)node->domain,
      .bus = (unsigned)node->location >> 8 & 0xff,
      .dev = (unsigned)node->location >> 3 & 0x1f,
      .func = (unsigned)node->location & 7,
  };
}

/* The PCI function that the node is at, or else the first function of that device. */
static const struct gc_pci *find_pci(const struct gc_pci_list *list, const struct gc_pci *place)
{
  const struct gc_pci *first = NULL;

  for (size_t i = 0; i < list->count; i++) {
    const struct gc_pci *pci = &list->array[i];

    if (pci->vendor != GC_PCI_AMD || pci->domain != place->domain || pci->bus != place->bus ||
        pci->dev != place->dev)
      continue;
    if (pci->func == place->func)
      return pci;
    if (pci->func == 0)
      first = pci;
  }
  return first;
}

/* In the order of the numbers. */
static int by_number(const void *left, const void *right)
{
  const struct found *a = left, *b = right;

  return (a->number > b->number) - (a->number < b->number);
}

/* The nodes that are GPUs of AMD. A node of which a container may not read is none. */
static size_t find_nodes(DIR *dir, struct found *array, size_t room)
{
  struct dirent *entry;
  size_t count = 0;

  while (count < room && (entry = readdir(dir))) {
    struct found *found = &array[count];

    if (entry->d_name[strspn(entry->d_name, "0123456789")] || strlen(entry->d_name) > 6)
      continue;
    memset(found, 0, sizeof(*found));
    found->number = (unsigned)atoi(entry->d_name);
    if (gc_kfd_read_node(dirfd(dir), found->number, &found->node) && found->node.simds > 0 &&
        (found->node.vendor == GC_PCI_AMD || !found->node.vendor))
      count++;
  }
  qsort(array, count, sizeof(*array), by_number);
  return count;
}

/* Whether two nodes are parts of one GPU, as far as their ids can tell. */
static bool same_gpu(const struct gc_kfd_node *a, const struct gc_kfd_node *b)
{
  if (a->unique_id || b->unique_id)
    return a->unique_id == b->unique_id;
  return a->domain == b->domain && a->location == b->location;
}

/* The number of a partition, or -1 for a GPU that is whole. */
static int partition_of(const struct found *array, size_t count, size_t i)
{
  const struct found *own = &array[i];
  const unsigned func = (unsigned)own->node.location & 7;
  bool several = false, ambiguous = false;
  int rank = 0;

  for (size_t j = 0; j < count; j++) {
    if (j == i || !same_gpu(&array[j].node, &own->node))
      continue;
    several = true;
    rank += j < i;
    /* then for all of them, so that no two get one number */
    for (size_t k = 0; k < count; k++)
      ambiguous |= k != j && same_gpu(&array[k].node, &own->node) &&
                   ((array[k].node.location ^ array[j].node.location) & 7) == 0;
  }
  if (ambiguous)
    return rank;
  /* In a container there may be one of several partitions only. */
  if (several || (own->pci && own->pci->func != func) ||
      (own->compute[0] && strcmp(own->compute, "SPX")))
    return (int)func;
  return -1;
}

static void make_id(const struct found *found, int partition, char *id, size_t size)
{
  const struct gc_kfd_node *node = &found->node;
  struct gc_pci at = place_of(node);
  size_t length;

  if (node->unique_id)
    snprintf(id, size, "GPU-%016" PRIx64, node->unique_id);
  else
    snprintf(id, size, "pci-%04x_%02x_%02x.%x-%04lx", at.domain, at.bus, at.dev, at.func,
             at.device < 0 ? 0 : (unsigned long)at.device);
  length = strlen(id);
  if (partition >= 0)
    snprintf(id + length, size - length, "-%d", partition);
}

/* 90402 is major 9, minor 4, stepping 2; the last two are hexadecimal digits in the name. */
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
    read_pci_line(root, pci, "product_name", model, size);
  if (model[0])
    return;
  if (device >= 0)
    snprintf(number, sizeof(number), " [1002:%04lx]", device & 0xffff);
  snprintf(model, size, "AMD GPU%s%s%s", *gfx ? " " : "", gfx, number);
}

/* What all AMD GPUs of this machine have in common. */
struct driver {
  char version[64];
  char problem[128]; /* not empty: why nobody can compute here */
};

static void read_driver(const char *root, struct driver *driver)
{
  char path[PATH_MAX], release[48];

  read_line(root, "/sys/module/amdgpu/version", driver->version, sizeof(driver->version));
  if (!driver->version[0]) {
    read_line(root, "/proc/sys/kernel/osrelease", release, sizeof(release));
    if (release[0])
      snprintf(driver->version, sizeof(driver->version), "Linux %s", release);
  }
  driver->problem[0] = '\0';
  if ((size_t)snprintf(path, sizeof(path), "%s" DEV_KFD, root) >= sizeof(path) ||
      !faccessat(AT_FDCWD, path, R_OK | W_OK, AT_EACCESS))
    return;
  if (errno == ENOENT && *root)
    snprintf(driver->problem, sizeof(driver->problem),
             "this is a copy (HWLOC_FSROOT): only the machine itself can be measured");
  else if (errno == ENOENT)
    snprintf(driver->problem, sizeof(driver->problem),
             "there is no " DEV_KFD ": load the kernel driver amdgpu, or give it to the container");
  else if (errno == EACCES)
    snprintf(driver->problem, sizeof(driver->problem), "no access to " DEV_KFD ": add the user to the group render");
  else
    snprintf(driver->problem, sizeof(driver->problem), "no access to " DEV_KFD ": %s", strerror(errno));
}

static void fill(struct gc_gpu *gpu, const char *root, const struct found *found, int partition,
                 const struct driver *driver)
{
  struct gc_identity *identity = &gpu->identity;
  struct gc_pci at = place_of(&found->node);

  gpu->vendor = GC_VENDOR_AMD;
  gpu->kfd_node = found->number;
  gpu->has_pci = found->node.location != 0;
  gpu->domain = at.domain;
  gpu->bus = at.bus;
  gpu->dev = at.dev;
  gpu->func = at.func;
  make_gfx(found->node.gfx, gpu->gfx, sizeof(gpu->gfx));
  make_id(found, partition, identity->id, sizeof(identity->id));
  make_model(root, found->pci, gpu->gfx, at.device, identity->model, sizeof(identity->model));
  snprintf(identity->driver, sizeof(identity->driver), "%s", driver->version);
  if (found->pci)
    read_pci_line(root, found->pci, "vbios_version", identity->vbios, sizeof(identity->vbios));
  /* Memory that is partitioned, too, is another memory, with another cache in front. */
  snprintf(identity->mig, sizeof(identity->mig), "%s%s%s", found->compute,
           found->compute[0] && found->memory[0] ? "/" : "", found->memory);
  snprintf(gpu->problem, sizeof(gpu->problem), "%s", driver->problem);
}

static int add_nodes(const char *root, const struct found *array, size_t count,
                     struct gc_gpus *gpus)
{
  struct driver driver;

  if (count > 0)
    read_driver(root, &driver);
  for (size_t i = 0; i < count; i++) {
    struct gc_gpu *gpu = gc_gpus_append(gpus);

    if (!gpu)
      return -ENOMEM;
    fill(gpu, root, &array[i], partition_of(array, count, i), &driver);
  }
  return 0;
}

/* The PCI devices of which no node is: no driver, or one that knows them for graphics only. */
static int add_others(const char *root, const struct gc_pci_list *pci, const struct found *array,
                      size_t count, struct gc_gpus *gpus)
{
  for (size_t i = 0; i < pci->count; i++) {
    const struct gc_pci *at = &pci->array[i];
    bool served = at->vendor != GC_PCI_AMD;
    struct gc_gpu *gpu;

    for (size_t j = 0; !served && j < count; j++)
      served = array[j].pci == at;
    if (served)
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
             "the amdgpu kernel driver shows no compute node (KFD) of it");
  }
  return 0;
}

int gc_gpus_add_amd(const char *root, const struct gc_pci_list *pci, struct gc_gpus *gpus)
{
  DIR *dir = gc_gpus_open_dir(root, GC_KFD_NODES);
  struct found *array = NULL;
  size_t count = 0;
  int status = 0;

  if (dir) {
    array = calloc(MOST_NODES, sizeof(*array));
    if (array)
      count = find_nodes(dir, array, MOST_NODES);
    else
      status = -ENOMEM;
    closedir(dir);
  }
  for (size_t i = 0; i < count; i++) {
    struct gc_pci place = place_of(&array[i].node);

    array[i].pci = find_pci(pci, &place);
    if (!array[i].pci)
      continue;
    read_pci_line(root, array[i].pci, "current_compute_partition", array[i].compute,
                  sizeof(array[i].compute));
    read_pci_line(root, array[i].pci, "current_memory_partition", array[i].memory,
                  sizeof(array[i].memory));
  }
  if (!status)
    status = add_nodes(root, array, count, gpus);
  if (!status)
    status = add_others(root, pci, array, count, gpus);
  free(array);
  return status;
}
