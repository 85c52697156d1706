/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpus/vendors.h"

#include "util/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

struct gc_gpu *gc_gpus_append(struct gc_gpus *gpus)
{
  struct gc_gpu *grown = realloc(gpus->array, (gpus->count + 1) * sizeof(*grown));

  if (!grown)
    return NULL;
  gpus->array = grown;
  grown += gpus->count++;
  memset(grown, 0, sizeof(*grown));
  return grown;
}

long gc_gpus_read(int at, const char *path, char *text, size_t size)
{
  struct stat status;
  size_t length = 0;
  long result;
  int fd = openat(at, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

  if (fd < 0)
    return -errno;
  if (fstat(fd, &status) < 0) {
    result = -errno;
    goto out;
  }
  if (!S_ISREG(status.st_mode)) {
    result = S_ISDIR(status.st_mode) ? -EISDIR : -EINVAL;
    goto out;
  }
  while (length < size - 1) {
    ssize_t n = read(fd, text + length, size - 1 - length);

    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0) {
      result = -errno;
      goto out;
    }
    if (n == 0)
      break;
    length += (size_t)n;
  }
  text[length] = '\0';
  result = (long)length;
out:
  close(fd);
  return result;
}

bool gc_gpus_parse_bus_id(const char *text, struct gc_gpu *gpu)
{
  int end = 0;

  /* A leading digit, because %x would also take spaces and signs. */
  if (!strchr("0123456789abcdefABCDEF", text[0]) ||
      sscanf(text, "%8x:%2x:%2x.%1x%n", &gpu->domain, &gpu->bus, &gpu->dev, &gpu->func, &end) != 4)
    return false;
  return end > 0 && text[end] == '\0';
}

/* Partitions of a GPU may have one bus id. */
static int by_bus_id(const void *left, const void *right)
{
  const struct gc_gpu *a = left, *b = right;

#define GC_COMPARE(field)                                                                          \
  if (a->field != b->field)                                                                        \
  return a->field < b->field ? -1 : 1
  GC_COMPARE(domain);
  GC_COMPARE(bus);
  GC_COMPARE(dev);
  GC_COMPARE(func);
  GC_COMPARE(kfd_node);
#undef GC_COMPARE
  return 0;
}

static int add_real(const char *root, struct gc_gpus *gpus)
{
  struct gc_pci_list pci;
  int status = gc_gpus_list_pci(root, &pci);

  if (status < 0)
    return status;
  status = gc_gpus_add_nvidia(root, &pci, gpus);
  if (status == 0)
    status = gc_gpus_add_amd(root, &pci, gpus);
  gc_gpus_free_pci(&pci);
  return status;
}

int gc_gpus_list(const char *root, const char *sims, struct gc_gpus *gpus)
{
  int status;

  gpus->array = NULL;
  gpus->count = 0;
  status = add_real(root, gpus);
  if (status < 0)
    goto fail;
  if (gpus->count > 1)
    qsort(gpus->array, gpus->count, sizeof(*gpus->array), by_bus_id);
  if (sims) {
    status = gc_gpus_add_sim(sims, gpus);
    if (status < 0)
      goto fail;
  }
  for (size_t i = 0; i < gpus->count; i++) {
    snprintf(gpus->array[i].name, sizeof(gpus->array[i].name), "gpu%u", (unsigned)i);
    gc_make_printable(gpus->array[i].problem); /* names of files are in there */
  }
  return 0;
fail:
  gc_gpus_free(gpus);
  return status;
}

int gc_gpus_know(const char *root, struct gc_gpu *gpu)
{
  if (gpu->vendor != GC_VENDOR_AMD || gpu->kfd_node == GC_NO_KFD_NODE || gpu->known)
    return 0;
  return gc_gpus_amd_known(root, gpu, &gpu->known);
}

void gc_gpus_free(struct gc_gpus *gpus)
{
  for (size_t i = 0; i < gpus->count; i++)
    gc_record_free(gpus->array[i].known);
  free(gpus->array);
  gpus->array = NULL;
  gpus->count = 0;
}

static bool has_bus_id(const struct gc_gpu *gpu, const char *word)
{
  struct gc_gpu wanted;
  char full[32];

  if (!gpu->has_pci)
    return false;
  if (!gc_gpus_parse_bus_id(word, &wanted)) {
    snprintf(full, sizeof(full), "0000:%.20s", word);
    if (!gc_gpus_parse_bus_id(full, &wanted))
      return false;
  }
  wanted.kfd_node = gpu->kfd_node;
  return by_bus_id(gpu, &wanted) == 0;
}

struct gc_gpu *gc_gpus_by_name(const struct gc_gpus *gpus, const char *word)
{
  for (size_t i = 0; i < gpus->count; i++) {
    struct gc_gpu *gpu = &gpus->array[i];

    if (!strcasecmp(word, gpu->identity.id) || !strcmp(word, gpu->name) ||
        !strcmp(word, gpu->name + strlen("gpu")) || has_bus_id(gpu, word))
      return gpu;
    if (gpu->vendor != GC_VENDOR_SIM)
      continue;
    if (!strcmp(word, gpu->identity.id + strlen("sim-")) ||
        (gpu->profile[0] && !strcmp(word, gpu->profile)))
      return gpu;
  }
  return NULL;
}
