/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpus/mig.h"

#include "gpus/mig_files.h"
#include "util/env.h"
#include "util/number.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIG_PREFIX "MIG-"
#define UUID_PREFIX "GPU-"
#define UUID_FORM "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"

void gc_mig_read(const char *root, const char *minor, char *mig, size_t size)
{
  struct gc_mig_list list;

  gc_mig_list(root, minor, &list);
  if (list.count)
    gc_mig_describe(&list, -1, mig, size);
  else
    snprintf(mig, size, GC_MIG_DISABLED);
}

bool gc_mig_is_on(const struct gc_gpu *gpu)
{
  return gpu->vendor == GC_VENDOR_NVIDIA && !gpu->instance && *gpu->identity.mig &&
         strcmp(gpu->identity.mig, GC_MIG_DISABLED);
}

const struct gc_gpu *gc_mig_whole(const struct gc_gpus *gpus, const struct gc_gpu *instance)
{
  for (size_t i = 0; i < gpus->count; i++) {
    const struct gc_gpu *gpu = &gpus->array[i];

    if (gpu->vendor == GC_VENDOR_NVIDIA && !gpu->instance && instance->has_pci &&
        gpu->domain == instance->domain && gpu->bus == instance->bus && gpu->dev == instance->dev &&
        gpu->func == instance->func)
      return gpu;
  }
  return NULL;
}

/* Appends an instance of GPU number i. at_place: the instance surely belongs to this GPU. NULL: out
 * of memory. */
static struct gc_gpu *append(struct gc_gpus *gpus, size_t i, bool at_place)
{
  struct gc_gpu *gpu = gc_gpus_append(gpus);
  const struct gc_gpu *whole = &gpus->array[i];

  if (!gpu)
    return NULL;
  gpu->vendor = GC_VENDOR_NVIDIA;
  gpu->instance = (unsigned)gpus->count;
  memcpy(gpu->identity.driver, whole->identity.driver, sizeof(gpu->identity.driver));
  snprintf(gpu->identity.model, sizeof(gpu->identity.model), "%.80s MIG instance",
           whole->identity.model);
  snprintf(gpu->identity.mig, sizeof(gpu->identity.mig), "instance");
  if (!at_place)
    return gpu;
  memcpy(gpu->identity.vbios, whole->identity.vbios, sizeof(gpu->identity.vbios));
  memcpy(gpu->minor, whole->minor, sizeof(gpu->minor));
  gpu->has_pci = whole->has_pci;
  gpu->domain = whole->domain;
  gpu->bus = whole->bus;
  gpu->dev = whole->dev;
  gpu->func = whole->func;
  return gpu;
}

/* Appends the instance gi/ci of GPU number i. shown_as: its entry in CUDA_VISIBLE_DEVICES, or
 * "". */
static int append_numbered(const char *root, struct gc_gpus *gpus, size_t i, struct gc_mig mig,
                           const char *shown_as)
{
  struct gc_gpu *gpu = append(gpus, i, true);
  struct gc_mig_list list;

  if (!gpu)
    return -ENOMEM;
  snprintf(gpu->identity.id, sizeof(gpu->identity.id), MIG_PREFIX "%.50s-gi%d-ci%d",
           gpus->array[i].identity.id, mig.gi, mig.ci);
  snprintf(gpu->shown_as, sizeof(gpu->shown_as), "%s", shown_as);
  /* the compute instances that share a GPU instance share its L2 and memory */
  gc_mig_list(root, gpu->minor, &list);
  gc_mig_describe(&list, mig.gi, gpu->identity.mig, sizeof(gpu->identity.mig));
  return 0;
}

static bool is_uuid(const char *text)
{
  size_t i;

  for (i = 0; text[i] && i < strlen(UUID_FORM); i++)
    if (UUID_FORM[i] == '-' ? text[i] != '-' : !isxdigit((unsigned char)text[i]))
      return false;
  return !text[i] && i == strlen(UUID_FORM);
}

/* The number of instances of a GPU in MIG mode that this process may use. */
static size_t count_usable(const char *root, const struct gc_gpu *gpu, struct gc_mig *first)
{
  struct gc_mig_list list;

  gc_mig_list(root, gpu->minor, &list);
  gc_mig_keep_usable(root, gpu->minor, &list);
  if (list.count)
    *first = list.array[0];
  return list.count;
}

/* Finds the GPU of an instance if only the UUID of the instance is known. It is the only GPU with
 * instances that this process may use. If /proc shows no GPU in MIG mode, as in some containers, it
 * is the only GPU. 1: found. 0: not known, and *whole is one of them. -1: there is no GPU. */
static int find_whole(const char *root, const struct gc_gpus *gpus, size_t wholes, size_t *whole)
{
  size_t with_instances = 0, others = 0, other = 0;
  struct gc_mig first;

  for (size_t i = 0; i < wholes; i++) {
    const struct gc_gpu *gpu = &gpus->array[i];

    if (gpu->vendor != GC_VENDOR_NVIDIA || gpu->problem[0])
      continue;
    if (!gc_mig_is_on(gpu)) {
      others++;
      other = i;
    } else if (count_usable(root, gpu, &first)) {
      with_instances++;
      *whole = i;
    }
  }
  if (!with_instances)
    *whole = other;
  return with_instances ? with_instances == 1 : others ? others == 1 : -1;
}

/* Appends the instance "GPU-<UUID>/<gi>/<ci>", unless there is none. */
static int append_older_form(const char *root, struct gc_gpus *gpus, size_t wholes,
                             const char *entry, const char *name)
{
  const size_t length = strcspn(name, "/");
  struct gc_mig_list list;
  uint64_t gi, ci;
  const char *end = name[length] ? gc_number_digits(name + length + 1, &gi) : NULL;

  if (!end || *end != '/' || !gc_number_whole(end + 1, &ci))
    return 0;
  for (size_t i = 0; i < wholes; i++) {
    const struct gc_gpu *gpu = &gpus->array[i];

    if (!gc_mig_is_on(gpu) || strncmp(gpu->identity.id, name, length))
      continue;
    gc_mig_list(root, gpu->minor, &list);
    for (size_t k = 0; k < list.count; k++)
      if ((uint64_t)list.array[k].gi == gi && list.array[k].ci >= 0 &&
          (uint64_t)list.array[k].ci == ci)
        return append_numbered(root, gpus, i, list.array[k], entry);
    return 0;
  }
  return 0;
}

/* Appends the instance of an entry of CUDA_VISIBLE_DEVICES. Appends nothing if the entry is not the
 * complete name of an instance. */
static int append_named(const char *root, struct gc_gpus *gpus, size_t wholes, const char *entry)
{
  const char *name = entry + strlen(MIG_PREFIX);
  struct gc_gpu *gpu;
  size_t whole = 0;
  int known;

  if (!strncmp(name, UUID_PREFIX, strlen(UUID_PREFIX)))
    return append_older_form(root, gpus, wholes, entry, name);
  if (!is_uuid(name))
    return 0;
  known = find_whole(root, gpus, wholes, &whole);
  if (known < 0)
    return 0;
  gpu = append(gpus, whole, known);
  if (!gpu)
    return -ENOMEM;
  snprintf(gpu->identity.id, sizeof(gpu->identity.id), "%.79s", entry);
  snprintf(gpu->shown_as, sizeof(gpu->shown_as), "%s", entry);
  return 0;
}

/* CUDA shows the first instance of such a list. The others belong to the job, too. */
static int append_list(const char *root, struct gc_gpus *gpus, size_t wholes, const char *list)
{
  int status = 0;

  while (!status && list && !strncmp(list, MIG_PREFIX, strlen(MIG_PREFIX))) {
    const size_t length = strcspn(list, ",");
    char entry[96];
    bool again = false;

    snprintf(entry, sizeof(entry), "%.*s", (int)length, list);
    for (size_t i = wholes; i < gpus->count; i++)
      again |= !strcmp(gpus->array[i].shown_as, entry);
    if (length < sizeof(entry) && !again)
      status = append_named(root, gpus, wholes, entry);
    list = list[length] ? list + length + 1 : NULL;
  }
  return status;
}

/* Writes why a whole GPU in MIG mode is not measured. */
static void explain(const char *root, const struct gc_gpus *gpus, struct gc_gpu *gpu, bool named)
{
  const struct gc_gpu *own = NULL;
  struct gc_mig first;
  size_t usable = 0;

  for (size_t i = 0; i < gpus->count && !own; i++) {
    const struct gc_gpu *instance = &gpus->array[i];

    if (instance->instance && (!instance->has_pci || gc_mig_whole(gpus, instance) == gpu))
      own = instance;
  }
  if (!own && !named)
    usable = count_usable(root, gpu, &first);
  if (own)
    snprintf(gpu->problem, sizeof(gpu->problem),
             "in MIG mode (%.80s): not the whole GPU but the instance %.79s is measured",
             gpu->identity.mig, own->identity.id);
  else if (named)
    snprintf(
        gpu->problem, sizeof(gpu->problem),
        "in MIG mode (%.80s), and CUDA_VISIBLE_DEVICES names no instance of it by its full UUID",
        gpu->identity.mig);
  else if (usable)
    snprintf(gpu->problem, sizeof(gpu->problem),
             "in MIG mode (%.80s): set CUDA_VISIBLE_DEVICES to the UUID of one instance "
             "(nvidia-smi -L lists them)",
             gpu->identity.mig);
  else
    snprintf(gpu->problem, sizeof(gpu->problem),
             "in MIG mode without an instance that this process may use; the administrator creates "
             "one with nvidia-smi mig and gives access to its nodes in /dev/nvidia-caps");
}

int gc_mig_add_instances(const char *root, struct gc_gpus *gpus)
{
  const char *list = gc_env_get(GC_ENV_CUDA_VISIBLE_DEVICES);
  const bool named = list && !strncmp(list, MIG_PREFIX, strlen(MIG_PREFIX));
  const size_t wholes = gpus->count;
  struct gc_mig only;
  int status = 0;

  if (named)
    status = append_list(root, gpus, wholes, list);
  for (size_t i = 0; !status && !named && i < wholes; i++)
    if (gc_mig_is_on(&gpus->array[i]) && !gpus->array[i].problem[0] &&
        count_usable(root, &gpus->array[i], &only) == 1)
      status = append_numbered(root, gpus, i, only, "");
  for (size_t i = 0; i < wholes; i++)
    if (gc_mig_is_on(&gpus->array[i]) && !gpus->array[i].problem[0])
      explain(root, gpus, &gpus->array[i], named);
  return status;
}
