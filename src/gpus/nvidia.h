/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * NVIDIA GPUs, from what the kernel and NVIDIA's kernel driver show as files.
 */
#ifndef GC_GPUS_NVIDIA_H
#define GC_GPUS_NVIDIA_H

#include "gpus/pci.h"
#include "gpus/remember.h"

/* Appends the NVIDIA GPUs, in no order and without names. 0 or -ENOMEM. */
int gc_gpus_add_nvidia(const char *root, struct gc_remember *remember,
                       const struct gc_pci_list *pci, struct gc_gpus *gpus);

#endif
