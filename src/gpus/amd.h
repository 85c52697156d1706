/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * AMD GPUs and their partitions, from what the kernel shows as files.
 */
#ifndef GC_GPUS_AMD_H
#define GC_GPUS_AMD_H

#include "gpus/pci.h"

/* Appends the AMD GPUs, in no order and without names. 0 or -ENOMEM. */
int gc_gpus_add_amd(const char *root, const struct gc_pci_list *pci, struct gc_gpus *gpus);

#endif
