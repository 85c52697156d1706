/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * NVIDIA GPUs, from what the kernel and NVIDIA's kernel driver show as files:
 *   /sys/bus/pci/devices/BUSID/{vendor,class,device}
 *   /proc/driver/nvidia/gpus/BUSID/information     "Key: \t value" lines
 *   /proc/driver/nvidia/version, or /sys/module/nvidia/version
 * nvidia_other.h has the GPUs that are not listed there, mig.h the MIG instances.
 */
#include "gpus/nvidia.h"

#include "gpus/mig.h"
#include "gpus/nvidia_other.h"
#include "gpus/tree.h"
#include "util/hash.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define UUID_LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-"

static struct gc_gpu *find(struct gc_gpus *gpus, const struct gc_gpu *same)
{
  for (size_t i = 0; i < gpus->count; i++) {
    struct gc_gpu *gpu = &gpus->array[i];

    if (gpu->vendor == GC_VENDOR_NVIDIA && gpu->has_pci && gpu->domain == same->domain &&
        gpu->bus == same->bus && gpu->dev == same->dev && gpu->func == same->func)
      return gpu;
  }
  return NULL;
}

/* The entry of the list for this bus id; appended if it is missing. */
static struct gc_gpu *add(struct gc_gpus *gpus, const struct gc_gpu *at)
{
  struct gc_gpu *gpu = find(gpus, at);

  if (gpu)
    return gpu;
  gpu = gc_gpus_append(gpus);
  if (!gpu)
    return NULL;
  *gpu = *at;
  gpu->vendor = GC_VENDOR_NVIDIA;
  gpu->has_pci = true;
  snprintf(gpu->identity.id, sizeof(gpu->identity.id), "pci-%04x_%02x_%02x.%x", at->domain, at->bus,
           at->dev, at->func);
  snprintf(gpu->identity.model, sizeof(gpu->identity.model), "NVIDIA GPU");
  return gpu;
}

/* All display controllers of the vendor, with or without a driver. */
static int add_pci_devices(const struct gc_pci_list *pci, struct gc_gpus *gpus)
{
  for (size_t i = 0; i < pci->count; i++) {
    const struct gc_pci *device = &pci->array[i];
    struct gc_gpu at = {
        .domain = device->domain, .bus = device->bus, .dev = device->dev, .func = device->func};
    struct gc_gpu *gpu;

    if (device->vendor != GC_PCI_NVIDIA)
      continue;
    gpu = add(gpus, &at);
    if (!gpu)
      return -ENOMEM;
    if (device->device >= 0)
      snprintf(gpu->identity.model, sizeof(gpu->identity.model), "NVIDIA GPU [10de:%04lx]",
               device->device);
    snprintf(gpu->problem, sizeof(gpu->problem), "the NVIDIA kernel driver does not list it");
  }
  return 0;
}

/* The version is the first word of digits and dots. There are two forms of the line:
 * "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build  (…)"
 * "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.54.03  Tue Jun  6 …" */
static bool find_version(char *line, char *version, size_t size)
{
  char *rest = NULL;

  line[strcspn(line, "\n")] = '\0';
  for (char *word = strtok_r(line, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
    if (isdigit((unsigned char)word[0]) && strchr(word, '.') &&
        word[strspn(word, "0123456789.")] == '\0') {
      snprintf(version, size, "%.*s", (int)size - 1, word);
      return true;
    }
  }
  return false;
}

static void read_driver(const char *root, char *version, size_t size)
{
  static const char *const files[] = {"/proc/driver/nvidia/version", "/sys/module/nvidia/version"};

  version[0] = '\0';
  for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
    char path[PATH_MAX], text[1024];

    if ((size_t)snprintf(path, sizeof(path), "%s%s", root, files[i]) < sizeof(path) &&
        gc_gpus_read(AT_FDCWD, path, text, sizeof(text)) > 0 && find_version(text, version, size))
      return;
  }
}

/* Copies the value of a "Key: \t value" line; empty when there is no such line. False: there is
 * none, or it has question marks, which the driver writes for what it does not know yet. */
static bool get_value(const char *text, const char *key, char *value, size_t size)
{
  size_t key_length = strlen(key), length;

  value[0] = '\0';
  for (const char *line = text; line; line = strchr(line, '\n')) {
    line += *line == '\n';
    if (strncmp(line, key, key_length) || line[key_length] != ':')
      continue;
    line += key_length + 1;
    line += strspn(line, " \t");
    length = strcspn(line, "\n");
    while (length > 0 && isspace((unsigned char)line[length - 1]))
      length--;
    snprintf(value, size, "%.*s", (int)length, line);
    return strchr(value, '?') == NULL;
  }
  return false;
}

/* The UUID becomes a file name. */
static bool is_uuid(const char *text)
{
  return !strncmp(text, "GPU-", 4) && text[4] && text[strspn(text, UUID_LETTERS)] == '\0';
}

/* Fills in what the driver states about one GPU. */
static void fill(struct gc_gpu *gpu, const char *root, const char *text, const char *driver)
{
  struct gc_identity *identity = &gpu->identity;
  char value[96];

  gpu->problem[0] = '\0';
  snprintf(identity->driver, sizeof(identity->driver), "%s", driver);
  if (get_value(text, "Model", value, sizeof(value)) && value[0])
    snprintf(identity->model, sizeof(identity->model), "%s", value);
  if (get_value(text, "Video BIOS", value, sizeof(value)))
    snprintf(identity->vbios, sizeof(identity->vbios), "%.63s", value);
  if (get_value(text, "Device Minor", gpu->minor, sizeof(gpu->minor)))
    gc_mig_read(root, gpu->minor, identity->mig, sizeof(identity->mig));
  if (get_value(text, "GPU UUID", value, sizeof(value)) && is_uuid(value) &&
      strlen(value) < sizeof(identity->id))
    memcpy(identity->id, value, strlen(value) + 1);
  else
    snprintf(gpu->problem, sizeof(gpu->problem), "%s",
             "the NVIDIA driver does not report its UUID yet; run nvidia-smi once");
  if (get_value(text, "GPU Excluded", value, sizeof(value)) && !strcmp(value, "Yes"))
    snprintf(gpu->problem, sizeof(gpu->problem), "the NVIDIA driver is configured to exclude it");
}

/* The key for the information of all GPUs. It changes if the driver is loaded again or replaced. */
static uint64_t driver_key(const struct gc_remember *remember, const char *driver)
{
  uint64_t key = gc_remember_key(remember, "nvidia information");

  key = gc_remember_node(remember, key, "/sys/module/nvidia");
  return key && *driver ? gc_hash(key, driver, strlen(driver) + 1) : 0;
}

/* The key for one GPU. It changes if the driver is bound to the GPU again. 0: the kernel does not
 * show the node. */
static uint64_t information_key(const struct gc_remember *remember, uint64_t key,
                                const char *bus_id)
{
  char path[64];

  snprintf(path, sizeof(path), "/sys/bus/pci/drivers/nvidia/%.20s", bus_id);
  key = gc_remember_node(remember, key, path);
  return key ? gc_hash(key, bus_id, strlen(bus_id)) : 0;
}

/* Reads what the driver states about a GPU: the remembered text, or else the driver's file. For
 * this file, the driver takes a lock and needs 0.1 to 0.6 ms. dir: of all GPUs. */
static bool read_information(struct gc_remember *remember, uint64_t key, int dir,
                             const char *bus_id, char text[GC_REMEMBER_TEXT])
{
  char path[64];

  if (gc_remember_find(remember, key, text))
    return true;
  snprintf(path, sizeof(path), "%.20s/information", bus_id);
  return gc_gpus_read(dir, path, text, GC_REMEMBER_TEXT) > 0;
}

/* For a machine without the driver's list. */
static void name_all_by_place(const char *root, struct gc_gpus *gpus)
{
  char driver[64];

  read_driver(root, driver, sizeof(driver));
  for (size_t i = 0; i < gpus->count && *driver; i++)
    if (gpus->array[i].has_pci)
      gc_gpus_name_by_place(root, driver, &gpus->array[i]);
}

int gc_gpus_add_nvidia(const char *root, struct gc_remember *remember,
                       const struct gc_pci_list *pci, struct gc_gpus *gpus)
{
  char driver[64], text[GC_REMEMBER_TEXT];
  struct dirent *entry;
  uint64_t key, of_driver;
  int status;
  DIR *dir;

  status = add_pci_devices(pci, gpus);
  if (!status)
    status = gc_gpus_add_tegra(root, gpus);
  if (status < 0)
    return status;
  dir = gc_gpus_open_dir(root, "/proc/driver/nvidia/gpus");
  if (!dir) {
    name_all_by_place(root, gpus);
    return 0;
  }
  read_driver(root, driver, sizeof(driver));
  of_driver = driver_key(remember, driver);
  while ((entry = readdir(dir))) {
    struct gc_gpu at = {0}, *gpu;

    if (!gc_gpus_parse_bus_id(entry->d_name, &at))
      continue;
    key = information_key(remember, of_driver, entry->d_name);
    if (!read_information(remember, key, dirfd(dir), entry->d_name, text))
      continue;
    gpu = add(gpus, &at);
    if (!gpu) {
      status = -ENOMEM;
      break;
    }
    fill(gpu, root, text, driver);
    /* The driver writes question marks for what it does not know yet. */
    if (!gpu->problem[0] && !strchr(text, '?'))
      gc_remember_put(remember, key, text);
  }
  closedir(dir);
  return status;
}
