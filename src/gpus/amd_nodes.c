/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The kernel shows each partition of a GPU (DPX … CPX) as a node of its own, without saying so.
 * Its number is in location_id, beside the bus id of the GPU: in bits 31:28, or in the bits of the
 * PCI function. unique_id is the GPU's own in Linux before 6.16 and before the driver of ROCm 7.
 * Newer ones write the id of the partition's first XCD, some of them even if the GPU is not
 * partitioned (kfd_topology.c of Linux). The PCI device has the file unique_id, which is the GPU's
 * own in all of them.
 */
#define _GNU_SOURCE
#include "gpus/amd_nodes.h"

#include "gpus/tree.h"
#include "util/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of location_id: bus and device, and function. */
#define DEVICE_BITS 0xfff8u
#define FUNCTION_BITS 7u

/* Versions of processors, as in gfx_target_version. */
#define GFX940 90400
#define GFX1010 100100
#define GFX1250 120500

void gc_amd_read_pci_line(const char *root, const struct gc_pci *pci, const char *name, char *line,
                          size_t size)
{
  char path[128];

  snprintf(path, sizeof(path), "/sys/bus/pci/devices/%04x:%02x:%02x.%x/%s", pci->domain, pci->bus,
           pci->dev, pci->func, name);
  gc_gpus_read_line(root, path, line, size);
}

struct gc_pci gc_amd_place(const struct gc_kfd_node *node)
{
  return (struct gc_pci){
      .vendor = GC_PCI_AMD,
      .device = node->device ? (long)(node->device & 0xffff) : -1,
      .domain = (unsigned)node->domain,
      .bus = (unsigned)node->location >> 8 & 0xff,
      .dev = (unsigned)node->location >> 3 & 0x1f,
      .func = (unsigned)node->location & FUNCTION_BITS,
  };
}

/* The PCI function of the node, or else function 0 of its device. */
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

static int by_number(const void *left, const void *right)
{
  const struct gc_amd_node *a = left, *b = right;

  return (a->number > b->number) - (a->number < b->number);
}

static size_t find_nodes(DIR *dir, struct gc_amd_node *array, size_t most)
{
  struct dirent *entry;
  size_t count = 0;

  while (count < most && (entry = readdir(dir))) {
    struct gc_amd_node *found = &array[count];
    uint64_t number;

    if (!gc_number_whole(entry->d_name, &number) || number >= 1000000)
      continue;
    memset(found, 0, sizeof(*found));
    found->number = (unsigned)number;
    if (gc_kfd_read_node(dirfd(dir), found->number, &found->node) && found->node.simds > 0 &&
        (found->node.vendor == GC_PCI_AMD || !found->node.vendor))
      count++;
  }
  qsort(array, count, sizeof(*array), by_number);
  return count;
}

/* Reads what the PCI device states. The partitions of a GPU have one device. */
static void read_device(const char *root, struct gc_amd_node *array, size_t i)
{
  struct gc_amd_node *own = &array[i];
  char text[24], *end = text;
  uint64_t board;

  for (size_t j = i; j-- > 0 && own->pci;)
    if (array[j].pci == own->pci) {
      memcpy(own->compute, array[j].compute, sizeof(own->compute));
      memcpy(own->memory, array[j].memory, sizeof(own->memory));
      own->board = own->node.unique_id ? array[j].board : 0;
      return;
    }
  own->board = own->node.unique_id;
  if (!own->pci)
    return;
  gc_amd_read_pci_line(root, own->pci, "current_compute_partition", own->compute,
                       sizeof(own->compute));
  gc_amd_read_pci_line(root, own->pci, "current_memory_partition", own->memory,
                       sizeof(own->memory));
  gc_amd_read_pci_line(root, own->pci, "unique_id", text, sizeof(text));
  board = strspn(text, "0123456789abcdef") <= 16 ? strtoull(text, &end, 16) : 0;
  if (own->board && board && !*end)
    own->board = board;
}

static unsigned high_bits(const struct gc_amd_node *found)
{
  return found->node.location <= UINT32_MAX ? (unsigned)(found->node.location >> 28) : 0;
}

static unsigned function_of(const struct gc_amd_node *found)
{
  return (unsigned)found->node.location & FUNCTION_BITS;
}

/* Whether the GPU consists of several XCDs, so that it can have partitions. */
static bool has_xcds(const struct gc_kfd_node *node)
{
  return (node->gfx >= GFX940 && node->gfx < GFX1010) || node->gfx >= GFX1250;
}

static bool same_device(const struct gc_kfd_node *a, const struct gc_kfd_node *b)
{
  return a->domain == b->domain && ((a->location ^ b->location) & DEVICE_BITS) == 0;
}

/* Whether two nodes are partitions of one GPU. The functions of a device that PCI lists, such as
 * the virtual functions of SR-IOV, are not partitions. */
static bool same_gpu(const struct gc_amd_node *a, const struct gc_amd_node *b)
{
  if (a->board && a->board == b->board)
    return true;
  if (!same_device(&a->node, &b->node))
    return false;
  if (!a->board && !b->board)
    return function_of(a) == function_of(b);
  return a->pci == b->pci && has_xcds(&a->node) &&
         (high_bits(a) != high_bits(b) || function_of(a) != function_of(b));
}

/* Whether a node that is the only visible one of its GPU is a partition: a container may show only
 * one of several. Without the PCI device, the mode is not known. No GPU with XCDs has a single
 * one. */
static bool is_lone_partition(const struct gc_amd_node *own)
{
  if (own->pci)
    return own->pci->func != function_of(own) || (own->compute[0] && strcmp(own->compute, "SPX"));
  return has_xcds(&own->node) && (function_of(own) || own->node.xccs == 1);
}

/* Finds out whether node i is a partition, and its number. If the kernel gives several partitions
 * the same number, their order counts. */
static void find_partition(struct gc_amd_node *array, size_t count, size_t i)
{
  struct gc_amd_node *own = &array[i];
  bool several = false, high = high_bits(own) != 0, ambiguous = false;
  unsigned rank = 0;

  for (size_t j = 0; j < count; j++)
    if (j != i && same_gpu(&array[j], own)) {
      several = true;
      rank += j < i;
      high |= high_bits(&array[j]) != 0;
    }
  for (size_t j = 0; several && j < count; j++)
    for (size_t k = 0; k < j && same_gpu(&array[j], own); k++)
      /* of any pair, so that all partitions are numbered in the same way */
      ambiguous |= same_gpu(&array[k], own) &&
                   (high ? high_bits(&array[j]) == high_bits(&array[k])
                         : function_of(&array[j]) == function_of(&array[k]));
  own->amd.is_partition = several || high || is_lone_partition(own);
  own->amd.partition = ambiguous ? rank : high ? high_bits(own) : function_of(own);
}

/* What else tells a node from the others. */
static void find_identity(struct gc_amd_node *array, size_t count, size_t i)
{
  struct gc_amd_node *own = &array[i];
  struct gc_amd *amd = &own->amd;

  amd->own_uuid = own->node.unique_id != 0;
  amd->own_bus_id = true;
  for (size_t j = 0; j < count; j++) {
    const struct gc_amd_node *other = &array[j];
    const bool near = same_device(&other->node, &own->node);

    amd->parts += near;
    amd->before += near && j < i;
    if (j == i)
      continue;
    amd->own_uuid &= other->node.unique_id != own->node.unique_id;
    amd->own_bus_id &= !near || function_of(other) != function_of(own);
  }
  if (own->node.unique_id)
    snprintf(amd->uuid, sizeof(amd->uuid), "GPU-%016" PRIx64, own->node.unique_id);
}

size_t gc_amd_read_nodes(const char *root, DIR *dir, const struct gc_pci_list *pci,
                         struct gc_amd_node *array, size_t most)
{
  const size_t count = find_nodes(dir, array, most);

  for (size_t i = 0; i < count; i++) {
    const struct gc_pci place = gc_amd_place(&array[i].node);

    array[i].pci = find_pci(pci, &place);
    read_device(root, array, i);
  }
  for (size_t i = 0; i < count; i++) {
    find_partition(array, count, i);
    find_identity(array, count, i);
  }
  return count;
}
