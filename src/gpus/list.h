/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The list of GPUs that the files of this module fill.
 */
#ifndef GC_GPUS_LIST_H
#define GC_GPUS_LIST_H

#include "record/record.h"

enum gc_vendor { GC_VENDOR_NVIDIA, GC_VENDOR_AMD, GC_VENDOR_SIM };
#define GC_VENDORS 3

/* Whether this process may use a GPU: what gc_gpus_restrict found. */
enum gc_visibility {
  GC_UNDECIDED, /* only the vendor's library knows what the variables show */
  GC_VISIBLE,
  GC_HIDDEN,    /* `problem` names the variable or the file that hides it */
};

#define GC_NO_KFD_NODE (~0u)

/* What tells an AMD GPU, or a partition of one, from the others of the machine. */
struct gc_amd {
  char uuid[24];          /* as ROCr and HIP report it: "GPU-" and 16 digits; empty: none */
  bool own_uuid;          /* no other GPU has this UUID; partitions share one, except with newer
                             kernels */
  bool own_bus_id;        /* no other GPU has this bus id: domain, bus, dev and func */
  bool is_partition;
  unsigned partition;     /* a partition: its number */
  unsigned parts, before; /* how many nodes of the whole GPU this process sees, at least 1; how many
                             of them precede its own */
  char rocr[24];          /* the value of ROCR_VISIBLE_DEVICES that shows only this GPU, a UUID or
                             an index; empty: not known. gc_gpus_restrict sets it */
};

struct gc_gpu {
  enum gc_vendor vendor;
  struct gc_identity identity;
  bool has_pci; /* false for a simulated GPU, and one of Tegra */
  unsigned domain, bus, dev, func;
  char name[16];                 /* "gpu0", "gpu1" …: real GPUs by bus id, then simulated ones */
  char profile[256];             /* simulated GPU: path of its profile */
  char gfx[16];                  /* AMD: target of its code, "gfx942"; empty: unknown, or not AMD */
  char problem[512];             /* not empty: why it cannot be measured */
  unsigned kfd_node;             /* AMD: its number in KFD's topology, or GC_NO_KFD_NODE */
  unsigned render_minor;         /* AMD: number of its /dev/dri/renderD*; 0: unknown */
  struct gc_amd amd;             /* AMD: partitions and what identifies them */
  char minor[12];                /* NVIDIA: number of its /dev/nvidia*; empty: unknown */
  unsigned instance;             /* 0: a whole GPU; 1, 2 …: a MIG instance (mig.h) */
  char shown_as[96];             /* a MIG instance that CUDA_VISIBLE_DEVICES names: its entry */
  enum gc_visibility visibility; /* GC_UNDECIDED before gc_gpus_restrict */
  /* The driver tables: static facts that the kernel driver shows in sysfs, as elements and infos
   * with the source "sysfs", never measured. NULL: there are none, or gc_gpus_read_tables was
   * not called. Owned by the list. */
  struct gc_record *tables;
};

struct gc_gpus {
  struct gc_gpu *array;
  size_t count;
};

/* Appends a zeroed GPU. The pointer is valid until the next call. NULL: out of memory. */
struct gc_gpu *gc_gpus_append(struct gc_gpus *gpus);

/* Frees all GPUs and leaves an empty list. */
void gc_gpus_free(struct gc_gpus *gpus);

#endif
