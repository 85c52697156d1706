/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The MIG instances of one GPU as the driver's files show them (see mig.h).
 */
#ifndef GC_GPUS_MIG_FILES_H
#define GC_GPUS_MIG_FILES_H

#include <stddef.h>

#define GC_MIG_MOST 256 /* instances; real GPUs have at most 7 x 7 */

/* A compute instance, or a GPU instance that has none (ci = -1). */
struct gc_mig {
  int gi, ci;
};

struct gc_mig_list {
  struct gc_mig array[GC_MIG_MOST];
  size_t count;
};

/* Lists the instances by number. minor: the GPU's "Device Minor". */
void gc_mig_list(const char *root, const char *minor, struct gc_mig_list *list);

/* Keeps the instances that this process may use. If no instance has nodes in /dev, all stay,
 * because nvidia-modprobe may still create the nodes. */
void gc_mig_keep_usable(const char *root, const char *minor, struct gc_mig_list *list);

/* Writes "gi1/ci0,…": the instances of GPU instance gi, or of all (gi < 0). A text that is too long
 * ends with its hash. */
void gc_mig_describe(const struct gc_mig_list *list, int gi, char *text, size_t size);

#endif
