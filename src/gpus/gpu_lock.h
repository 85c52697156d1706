/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The lock of a GPU itself: for GPUs that have partitions, so that these are measured one after
 * another, and where the directory of records has no locks. Partitions of an AMD GPU share memory,
 * L3 and power.
 *
 * Locked is the directory in sysfs of function 0 of the GPU's bus id. If there is none (PCI hidden;
 * one virtual function in a virtual machine, SR-IOV), all AMD GPUs of the machine have one lock.
 * Virtual functions with device numbers of their own are not recognized as one GPU.
 */
#ifndef GC_GPUS_GPU_LOCK_H
#define GC_GPUS_GPU_LOCK_H

#include "gpus/list.h"

#define GC_GPUS_LOCK_IGNORED 1

/* Takes the lock of the whole GPU. Waits at most `seconds` while another process measures this
 * GPU or another partition of it (0 or less: tries once). root: as given to gc_gpus_list. any:
 * locks every GPU that sysfs shows; else only AMD's, which may have partitions. 0, and *lock is a
 * descriptor that the caller closes to release the lock (the end of the process releases it, too),
 * or -1 for a GPU that is not locked. GC_GPUS_LOCK_IGNORED, and *lock is -1: one process holds the
 * lock for longer than a measurement takes (30 s; 96 s if it is unknown which process holds it), so
 * the caller may measure without it; the sentence is a warning. -ETIMEDOUT or another negative
 * errno, with a sentence. */
int gc_gpus_lock(const char *root, const struct gc_gpu *gpu, bool any, double seconds, int *lock,
                 struct gc_error *err);

#endif
