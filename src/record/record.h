/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What is known of one GPU: who it is, facts about the whole of it, and a tree of memory elements,
 * each with attributes. Attributes are (key, value) strings; the keys are in hwloc/gpucache.h.
 * Nothing here knows hwloc, a vendor or a file system.
 */
#ifndef GC_RECORD_RECORD_H
#define GC_RECORD_RECORD_H

#include "util/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Element kinds, outermost first: an element's parent is the closest kind left of it in the chain
 * that the record holds (see gc_kinds). One table; adding a kind is one line here and one there. */
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
  GC_SCALAR_L1,
  GC_LDS,
  GC_INSTRUCTION_CACHE,
  GC_KIND_COUNT
};

struct gc_kind_info {
  const char *subtype;  /* "L1Cache": the machine's name, hwloc subtype */
  const char *label;    /* "L1": in the object's name, "gpu0-L1 217KiB x132" */
  enum gc_kind parent;  /* nearest enclosing kind; itself for GC_DEVICE_MEMORY */
  bool on_sm;           /* one or more in every SM or CU */
  bool is_memory;       /* a memory, not a cache (colour in lstopo) */
};
extern const struct gc_kind_info gc_kinds[GC_KIND_COUNT];

/* The kind with this subtype, or GC_KIND_COUNT. */
enum gc_kind gc_kind_by_subtype(const char *subtype);

/* An ordered set of attributes. Names are unique. All strings are owned. */
struct gc_info {
  char *name, *value;
  size_t length; /* of the name: unequal ones are told apart without reading them */
};
struct gc_infos {
  struct gc_info *array;
  size_t count;
};

/* Set (or replace) an attribute. 0 or -ENOMEM. */
int gc_infos_set(struct gc_infos *infos, const char *name, const char *value);
int gc_infos_setf(struct gc_infos *infos, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int gc_infos_set_u64(struct gc_infos *infos, const char *name, uint64_t value);
/* NULL when absent. */
const char *gc_infos_get(const struct gc_infos *infos, const char *name);
/* 0, -ENOENT when absent, -EINVAL when not a plain decimal number that fits. */
int gc_infos_get_u64(const struct gc_infos *infos, const char *name, uint64_t *value);
/* Nothing happens when it is not there. */
void gc_infos_remove(struct gc_infos *infos, const char *name);
void gc_infos_clear(struct gc_infos *infos);

/* Who a GPU is, and what a record of it depends on. All strings are NUL-terminated; an unknown one
 * is empty. id is the file name of the record without ".xml" and contains only [A-Za-z0-9._-]. */
struct gc_identity {
  char id[80];      /* NVIDIA UUID "GPU-…", AMD KFD unique_id, or "sim-NAME" */
  char model[96];   /* "NVIDIA H200" */
  char driver[64];  /* version of the kernel driver; "simulated" for a simulated GPU */
  char vbios[64];   /* VBIOS version; a hash of the profile for a simulated GPU */
  char mig[192];    /* "disabled", or the MIG instances that exist; partition mode on AMD */
};

/* Whether this can be the id of a GPU, and so a file name: [A-Za-z0-9._-], not empty, no leading
 * dot, short enough for struct gc_identity. */
bool gc_id_ok(const char *id);

struct gc_element {
  enum gc_kind kind;
  struct gc_infos infos;
};

/* Elements are in tree order (pre-order): the parent of element i is the last element before i
 * whose kind is the nearest present ancestor of i's kind. */
struct gc_record {
  struct gc_identity identity;
  /* Revisions: this program's in a new record, those stated in one that was read. */
  char format[16], method[16];
  /* Facts of the whole GPU, keys without the GPUCache prefix: "Measured", "SMs" … */
  struct gc_infos infos;
  struct gc_element *elements;
  size_t count;
};

/* Revision of the record's form, and of the methods that the values come from. A record made with
 * another one is not valid. (Tests have them in tests/data/record-good.xml and tests/plugin/fake-tool.sh.)
 * Methods: 2 has the census, other samples of L2, near and far memory, capacities that both ways tell; 3 longer walks
 * of device memory, the census of a constant L1.5 of several banks, what an L2 may differ by. */
#define GC_RECORD_FORMAT "1"
#define GC_RECORD_METHOD "3"

/* Bounds on a record that is read: bytes of text, objects inside each other, elements, infos of one
 * object, bytes of an info's name and value. The first is the store's bound too. */
#define GC_RECORD_MAX_BYTES (1u << 20)
#define GC_RECORD_MAX_DEPTH 64
#define GC_RECORD_MAX_ELEMENTS 256
#define GC_RECORD_MAX_INFOS 512
#define GC_RECORD_MAX_NAME 128
#define GC_RECORD_MAX_VALUE 8192

/* In XML, identity and facts of the whole GPU are infos of its DeviceMemory object, whose names are
 * "GPUCache" + name. This table, ended by a NULL name, says which of them are members of struct
 * gc_record, for writer and reader alike; all others are in its infos. An empty member is not
 * written. */
struct gc_identity_key {
  const char *name;    /* "UUID", "Model", … without the prefix */
  size_t offset, size; /* of the char array in struct gc_record */
};
extern const struct gc_identity_key gc_identity_keys[];

/* The prefix itself, "GPUCache". */
extern const char gc_record_prefix[];

struct gc_record *gc_record_new(const struct gc_identity *identity); /* NULL: out of memory */
void gc_record_free(struct gc_record *record);                       /* NULL is fine */

/* A copy of all of it; NULL: out of memory. And the contents of two, exchanged. */
struct gc_record *gc_record_copy(const struct gc_record *record);
void gc_record_swap(struct gc_record *a, struct gc_record *b);

/* Completes a measured record with what is known of the GPU without measuring: elements that it lacks, and
 * properties of which it has no value. What it has stays, whatever known says; so does the reason for a
 * capacity that was looked for and not found. 0 or -ENOMEM (-E2BIG: known has more infos than a record
 * may), with a part of it merged. */
int gc_record_merge_known(struct gc_record *record, const struct gc_record *known);

/* What the vendor calls a core: "SM" or "CU". */
const char *gc_record_unit(const struct gc_record *record);
/* An element that SMs share has no number of instances in an SM: says so where nothing is said of that. 0 or
 * -ENOMEM, with a part of it said. */
int gc_record_explain_per_sm(struct gc_record *record);

/* Adds an element: into its parent, behind what is there of the kinds before it, or in front of the elements it encloses when those were
 * added before it, so that the record stays in tree order. The pointer is valid until the next add. NULL: out of
 * memory. */
struct gc_element *gc_record_add(struct gc_record *record, enum gc_kind kind);
/* The first element of that kind, or NULL. */
struct gc_element *gc_record_find(const struct gc_record *record, enum gc_kind kind);
/* Index of the parent of element i, or -1 when it has none: the outermost, DeviceMemory in a whole
 * record. */
long gc_record_parent(const struct gc_record *record, size_t i);

/* The object name of element i as lstopo shows it: "<gpu>-L1 217KiB x132". The size is CapacityBytes
 * of what is on an SM and NominalBytes of what there is once (an L2 of 60 MiB is one, however much of
 * it one SM can keep), or the other where that is not known; xN when Instances is known and the kind is
 * on_sm, or there are several (an L2 on each die). */
void gc_record_element_name(const struct gc_record *record, size_t i, const char *gpu, char *name,
                            size_t size);

/* Whether the value of this attribute has the form its key demands: digits for bytes and counts,
 * digits with an optional fraction for the rest of the numbers, at most 1 for a confidence; any
 * other key: true. */
bool gc_value_ok(const char *name, const char *value);

/* Reads a record from XML text as hwloc's exporter wrote it (v2 format): the one OS device with the
 * subtype DeviceMemory, and what is in it; other objects of the topology are passed over. Infos
 * that hwloc or the drawing added (Backend, hwlocVersion, ProcessName, lstopoStyle) are dropped.
 * Strict and bounded: text that is too long, not well-formed, has a DTD of its own, refers to entities, no or two
 * DeviceMemory objects, unknown or wrongly nested elements under the GPU, numbers that are none, an
 * info twice, more than the bounds above is refused with -EBADMSG and a sentence. 0 or -ENOMEM
 * else. Whether identity, format and method fit is for the caller to judge. */
int gc_record_read_xml(const char *text, size_t length, struct gc_record **record,
                       struct gc_error *err);

#endif
