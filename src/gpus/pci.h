/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * GPUs as PCI shows them, whether a driver serves them or not.
 */
#ifndef GC_GPUS_PCI_H
#define GC_GPUS_PCI_H

#include "gpus/list.h"
#include "gpus/remember.h"

#define GC_PCI_NVIDIA 0x10de
#define GC_PCI_AMD 0x1002

struct gc_pci {
  long vendor, device; /* device: -1 when unknown */
  unsigned domain, bus, dev, func;
};
struct gc_pci_list {
  struct gc_pci *array;
  size_t count;
};

/* Lists the display controllers and accelerators of these vendors. root: "" or the root of a
 * copy of /sys. 0, or -ENOMEM with nothing to free. */
int gc_gpus_list_pci(const char *root, struct gc_remember *remember, struct gc_pci_list *list);
void gc_gpus_free_pci(struct gc_pci_list *list);

/* Reads a bus id of the form "0000:17:00.0" into domain, bus, dev and func of the GPU. False:
 * text is something else. */
bool gc_gpus_parse_bus_id(const char *text, struct gc_gpu *gpu);

#endif
