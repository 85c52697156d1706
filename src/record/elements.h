/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The record: the identity of a GPU, its facts, and the tree of its memory elements.
 */
#ifndef GC_RECORD_ELEMENTS_H
#define GC_RECORD_ELEMENTS_H

#include "record/infos.h"
#include "record/kinds.h"

#include <stdbool.h>
#include <stddef.h>

/* Identifies a GPU and the conditions that a record of it depends on. All strings end with a
 * NUL; an unknown one is empty. */
struct gc_identity {
  char id[80];      /* NVIDIA "GPU-…" or "MIG-…", AMD KFD unique_id, or "sim-NAME"; see gc_id_ok */
  char model[96];   /* "NVIDIA H200" */
  char driver[64];  /* version of the kernel driver; "simulated" for a simulated GPU */
  char vbios[64];   /* VBIOS version; a hash of the profile for a simulated GPU */
  char mig[192];    /* "disabled", or the MIG instances that exist; partition mode on AMD */
};

/* Whether this can be the id of a GPU, which is the file name of its record without ".xml":
 * [A-Za-z0-9._-], not empty, no leading dot, short enough for struct gc_identity. */
bool gc_id_ok(const char *id);

struct gc_element {
  enum gc_kind kind;
  struct gc_infos infos;
};

/* Elements are in tree order (pre-order): the parent of element i is the last element before i
 * whose kind is the nearest ancestor of i's kind that the record has. */
struct gc_record {
  struct gc_identity identity;
  /* Revisions: those of this program in a new record, the stated ones in a record that was read. */
  char format[16], method[16];
  /* Facts of the whole GPU, with keys without the GPUCache prefix: "Measured", "SMs" … */
  struct gc_infos infos;
  struct gc_element *elements;
  size_t count;
  char *text; /* NULL, or the text that infos share, which gc_record_free frees */
};

/* The revision of the file format, and the revision of the methods that the values come from. A
 * record with other revisions is not valid. (tests/data/record-good.xml and
 * tests/plugin/fake-tool.sh contain them, too.) Method 2 added the census, other L2 samples, near
 * and far memory, and the agreement of two methods on a capacity. Method 3 added longer walks of
 * device memory, the census of a constant L1.5 of several banks, and the tolerance between two
 * capacities of an L2. Method 4 notices more interference, and marks what is absent for a passing
 * reason. Method 5 added structure: TLBs, sets, replacement, groups of SMs and more. Method 6 added
 * the write policy of L2 and the bandwidth of its slices, method 7 the upper address bits in the
 * hash of L1. Method 8 takes fewer samples where they suffice, and only confirms paths that are one
 * storage with L1. Method 9 added the hash of texture loads, and keeps misses of TLBs out of the
 * latency of host memory. Method 10 added the order of warps. */
#define GC_RECORD_FORMAT "1"
#define GC_RECORD_METHOD "10"

/* Bounds on a record that is read: bytes of text (a record of an H200 has 18 KB), attributes of an
 * XML element, depth of nested objects, elements, infos of one object, bytes of the name and the
 * value of an info. The store refuses longer files, too. */
#define GC_RECORD_MAX_BYTES (256u << 10)
#define GC_RECORD_MAX_ATTRIBUTES 64
#define GC_RECORD_MAX_DEPTH 64
#define GC_RECORD_MAX_ELEMENTS 256
#define GC_RECORD_MAX_INFOS 512
#define GC_RECORD_MAX_NAME 128
#define GC_RECORD_MAX_VALUE 8192

/* In XML, the identity and the facts of the whole GPU are infos of the DeviceMemory object, with
 * names "GPUCache" + name. This table, ended by a NULL name, lists those that are members of
 * struct gc_record; all others are in its infos. Empty members are not written. */
struct gc_identity_key {
  const char *name;    /* "UUID", "Model", … without the prefix */
  size_t offset, size; /* of the char array in struct gc_record */
};
extern const struct gc_identity_key gc_identity_keys[];

/* The prefix itself: "GPUCache". */
extern const char gc_record_prefix[];

/* An empty record that gc_record_free frees. identity: NULL for one without any fact. NULL: out of
 * memory. */
struct gc_record *gc_record_new(const struct gc_identity *identity);
void gc_record_free(struct gc_record *record); /* record may be NULL */

/* Adds an element in tree order: inside its parent, after the elements of earlier kinds, and
 * before the elements that it encloses and that were added earlier. The pointer is valid until
 * the next call. NULL: out of memory. */
struct gc_element *gc_record_add(struct gc_record *record, enum gc_kind kind);

/* The first element of that kind, or NULL. */
struct gc_element *gc_record_find(const struct gc_record *record, enum gc_kind kind);

/* The index of the parent of element i, or -1 for the outermost one (DeviceMemory in a complete
 * record). */
long gc_record_parent(const struct gc_record *record, size_t i);

/* Whether this element, or one inside it, has a value: another info than a confidence or the source
 * of an absent value. */
bool gc_record_has_values(const struct gc_record *record, size_t i);

/* Removes the elements for which gc_record_has_values is false, except the outermost one, which has
 * the facts of the whole GPU. */
void gc_record_drop_empty(struct gc_record *record);

/* Writes the object name of element i as lstopo shows it: "<gpu>-L1 217KiB x132". The size is
 * CapacityBytes for an element in an SM and NominalBytes for one outside of the SMs, or the
 * other one where that is missing. xN is there when Instances is known and the kind is on_sm or
 * N is more than 1 (an L2 on each die). */
void gc_record_element_name(const struct gc_record *record, size_t i, const char *gpu, char *name,
                            size_t size);

#endif
