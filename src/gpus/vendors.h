/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of this room give each other: one function per kind of GPU that appends what it
 * finds, and the little they share.
 */
#ifndef GC_GPUS_VENDORS_H
#define GC_GPUS_VENDORS_H

#include "gpus/gpus.h"

#include <dirent.h>

/* pci.c: GPUs as PCI shows them, whatever their driver. */
#define GC_PCI_NVIDIA 0x10de
#define GC_PCI_AMD 0x1002

struct gc_pci {
  long vendor, device; /* device: -1 when not told */
  unsigned domain, bus, dev, func;
};
struct gc_pci_list {
  struct gc_pci *array;
  size_t count;
};
/* 0 or -ENOMEM, and then there is nothing to free. */
int gc_gpus_list_pci(const char *root, struct gc_pci_list *list);
void gc_gpus_free_pci(struct gc_pci_list *list);

/* Append the GPUs of one vendor, in no order and without names. 0 or -ENOMEM. */
int gc_gpus_add_nvidia(const char *root, const struct gc_pci_list *pci, struct gc_gpus *gpus);
int gc_gpus_add_amd(const char *root, const struct gc_pci_list *pci, struct gc_gpus *gpus);
int gc_gpus_add_sim(const char *sims, struct gc_gpus *gpus);

/* amd_known.c: a record of what KFD says of an AMD GPU, elements and infos; NULL when it says nothing.
 * 0 or -ENOMEM. */
int gc_gpus_amd_known(const char *root, const struct gc_gpu *gpu, struct gc_record **known);
/* sim_tables.c: fills gpu->gfx and gpu->known from the text of a profile, or says what is wrong with its
 * tables in gpu->problem. 0 or -ENOMEM. */
int gc_gpus_read_tables(struct gc_gpu *gpu, const char *text);

/* A zeroed GPU at the end of the list, valid until the next one. NULL: out of memory. */
struct gc_gpu *gc_gpus_append(struct gc_gpus *gpus);

/* Opens ROOT/path, or NULL. */
DIR *gc_gpus_open_dir(const char *root, const char *path);

/* Reads a regular file of at most size - 1 bytes (the rest is cut off) and ends it with a NUL.
 * Never blocks on a FIFO or a device. at: directory descriptor or AT_FDCWD. Length or negative
 * errno. */
long gc_gpus_read(int at, const char *path, char *text, size_t size);

/* "0000:17:00.0" and nothing else. */
bool gc_gpus_parse_bus_id(const char *text, struct gc_gpu *gpu);

#endif
