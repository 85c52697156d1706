/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which GPUs this machine has, told from /proc and /sys alone: no vendor library is touched, so this
 * is safe in any process and takes microseconds.
 */
#ifndef GC_GPUS_GPUS_H
#define GC_GPUS_GPUS_H

#include "record/record.h"

enum gc_vendor { GC_VENDOR_NVIDIA, GC_VENDOR_AMD, GC_VENDOR_SIM };

#define GC_NO_KFD_NODE (~0u)

struct gc_gpu {
  enum gc_vendor vendor;
  struct gc_identity identity;
  bool has_pci;                  /* false for a simulated GPU */
  unsigned domain, bus, dev, func;
  char name[16];                 /* "gpu0", "gpu1" …: real ones in bus order, then simulated ones */
  char profile[256];             /* simulated GPU: path of its profile */
  char gfx[16];                  /* AMD: target of its code, "gfx942"; empty: unknown, or not AMD */
  char problem[256];             /* not empty: why it cannot be measured (driver without this GPU, …) */
  unsigned kfd_node;             /* AMD: its number in KFD's topology, or GC_NO_KFD_NODE */
  /* Static facts that the kernel driver shows as files, elements and infos with source "sysfs";
   * never measured. NULL: none, or gc_gpus_know was not called. Owned. */
  struct gc_record *known;
};

struct gc_gpus {
  struct gc_gpu *array;
  size_t count;
};

/* Lists the GPUs. root: "" for this system, or the directory of a copied /proc and /sys tree. sims:
 * comma list of simulated GPUs (profile names, or paths of profile files: a '/' in them), or NULL for
 * none. A simulated GPU without a readable profile is listed with its problem. NVIDIA GPUs of PCI
 * class 0x03 without a loaded driver, and AMD GPUs of class 0x03 or 0x12 without a compute node, are
 * listed with a problem. 0 or -ENOMEM. */
int gc_gpus_list(const char *root, const char *sims, struct gc_gpus *gpus);
void gc_gpus_free(struct gc_gpus *gpus);

/* Reads what the kernel driver's tables say of this GPU into gpu->known; where they say nothing it
 * stays NULL. Apart from the list because it costs a file per cache, hundreds for a large GPU, and who
 * has a record does not need it. root: as given to gc_gpus_list. 0 or -ENOMEM. */
int gc_gpus_know(const char *root, struct gc_gpu *gpu);

/* The GPU that a person calls by this word: "gpu0", "0", a record id, a bus id ("0000:00:06.0" or
 * "00:06.0"), or a simulated GPU's name. NULL when none. */
struct gc_gpu *gc_gpus_by_name(const struct gc_gpus *gpus, const char *word);

/* gpus/turn.c: before a GPU is measured: waits until no other process measures it or another partition of the
 * same GPU, at most seconds (0 or less: tries once). root: as given to gc_gpus_list. 0, and *turn a descriptor
 * to be closed afterwards (the end of the process does, too), or -1 for a GPU that has no such partitions: all
 * but AMD's. -ETIMEDOUT, or another negative errno, with a sentence. */
int gc_gpus_take_turn(const char *root, const struct gc_gpu *gpu, double seconds, int *turn,
                      struct gc_error *err);

/* gpus/sim.c: the names of the profiles that can be found (profile directories: every directory of
 * $HWLOC_GPUCACHE_SIM_PATH, then the installed one), sorted, comma-separated, for messages. */
void gc_gpus_sim_names(char *names, size_t size);

#endif
