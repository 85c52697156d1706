/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * NVIDIA GPUs that /proc/driver/nvidia/gpus does not list, so that their UUID is not known:
 * - PCI devices where that directory is missing, as in gVisor and in some containers. If the driver
 * is loaded, their id is "pci-", a hash of /etc/machine-id, and the bus id.
 * - The integrated GPUs of Tegra (Jetson): platform devices of the driver gk20a, without a bus id.
 *   Their id is "tegra-", the serial number of the board or else that hash, and the device's
 * address.
 */
#ifndef GC_GPUS_NVIDIA_OTHER_H
#define GC_GPUS_NVIDIA_OTHER_H

#include "gpus/list.h"

/* Gives an NVIDIA GPU that only PCI shows its id, or the reason why it has none. driver: the
 * version of the loaded driver, which is not empty. */
void gc_gpus_name_by_place(const char *root, const char *driver, struct gc_gpu *gpu);

/* Appends the GPUs that are platform devices. 0 or -ENOMEM. */
int gc_gpus_add_tegra(const char *root, struct gc_gpus *gpus);

#endif
