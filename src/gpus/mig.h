/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The MIG instances of NVIDIA GPUs ("NVIDIA Multi-Instance GPU User Guide"), from what the driver
 * shows as files:
 *   /proc/driver/nvidia/capabilities/gpuMINOR/mig/giN/{access,ciM/access}   "DeviceFileMinor: K"
 *   /dev/nvidia-caps/nvidia-capK    a process that may open the nodes of giN and ciM may use the
 *                                   instance
 * CUDA shows a process one instance, and no whole GPU at the same time. The UUIDs of instances are
 * not in /proc: a process learns them from CUDA_VISIBLE_DEVICES, or from a library. The UUID that CUDA
 * gives for its device tells an instance from the whole GPU at the same bus id.
 */
#ifndef GC_GPUS_MIG_H
#define GC_GPUS_MIG_H

#include "gpus/list.h"

/* The value of identity.mig of a GPU that is not in MIG mode. A GPU in MIG mode without any
 * instance has it, too: /proc does not show the difference. */
#define GC_MIG_DISABLED "disabled"

/* Writes the instances that exist: "disabled" or "gi1/ci0,gi2/ci0,…". A GPU instance without a
 * compute instance is "gi1". A list that is too long ends with its hash, so that different states
 * still have different texts. minor: the GPU's "Device Minor". */
void gc_mig_read(const char *root, const char *minor, char *mig, size_t size);

/* Whether the driver shows that this NVIDIA GPU is in MIG mode. */
bool gc_mig_is_on(const struct gc_gpu *gpu);

/* Appends the instances that this process uses, each with an identity of its own, and writes into
 * `problem` of each whole GPU in MIG mode that it cannot be measured. An instance is
 * - named by CUDA_VISIBLE_DEVICES, as "MIG-<UUID>" (its id) or, the older form, as
 *   "MIG-<GPU UUID>/<gi>/<ci>" (its id has "-gi<gi>-ci<ci>" for the part after the GPU's UUID); or
 * - the only one of its GPU that this process may open, if that variable names no instance. Its id
 *   is as for the older form.
 * An instance is at the bus id of its GPU. If only its UUID is known and several GPUs are in MIG
 * mode, it has no bus id. 0 or -ENOMEM. */
int gc_mig_add_instances(const char *root, struct gc_gpus *gpus);

/* The whole GPU of an instance; NULL: not known. */
const struct gc_gpu *gc_mig_whole(const struct gc_gpus *gpus, const struct gc_gpu *instance);

#endif
