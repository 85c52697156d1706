/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which GPUs the environment variables of the vendors show: pure functions of the variables' text
 * and the list of GPUs. Sources: CUDA Programming Guide, "CUDA Environment Variables"; what PyTorch
 * found for driver 525 (pull request 92315); amd_filter_device.cpp of ROCR-Runtime; rocdevice.cpp
 * of ROCclr. Cases that these do not specify are GC_UNDECIDED, never GC_VISIBLE.
 */
#ifndef GC_GPUS_VISIBLE_H
#define GC_GPUS_VISIBLE_H

#include "gpus/list.h"

#include <stdbool.h>
#include <stddef.h>

/* The values of the variables; NULL: not set. */
struct gc_variables {
  const char *cuda;       /* CUDA_VISIBLE_DEVICES */
  const char *cuda_order; /* CUDA_DEVICE_ORDER */
  const char *rocr;       /* ROCR_VISIBLE_DEVICES */
  const char *hip;        /* HIP_VISIBLE_DEVICES */
  const char *ordinal;    /* GPU_DEVICE_ORDINAL */
};

/* Whether the vendor's library counts a GPU when it resolves an index. */
enum gc_counted { GC_COUNTED, GC_NOT_COUNTED, GC_PERHAPS_COUNTED };

/* A GPU of one vendor. */
struct gc_seen {
  const char *uuid;   /* "GPU-…" as the vendor writes it; "": it has none */
  const char *target; /* processor of an AMD GPU, "gfx942"; "": unknown, or not AMD */
  enum gc_counted counted;
};

/* The GPUs of one vendor. */
struct gc_seen_list {
  const struct gc_seen *array;
  size_t count;
};

/* The decision about one GPU. */
struct gc_decision {
  enum gc_visibility visibility;
  const char *variable, *value; /* of a hidden or undecided GPU: the cause. Else NULL */
};

/* Decides on GPU number `wanted` of the NVIDIA GPUs, which are in the order of their PCI bus ids.
 *
 * A list shows the GPUs before its first invalid entry; an empty list shows none; a GPU that is
 * named twice empties the list. Entries are UUIDs or unambiguous beginnings of them, or indices. A
 * list of MIG instances shows no whole GPU. Indices follow CUDA_DEVICE_ORDER. With its default,
 * FASTEST_FIRST, only CUDA knows the order. */
struct gc_decision gc_visible_cuda(const struct gc_variables *variables, struct gc_seen_list gpus,
                                   size_t wanted);

/* Decides on GPU number `wanted` of the AMD GPUs, which are in the order of their KFD nodes. Those
 * that ROCr does not count are in no list; the decision about them has no meaning.
 *
 * ROCr keeps the GPUs of ROCR_VISIBLE_DEVICES; an empty list keeps none. HIP chooses from these by
 * HIP_VISIBLE_DEVICES, or by CUDA_VISIBLE_DEVICES if that is unset or empty; an empty list keeps
 * all. Its indices count the GPUs that ROCr has kept and supports. If these GPUs have different
 * processors, the result is undecided. GPU_DEVICE_ORDINAL is for OpenCL, and AMD's documentation
 * names HIP, too; some batch systems set it. It counts if none of the other variables is set. */
struct gc_decision gc_visible_rocm(const struct gc_variables *variables, struct gc_seen_list gpus,
                                   size_t wanted);

#endif
