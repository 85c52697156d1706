/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The display controllers and accelerators of the vendors that are known, from
 * /sys/bus/pci/devices/BUSID/{vendor,class,device}. One walk serves all vendors: a server has
 * hundreds of PCI devices, and each costs a file.
 */
#include "gpus/vendors.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CLASS_DISPLAY 0x03
#define CLASS_ACCELERATOR 0x12

DIR *gc_gpus_open_dir(const char *root, const char *path)
{
  char full[PATH_MAX];
  DIR *dir;
  int fd;

  if ((size_t)snprintf(full, sizeof(full), "%s%s", root, path) >= sizeof(full))
    return NULL;
  fd = open(full, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    return NULL;
  dir = fdopendir(fd);
  if (!dir)
    close(fd);
  return dir;
}

/* The number in a one-line file like "0x10de", or -1. */
static long read_hex(int at, const char *bus_id, const char *name)
{
  char path[64], text[32];

  snprintf(path, sizeof(path), "%.20s/%s", bus_id, name);
  if (gc_gpus_read(at, path, text, sizeof(text)) <= 0)
    return -1;
  return strtol(text, NULL, 16);
}

/* Only NVIDIA's display controllers: what else NVIDIA makes is no GPU. */
static bool is_gpu(long vendor, long class)
{
  return class >> 16 == CLASS_DISPLAY || (vendor == GC_PCI_AMD && class >> 16 == CLASS_ACCELERATOR);
}

int gc_gpus_list_pci(const char *root, struct gc_pci_list *list)
{
  DIR *dir = gc_gpus_open_dir(root, "/sys/bus/pci/devices");
  struct dirent *entry;
  int status = 0;

  list->array = NULL;
  list->count = 0;
  while (dir && (entry = readdir(dir))) {
    struct gc_gpu at = {0};
    struct gc_pci *more;
    long vendor;

    if (!gc_gpus_parse_bus_id(entry->d_name, &at))
      continue;
    vendor = read_hex(dirfd(dir), entry->d_name, "vendor");
    if ((vendor != GC_PCI_NVIDIA && vendor != GC_PCI_AMD) ||
        !is_gpu(vendor, read_hex(dirfd(dir), entry->d_name, "class")))
      continue;
    more = realloc(list->array, (list->count + 1) * sizeof(*more));
    if (!more) {
      status = -ENOMEM;
      break;
    }
    list->array = more;
    more[list->count++] = (struct gc_pci){
        .vendor = vendor,
        .device = read_hex(dirfd(dir), entry->d_name, "device"),
        .domain = at.domain,
        .bus = at.bus,
        .dev = at.dev,
        .func = at.func,
    };
  }
  if (dir)
    closedir(dir);
  if (status < 0)
    gc_gpus_free_pci(list);
  return status;
}

void gc_gpus_free_pci(struct gc_pci_list *list)
{
  free(list->array);
  list->array = NULL;
  list->count = 0;
}
