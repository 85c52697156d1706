/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The kinds of memory elements, as a table. A new kind is one line in the enum and one in the
 * table.
 */
#ifndef GC_RECORD_KINDS_H
#define GC_RECORD_KINDS_H

#include "util/error.h"

#include <stdbool.h>

/* Outermost first: the parent of an element is the nearest kind in its chain of parents
 * (gc_kinds) that the record has. */
enum gc_kind {
  GC_DEVICE_MEMORY,
  GC_L3,
  GC_L2,
  GC_GL1,
  GC_L1,
  GC_TEXTURE,
  GC_READ_ONLY,
  GC_CONSTANT_L1,
  GC_CONSTANT_L15,
  GC_SHARED_MEMORY,
  GC_TENSOR_MEMORY,
  GC_SCALAR_L1,
  GC_LDS,
  GC_INSTRUCTION_CACHE,
  GC_L1_TLB,
  GC_L2_TLB,
  GC_KIND_COUNT
};

/* In place of the kind of an element: the GPU itself, which has properties of its own. */
#define GC_WHOLE_GPU GC_KIND_COUNT

struct gc_kind_info {
  const char *subtype; /* "L1Cache": hwloc subtype, the name for programs */
  const char *label;   /* "L1": in the name of the object, "gpu0-L1 217KiB x132" */
  enum gc_kind parent; /* nearest enclosing kind; itself for GC_DEVICE_MEMORY */
  bool on_sm;          /* every SM or CU has one or more */
  bool is_memory;      /* a memory, not a cache (colour in lstopo) */
};
extern const struct gc_kind_info gc_kinds[GC_KIND_COUNT];

/* The subtype; "GPU" for GC_WHOLE_GPU. */
const char *gc_kind_name(enum gc_kind kind);

/* A set of kinds, perhaps with GC_WHOLE_GPU: bit 1 << kind. Writes their subtypes, "L1Cache, LDS". */
#define GC_KIND_LIST 256
void gc_kinds_list(unsigned kinds, char text[GC_KIND_LIST]);

/* Reads a comma list of subtypes into a set of kinds. known: the set that counts. 0; -EINVAL with a
 * sentence if words name none of it. */
int gc_kinds_read(const char *list, unsigned known, unsigned *kinds, struct gc_error *err);

/* The kind with this subtype, or GC_KIND_COUNT. */
enum gc_kind gc_kind_by_subtype(const char *subtype);

#endif
