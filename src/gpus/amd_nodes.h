/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The nodes of AMD GPUs in KFD's topology: which of them are partitions of one GPU, the number of
 * each partition, and what identifies the GPU.
 */
#ifndef GC_GPUS_AMD_NODES_H
#define GC_GPUS_AMD_NODES_H

#include "gpus/kfd.h"
#include "gpus/pci.h"

#include <dirent.h>
#include <stddef.h>

/* A GPU, or a partition of one. A partition has no PCI function of its own; pci is then that of the
 * whole GPU. */
struct gc_amd_node {
  unsigned number;              /* of its directory */
  struct gc_kfd_node node;
  const struct gc_pci *pci;     /* NULL: PCI does not list it */
  char compute[16], memory[16]; /* partition modes; empty: none */
  uint64_t board;               /* unique id of the whole GPU; 0: none */
  struct gc_amd amd;            /* without `rocr` */
};

/* Reads at most `most` nodes of AMD GPUs, in the order of their numbers. Skips nodes that a
 * container may not read. root: "" or the root of a copy of /sys. dir: GC_KFD_NODES in it. Returns
 * their number. */
size_t gc_amd_read_nodes(const char *root, DIR *dir, const struct gc_pci_list *pci,
                         struct gc_amd_node *array, size_t most);

/* The PCI bus id of a node. device: -1 when unknown. */
struct gc_pci gc_amd_place(const struct gc_kfd_node *node);

/* Reads the first line of a file of a PCI device, as gc_gpus_read_line does. */
void gc_amd_read_pci_line(const char *root, const struct gc_pci *pci, const char *name, char *line,
                          size_t size);

#endif
