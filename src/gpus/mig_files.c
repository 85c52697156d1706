/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpus/mig_files.h"

#include "gpus/nodes.h"
#include "gpus/tree.h"
#include "util/hash.h"
#include "util/number.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CAPABILITIES "/proc/driver/nvidia/capabilities"

static int by_instance(const void *left, const void *right)
{
  const struct gc_mig *a = left, *b = right;

  return a->gi != b->gi ? (a->gi > b->gi) - (a->gi < b->gi) : (a->ci > b->ci) - (a->ci < b->ci);
}

/* The number N of an entry "giN", or -1. */
static int instance_number(const char *name, const char *prefix)
{
  const size_t length = strlen(prefix);
  uint64_t number;

  if (strncmp(name, prefix, length))
    return -1;
  return gc_number_whole(name + length, &number) && number < 1000000 ? (int)number : -1;
}

static void list_compute_instances(DIR *parent, const char *name, int gi, struct gc_mig_list *list)
{
  int fd = openat(dirfd(parent), name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *dir = fd < 0 ? NULL : fdopendir(fd);
  const size_t before = list->count;
  struct dirent *entry;

  if (!dir && fd >= 0)
    close(fd);
  while (dir && list->count < GC_MIG_MOST && (entry = readdir(dir))) {
    int ci = instance_number(entry->d_name, "ci");

    if (ci >= 0)
      list->array[list->count++] = (struct gc_mig){gi, ci};
  }
  if (dir)
    closedir(dir);
  if (list->count == before && before < GC_MIG_MOST)
    list->array[list->count++] = (struct gc_mig){gi, -1};
}

void gc_mig_list(const char *root, const char *minor, struct gc_mig_list *list)
{
  struct dirent *entry;
  char path[96];
  DIR *dir;

  list->count = 0;
  snprintf(path, sizeof(path), CAPABILITIES "/gpu%.10s/mig", minor);
  dir = gc_gpus_open_dir(root, path);
  while (dir && list->count < GC_MIG_MOST && (entry = readdir(dir))) {
    int gi = instance_number(entry->d_name, "gi");

    if (gi >= 0)
      list_compute_instances(dir, entry->d_name, gi, list);
  }
  if (dir)
    closedir(dir);
  qsort(list->array, list->count, sizeof(list->array[0]), by_instance);
}

void gc_mig_describe(const struct gc_mig_list *list, int gi, char *mig, size_t size)
{
  char text[GC_MIG_MOST * 18 + 1];
  size_t length = 0;

  for (size_t i = 0; i < list->count; i++) {
    const struct gc_mig *instance = &list->array[i];

    if (gi >= 0 && instance->gi != gi)
      continue;
    length += (size_t)sprintf(text + length, "%sgi%d", length ? "," : "", instance->gi);
    if (instance->ci >= 0)
      length += (size_t)sprintf(text + length, "/ci%d", instance->ci);
  }
  if (length < size)
    snprintf(mig, size, "%.*s", (int)length, text);
  else
    snprintf(mig, size, "%.*s+%016" PRIx64, (int)size - 18, text,
             gc_hash(GC_HASH_START, text, length));
}

/* Tries the node of one capability: 0 or a positive errno. path: its directory. */
static int try_capability(const char *root, const char *path)
{
  static const char key[] = "DeviceFileMinor: ";
  char full[PATH_MAX], node[64], text[256], *at;
  uint64_t minor;

  if ((size_t)snprintf(full, sizeof(full), "%s%s/access", root, path) >= sizeof(full) ||
      gc_gpus_read(AT_FDCWD, full, text, sizeof(text)) <= 0 || !(at = strstr(text, key)) ||
      !gc_number_digits(at + strlen(key), &minor))
    return ENOENT;
  snprintf(node, sizeof(node), "/dev/nvidia-caps/nvidia-cap%" PRIu64, minor);
  return gc_nodes_try(root, node, false);
}

/* Tries the nodes of an instance. A GPU instance without a compute instance is no CUDA device. */
static int try_instance(const char *root, const char *minor, const struct gc_mig *mig)
{
  char path[128];
  int error;

  if (mig->ci < 0)
    return ENODEV;
  snprintf(path, sizeof(path), CAPABILITIES "/gpu%.10s/mig/gi%d", minor, mig->gi);
  error = try_capability(root, path);
  if (error)
    return error;
  snprintf(path, sizeof(path), CAPABILITIES "/gpu%.10s/mig/gi%d/ci%d", minor, mig->gi, mig->ci);
  return try_capability(root, path);
}

void gc_mig_keep_usable(const char *root, const char *minor, struct gc_mig_list *list)
{
  int errors[GC_MIG_MOST];
  bool some = false;
  size_t kept = 0;

  for (size_t i = 0; i < list->count; i++) {
    errors[i] = try_instance(root, minor, &list->array[i]);
    some |= errors[i] != ENOENT && errors[i] != ENODEV;
  }
  for (size_t i = 0; i < list->count; i++)
    if (!errors[i] || (errors[i] == ENOENT && !some))
      list->array[kept++] = list->array[i];
  list->count = kept;
}
