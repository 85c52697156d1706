/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether this process may open a device node.
 */
#ifndef GC_GPUS_NODES_H
#define GC_GPUS_NODES_H

#include <stdbool.h>
#include <stddef.h>

/* Checks that this process may read, and write if `writing`, ROOT/path. Does not open it: opening a
 * node of NVIDIA's driver may start the GPU, which takes a second. The kernel checks the
 * permissions of the file and the device cgroup (v1, and the BPF programs of v2). 0 or a positive
 * errno: EACCES for the permissions, EPERM for the cgroup, ENOENT. */
int gc_nodes_try(const char *root, const char *path, bool writing);

/* Whether this process may not read and write the node. Then why gets the reason and what to do. A
 * missing node returns false, because the driver's libraries may create it. */
bool gc_nodes_refuse(const char *root, const char *path, char *why, size_t size);

#endif
