/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Names of GPUs from the PCI ID database (https://pci-ids.ucw.cz), if a package has installed it.
 */
#ifndef GC_TOOL_GPUS_PCI_IDS_H
#define GC_TOOL_GPUS_PCI_IDS_H

#include "gpus/list.h"

/* Gives the GPUs that no driver names ("AMD GPU gfx1030 [1002:73bf]") the names of the database:
 * "AMD Navi 21 [Radeon RX 6800/6800 XT / 6900 XT]". Reads it only if there is such a GPU; without
 * it nothing changes. root: as given to gc_gpus_list; a copy of another machine has its own
 * database or none. */
void gc_pci_ids_name(const char *root, struct gc_gpus *gpus);

#endif
