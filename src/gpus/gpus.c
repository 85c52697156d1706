/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpus/gpus.h"

#include "gpus/amd.h"
#include "gpus/amd_tables.h"
#include "gpus/mig.h"
#include "gpus/nodes.h"
#include "gpus/nvidia.h"
#include "gpus/pci.h"
#include "gpus/remember.h"
#include "gpus/sim.h"
#include "gpus/tree.h"
#include "util/error.h"
#include "util/hash.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Partitions of a GPU may have the same bus id. MIG instances come last: their
 * number depends on the environment, and the names of the other GPUs must not. */
static int by_bus_id(const void *left, const void *right)
{
  const struct gc_gpu *a = left, *b = right;

#define GC_COMPARE(field)                                                                          \
  if (a->field != b->field)                                                                        \
  return a->field < b->field ? -1 : 1
  GC_COMPARE(instance);
  GC_COMPARE(domain);
  GC_COMPARE(bus);
  GC_COMPARE(dev);
  GC_COMPARE(func);
  GC_COMPARE(kfd_node);
#undef GC_COMPARE
  return 0;
}

static int add_real(const char *root, struct gc_remember *remember, struct gc_gpus *gpus)
{
  struct gc_pci_list pci;
  int status = gc_gpus_list_pci(root, remember, &pci);

  if (status < 0)
    return status;
  status = gc_gpus_add_nvidia(root, remember, &pci, gpus);
  if (status == 0)
    status = gc_gpus_add_amd(root, &pci, gpus);
  if (status == 0)
    status = gc_mig_add_instances(root, gpus);
  gc_gpus_free_pci(&pci);
  return status;
}

/* A broken driver or file may have bytes that XML cannot hold. With these, a record could not be
 * stored. The ids are checked where they are read. */
static void clean(char *text)
{
  gc_make_printable(text);
  for (; *text; text++)
    if ((unsigned char)*text > 127)
      *text = '?';
}

static void clean_identity(struct gc_identity *identity)
{
  clean(identity->model);
  clean(identity->driver);
  clean(identity->vbios);
  clean(identity->mig);
}

static int list(const char *root, bool believe, const char *sims, struct gc_gpus *gpus)
{
  struct gc_remember remember;
  int status;

  gpus->array = NULL;
  gpus->count = 0;
  gc_remember_begin(&remember, root, believe);
  status = add_real(root, &remember, gpus);
  gc_remember_end(&remember);
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
    gc_make_printable(gpus->array[i].problem); /* it may contain file names */
    if (gpus->array[i].vendor != GC_VENDOR_SIM)
      clean_identity(&gpus->array[i].identity);
  }
  return 0;
fail:
  gc_gpus_free(gpus);
  return status;
}

int gc_gpus_list(const char *root, const char *sims, struct gc_gpus *gpus)
{
  return list(root, false, sims, gpus);
}

int gc_gpus_list_known(const char *root, const char *sims, struct gc_gpus *gpus)
{
  return list(root, true, sims, gpus);
}

int gc_gpus_read_tables(const char *root, struct gc_gpu *gpu)
{
  if (gpu->vendor != GC_VENDOR_AMD || gpu->kfd_node == GC_NO_KFD_NODE || gpu->tables)
    return 0;
  return gc_gpus_read_amd_tables(root, gpu, &gpu->tables);
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
  wanted.instance = gpu->instance;
  return by_bus_id(gpu, &wanted) == 0;
}

/* The UUID of ROCm names a GPU whose id is another: newer kernels give partitions their own. */
static bool is_uuid(const struct gc_gpu *gpu, const char *word)
{
  return gpu->vendor == GC_VENDOR_AMD && gpu->amd.own_uuid && !strcasecmp(word, gpu->amd.uuid);
}

struct gc_gpu *gc_gpus_by_name(const struct gc_gpus *gpus, const char *word)
{
  for (size_t i = 0; i < gpus->count; i++) {
    struct gc_gpu *gpu = &gpus->array[i];

    if (!strcasecmp(word, gpu->identity.id) || !strcmp(word, gpu->name) ||
        !strcmp(word, gpu->name + strlen("gpu")) || has_bus_id(gpu, word) || is_uuid(gpu, word))
      return gpu;
    if (gpu->vendor != GC_VENDOR_SIM)
      continue;
    if (!strcmp(word, gpu->identity.id + strlen("sim-")) ||
        (gpu->profile[0] && !strcmp(word, gpu->profile)))
      return gpu;
  }
  return NULL;
}

/* WSL 2 has this device and no file that describes a GPU. */
const char *gc_gpus_why_unseen(const char *root)
{
  return gc_nodes_try(root, "/dev/dxg", false) == ENOENT
             ? NULL
             : "this is WSL 2, where the kernel shows GPUs only to the vendor's library, so they "
               "cannot "
               "be identified";
}

#define LINK ", link "

/* A file of the GPU's PCI device. */
static void read_pci(const char *root, const struct gc_gpu *gpu, const char *file, char line[32])
{
  char path[96];

  snprintf(path, sizeof(path), "/sys/bus/pci/devices/%04x:%02x:%02x.%x/%s", gpu->domain, gpu->bus,
           gpu->dev, gpu->func, file);
  gc_gpus_read_line(root, path, line, 32);
}

/* The registers of a sleeping GPU cannot be read: the kernel would show nonsense. */
static void add_link(const char *root, const struct gc_gpu *gpu, char text[GC_GPUS_PLACE_BYTES])
{
  static const char *const files[][2] = {{"max_link_speed", "max_link_width"},
                                         {"../max_link_speed", "../max_link_width"}};
  const char *between = LINK;
  char status[32], speed[32], width[32];

  read_pci(root, gpu, "power/runtime_status", status);
  if (*status && strcmp(status, "active") && strcmp(status, "unsupported"))
    return;
  for (int i = 0; i < 2; i++) {
    read_pci(root, gpu, files[i][0], speed);
    read_pci(root, gpu, files[i][1], width);
    if (*speed && *width && strncmp(speed, "Unknown", strlen("Unknown"))) {
      const size_t used = strlen(text);

      snprintf(text + used, GC_GPUS_PLACE_BYTES - used, "%s%s x%s", between, speed, width);
      between = ", ";
    }
  }
}

void gc_gpus_place(const char *root, const struct gc_gpu *gpu, char text[GC_GPUS_PLACE_BYTES])
{
  char nodes[64];

  *text = '\0';
  if (!gpu->has_pci)
    return;
  gc_gpus_read_line(root, "/sys/devices/system/node/online", nodes, sizeof(nodes));
  snprintf(text, GC_GPUS_PLACE_BYTES, "%04x:%02x:%02x.%x, NUMA nodes %s", gpu->domain, gpu->bus,
           gpu->dev, gpu->func, *nodes ? nodes : "0");
  add_link(root, gpu, text);
}

bool gc_gpus_drop_host(const char *root, const struct gc_gpu *gpu, struct gc_record *record)
{
  const char *was = gc_infos_get(&record->infos, "HostPlace");
  char now[GC_GPUS_PLACE_BYTES];
  size_t length;

  if (!was)
    return false;
  gc_gpus_place(root, gpu, now);
  length = strlen(now);
  /* a link that cannot be read now has not changed; nor has a place that is not known */
  if (!*now || !strcmp(now, was) ||
      (!strstr(now, LINK) && !strncmp(now, was, length) &&
       !strncmp(was + length, LINK, strlen(LINK))))
    return false;
  if (record->count)
    gc_infos_drop(&record->elements[0].infos, "Host");
  return true;
}

size_t gc_gpus_node(const struct gc_gpus *gpus, enum gc_vendor vendor, struct gc_identity *node)
{
  uint64_t hash = GC_HASH_START;
  size_t count = 0;

  memset(node, 0, sizeof(*node));
  for (size_t i = 0; i < gpus->count; i++) {
    const struct gc_gpu *gpu = &gpus->array[i];
    char text[sizeof(gpu->identity.id) + sizeof(gpu->identity.vbios) + 32];

    if (gpu->vendor != vendor || gpu->instance)
      continue;
    /* a simulated GPU has a hash of its profile there; others may not show it while they sleep */
    snprintf(text, sizeof(text), "%s %04x:%02x:%02x.%x %s;", gpu->identity.id, gpu->domain,
             gpu->bus, gpu->dev, gpu->func, vendor == GC_VENDOR_SIM ? gpu->identity.vbios : "");
    hash = gc_hash(hash, text, strlen(text));
    memcpy(node->driver, gpu->identity.driver, sizeof(node->driver));
    count++;
  }
  snprintf(node->id, sizeof(node->id), GC_NODE_PREFIX "%016" PRIx64, hash);
  snprintf(node->model, sizeof(node->model), "%zu GPUs", count);
  return count;
}
