/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which GPUs this machine has, from /proc and /sys alone. No vendor library is touched, so these
 * functions are safe in any process; a list takes microseconds.
 */
#ifndef GC_GPUS_GPUS_H
#define GC_GPUS_GPUS_H

#include "gpus/list.h"

/* Lists the GPUs; the caller calls gc_gpus_free. root: "" for this system, or the root directory
 * of a copied /proc and /sys. sims: comma list of simulated GPUs (profile names, or paths of
 * profiles: words with a '/'), or NULL for none. These are listed with a problem: simulated GPUs
 * without a readable profile, NVIDIA GPUs (PCI class 0x03) without a loaded driver, AMD GPUs
 * (class 0x03 or 0x12) without a compute node. 0 or -ENOMEM. */
int gc_gpus_list(const char *root, const char *sims, struct gc_gpus *gpus);

/* Like gc_gpus_list, for a caller that must be fast: does not read again what an earlier list has
 * read and what cannot have changed since (remember.h). gc_gpus_list reads everything, and corrects
 * what is remembered. */
int gc_gpus_list_known(const char *root, const char *sims, struct gc_gpus *gpus);

/* Finds out which GPUs this process may measure, from CUDA_VISIBLE_DEVICES, CUDA_DEVICE_ORDER,
 * ROCR_VISIBLE_DEVICES, HIP_VISIBLE_DEVICES, GPU_DEVICE_ORDINAL (visible.h) and the device nodes.
 * Sets `visibility` of all GPUs, and `problem` of those that are hidden. Not part of gc_gpus_list,
 * because a caller that has records of all GPUs does not need it. root: as given to gc_gpus_list.
 * A set-user-ID process obeys these variables, too, because they can only forbid.
 *
 * Device nodes: access() tells whether this process may open /dev/nvidiactl, /dev/nvidia-uvm,
 * /dev/nvidiaN and /dev/dri/renderDN; the kernel checks permissions and the device cgroup there.
 * Opening a node of NVIDIA's driver could start the GPU. A missing node hides no NVIDIA GPU, because
 * CUDA can create it; it hides an AMD GPU if other render nodes exist, as in ROCr.
 *
 * An undecided GPU is measured only by the command, which keeps the caller's variables, asks the
 * vendor's library for its devices and compares UUIDs. If the GPU is not among them, the command ends
 * before it makes a context. */
void gc_gpus_restrict(const char *root, struct gc_gpus *gpus);

/* Reads the driver tables of this GPU into gpu->tables, which stays NULL where there are none.
 * Not part of gc_gpus_list because it reads a file for each cache, hundreds for a large GPU, and
 * a caller that has a record does not need it. root: as given to gc_gpus_list. 0 or -ENOMEM. */
int gc_gpus_read_tables(const char *root, struct gc_gpu *gpu);

/* Where in which host the GPU is, "0000:3b:00.0, NUMA nodes 0-1, link 32.0 GT/s PCIe x16": what is
 * measured of the host holds as long as this text stays the same. The link is the fastest that the
 * GPU, and after a comma the port above it, are capable of; it is left out if the files do not
 * state it, or the GPU sleeps. Empty for a simulated GPU. root: as given to gc_gpus_list. */
#define GC_GPUS_PLACE_BYTES 192
void gc_gpus_place(const char *root, const struct gc_gpu *gpu, char text[GC_GPUS_PLACE_BYTES]);

/* Removes what was measured of the host from a record if the GPU is elsewhere now, and returns
 * whether it is. A record that does not state its place stays as it is: it is of an earlier
 * revision, or another program measured it. */
bool gc_gpus_drop_host(const char *root, const struct gc_gpu *gpu, struct gc_record *record);

/* What identifies all whole GPUs of one vendor together: the id is "node-" and a hash. The record
 * with this identity tells how they reach each other. Returns how many they are. */
size_t gc_gpus_node(const struct gc_gpus *gpus, enum gc_vendor vendor, struct gc_identity *node);

/* Why this machine may have GPUs that no file shows, as in WSL 2: a sentence without a period.
 * NULL: there is no sign of it. root: as given to gc_gpus_list. */
const char *gc_gpus_why_unseen(const char *root);

/* The GPU that a person means by this word: "gpu0", "0", a record id, a bus id ("0000:00:06.0" or
 * "00:06.0"), a UUID as ROCm prints it, or the name of a simulated GPU. NULL: there is none. */
struct gc_gpu *gc_gpus_by_name(const struct gc_gpus *gpus, const char *word);

#endif
