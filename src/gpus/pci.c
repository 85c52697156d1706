/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The display controllers and accelerators of NVIDIA and AMD, from
 * /sys/bus/pci/devices/BUSID/{vendor,class,device}. The directory is read once for all vendors: a
 * server has hundreds of PCI devices, and reading one file for each takes 3 to 8 us. So the result
 * is remembered as long as the directory has the same names with the same inode numbers.
 */
#include "gpus/pci.h"

#include "gpus/tree.h"
#include "util/hash.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEVICES "/sys/bus/pci/devices"
/* A machine without a GPU and with fewer devices gets no file. */
#define MANY_DEVICES 32
#define CLASS_DISPLAY 0x03
#define CLASS_ACCELERATOR 0x12

bool gc_gpus_parse_bus_id(const char *text, struct gc_gpu *gpu)
{
  int end = 0;

  /* A leading digit, because %x would also take spaces and signs. */
  if (!strchr("0123456789abcdefABCDEF", text[0]) ||
      sscanf(text, "%8x:%2x:%2x.%1x%n", &gpu->domain, &gpu->bus, &gpu->dev, &gpu->func, &end) != 4)
    return false;
  return end > 0 && text[end] == '\0';
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

/* Of NVIDIA's devices only display controllers are GPUs. */
static bool is_gpu(long vendor, long class)
{
  return class >> 16 == CLASS_DISPLAY || (vendor == GC_PCI_AMD && class >> 16 == CLASS_ACCELERATOR);
}

/* Appends a device. 0 or -ENOMEM. */
static int append(struct gc_pci_list *list, long vendor, long device, const struct gc_gpu *at)
{
  struct gc_pci *more = realloc(list->array, (list->count + 1) * sizeof(*more));

  if (!more)
    return -ENOMEM;
  list->array = more;
  more[list->count++] = (struct gc_pci){
      .vendor = vendor,
      .device = device,
      .domain = at->domain,
      .bus = at->bus,
      .dev = at->dev,
      .func = at->func,
  };
  return 0;
}

/* Reads the vendor of each device, and class and device of the devices of the two vendors. *useful:
 * the result is worth remembering, and all these files could be read. 0 or -ENOMEM. */
static int scan(DIR *dir, struct gc_pci_list *list, bool *useful)
{
  struct dirent *entry;
  bool complete = true;
  size_t devices = 0;
  int status = 0;

  while (!status && (entry = readdir(dir))) {
    struct gc_gpu at = {0};
    long vendor, class, device;

    if (!gc_gpus_parse_bus_id(entry->d_name, &at))
      continue;
    vendor = read_hex(dirfd(dir), entry->d_name, "vendor");
    devices++;
    complete &= vendor >= 0;
    if (vendor != GC_PCI_NVIDIA && vendor != GC_PCI_AMD)
      continue;
    class = read_hex(dirfd(dir), entry->d_name, "class");
    complete &= class >= 0;
    if (!is_gpu(vendor, class))
      continue;
    device = read_hex(dirfd(dir), entry->d_name, "device");
    complete &= device >= 0 && device <= 0xffff;
    status = append(list, vendor, device, &at);
  }
  *useful = complete && (list->count > 0 || devices >= MANY_DEVICES);
  return status;
}

/* Adding or removing a device adds or removes a link with a new inode number. */
static uint64_t key_of(const struct gc_remember *remember, DIR *dir)
{
  uint64_t key = gc_remember_key(remember, "PCI");
  struct dirent *entry;

  key = gc_remember_node(remember, key, DEVICES);
  while (key && (entry = readdir(dir))) {
    const uint64_t inode = entry->d_ino;

    if (strcmp(entry->d_name, "..")) /* ".." is outside */
      key = gc_hash(gc_hash(key, &inode, sizeof(inode)), entry->d_name, strlen(entry->d_name));
  }
  return key;
}

/* The remembered form is a line "pci", and one for each GPU: vendor, device and bus id. */
static int parse(char *text, struct gc_pci_list *list)
{
  char *rest = NULL, *line = strtok_r(text, "\n", &rest);

  while ((line = strtok_r(NULL, "\n", &rest))) {
    struct gc_gpu at = {0};
    unsigned vendor, device;
    int end = 0;

    if (sscanf(line, "%4x %4x %n", &vendor, &device, &end) != 2 || !end ||
        !gc_gpus_parse_bus_id(line + end, &at))
      continue;
    if (append(list, (long)vendor, (long)device, &at))
      return -ENOMEM;
  }
  return 0;
}

static void put(struct gc_remember *remember, uint64_t key, const struct gc_pci_list *list)
{
  char text[GC_REMEMBER_TEXT];
  size_t length = (size_t)sprintf(text, "pci\n");

  for (size_t i = 0; i < list->count; i++) {
    const struct gc_pci *pci = &list->array[i];

    if (length + 64 > sizeof(text))
      return;
    length += (size_t)sprintf(text + length, "%04lx %04lx %04x:%02x:%02x.%x\n", pci->vendor,
                              pci->device, pci->domain, pci->bus, pci->dev, pci->func);
  }
  gc_remember_put(remember, key, text);
}

int gc_gpus_list_pci(const char *root, struct gc_remember *remember, struct gc_pci_list *list)
{
  DIR *dir = gc_gpus_open_dir(root, DEVICES);
  char text[GC_REMEMBER_TEXT];
  bool useful;
  uint64_t key;
  int status;

  list->array = NULL;
  list->count = 0;
  if (!dir)
    return 0;
  key = key_of(remember, dir);
  if (gc_remember_find(remember, key, text)) {
    status = parse(text, list);
  } else {
    rewinddir(dir);
    status = scan(dir, list, &useful);
    if (!status && useful)
      put(remember, key, list);
  }
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
