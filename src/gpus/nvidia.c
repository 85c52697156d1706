/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * NVIDIA GPUs, from what the kernel and NVIDIA's kernel driver show as files:
 *   /sys/bus/pci/devices/BUSID/{vendor,class,device}
 *   /proc/driver/nvidia/gpus/BUSID/information     "Key: \t value" lines
 *   /proc/driver/nvidia/version, or /sys/module/nvidia/version
 *   /proc/driver/nvidia/capabilities/gpuMINOR/mig/giN/ciN    a directory per MIG instance
 */
#include "gpus/vendors.h"

#include "util/hash.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define UUID_LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-"
#define MIG_MAX 256 /* instances that are told apart; real GPUs have at most 7 x 7 */

static struct gc_gpu *find(struct gc_gpus *gpus, const struct gc_gpu *same)
{
  for (size_t i = 0; i < gpus->count; i++) {
    struct gc_gpu *gpu = &gpus->array[i];

    if (gpu->vendor == GC_VENDOR_NVIDIA && gpu->domain == same->domain && gpu->bus == same->bus &&
        gpu->dev == same->dev && gpu->func == same->func)
      return gpu;
  }
  return NULL;
}

/* A list entry for this bus id, the old one if there is one. */
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

/* All display controllers of the vendor, whether their driver is there or not. */
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
    snprintf(gpu->problem, sizeof(gpu->problem), "the NVIDIA kernel driver does not serve it");
  }
  return 0;
}

/* The version is the first word that is made of digits and dots; two forms are known:
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

/* Copies the value of a "Key: \t value" line; empty when there is no such line. The driver writes
 * question marks for what it does not know yet: then unknown is set. */
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

/* One MIG instance: a compute instance, or a GPU instance that has none (ci = -1). */
struct mig {
  int gi, ci;
};

static int by_instance(const void *left, const void *right)
{
  const struct mig *a = left, *b = right;

  return a->gi != b->gi ? (a->gi > b->gi) - (a->gi < b->gi) : (a->ci > b->ci) - (a->ci < b->ci);
}

/* N of an entry named like "gi3", or -1. */
static int instance_number(const char *name, const char *prefix)
{
  size_t length = strlen(prefix);

  if (strncmp(name, prefix, length) || !isdigit((unsigned char)name[length]) ||
      strlen(name + length) > 6)
    return -1;
  return atoi(name + length);
}

static size_t list_compute_instances(DIR *parent, const char *name, int gi, struct mig *array,
                                     size_t room)
{
  int fd = openat(dirfd(parent), name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *dir = fd < 0 ? NULL : fdopendir(fd);
  struct dirent *entry;
  size_t count = 0;

  if (!dir && fd >= 0)
    close(fd);
  while (dir && count < room && (entry = readdir(dir))) {
    int ci = instance_number(entry->d_name, "ci");

    if (ci >= 0)
      array[count++] = (struct mig){gi, ci};
  }
  if (dir)
    closedir(dir);
  if (count == 0 && room > 0)
    array[count++] = (struct mig){gi, -1};
  return count;
}

/* "disabled" or "gi1/ci0,gi2/ci0,…"; a longer list ends in its hash, so that it still tells one
 * state from another. */
static void read_mig(const char *root, const char *minor, char *mig, size_t size)
{
  struct mig array[MIG_MAX];
  char path[96], list[MIG_MAX * 18 + 1];
  size_t count = 0, length = 0;
  struct dirent *entry;
  DIR *dir;

  snprintf(mig, size, "disabled");
  snprintf(path, sizeof(path), "/proc/driver/nvidia/capabilities/gpu%.10s/mig", minor);
  dir = gc_gpus_open_dir(root, path);
  if (!dir)
    return;
  while (count < MIG_MAX && (entry = readdir(dir))) {
    int gi = instance_number(entry->d_name, "gi");

    if (gi >= 0)
      count += list_compute_instances(dir, entry->d_name, gi, array + count, MIG_MAX - count);
  }
  closedir(dir);
  if (count == 0)
    return;
  qsort(array, count, sizeof(array[0]), by_instance);
  for (size_t i = 0; i < count; i++) {
    length += (size_t)sprintf(list + length, "%sgi%d", i ? "," : "", array[i].gi);
    if (array[i].ci >= 0)
      length += (size_t)sprintf(list + length, "/ci%d", array[i].ci);
  }
  if (length < size)
    memcpy(mig, list, length + 1);
  else
    snprintf(mig, size, "%.*s+%016" PRIx64, (int)size - 18, list,
             gc_hash(GC_HASH_START, list, length));
}

/* It becomes a file name. */
static bool is_uuid(const char *text)
{
  return !strncmp(text, "GPU-", 4) && text[4] && text[strspn(text, UUID_LETTERS)] == '\0';
}

/* What the driver says of one GPU. */
static void fill(struct gc_gpu *gpu, const char *root, const char *text, const char *driver)
{
  struct gc_identity *identity = &gpu->identity;
  char value[96], minor[16];

  gpu->problem[0] = '\0';
  snprintf(identity->driver, sizeof(identity->driver), "%s", driver);
  if (get_value(text, "Model", value, sizeof(value)) && value[0])
    snprintf(identity->model, sizeof(identity->model), "%s", value);
  if (get_value(text, "Video BIOS", value, sizeof(value)))
    snprintf(identity->vbios, sizeof(identity->vbios), "%.63s", value);
  if (get_value(text, "Device Minor", minor, sizeof(minor)))
    read_mig(root, minor, identity->mig, sizeof(identity->mig));
  if (get_value(text, "GPU UUID", value, sizeof(value)) && is_uuid(value) &&
      strlen(value) < sizeof(identity->id))
    memcpy(identity->id, value, strlen(value) + 1);
  else
    snprintf(gpu->problem, sizeof(gpu->problem), "%s",
             "the NVIDIA driver does not know its UUID yet; running nvidia-smi once helps");
  if (get_value(text, "GPU Excluded", value, sizeof(value)) && !strcmp(value, "Yes"))
    snprintf(gpu->problem, sizeof(gpu->problem), "the NVIDIA driver was told to exclude it");
}

int gc_gpus_add_nvidia(const char *root, const struct gc_pci_list *pci, struct gc_gpus *gpus)
{
  char driver[64], text[4096], path[64];
  struct dirent *entry;
  int status;
  DIR *dir;

  status = add_pci_devices(pci, gpus);
  if (status < 0)
    return status;
  dir = gc_gpus_open_dir(root, "/proc/driver/nvidia/gpus");
  if (!dir)
    return 0;
  read_driver(root, driver, sizeof(driver));
  while ((entry = readdir(dir))) {
    struct gc_gpu at = {0}, *gpu;

    if (!gc_gpus_parse_bus_id(entry->d_name, &at))
      continue;
    snprintf(path, sizeof(path), "%.20s/information", entry->d_name);
    if (gc_gpus_read(dirfd(dir), path, text, sizeof(text)) <= 0)
      continue;
    gpu = add(gpus, &at);
    if (!gpu) {
      status = -ENOMEM;
      break;
    }
    fill(gpu, root, text, driver);
  }
  closedir(dir);
  return status;
}
