/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * GPUs reduced to what is compared, so that ten thousand fit in memory: 5 KB each instead of 50. A
 * subject has one value for each property, at the same index in all subjects of a collection.
 */
#ifndef GC_TOOL_COMPARE_SUBJECTS_H
#define GC_TOOL_COMPARE_SUBJECTS_H

#include "record/record.h"
#include "tool/compare/limits.h"
#include "tool/compare/texts.h"

#include <stdint.h>

/* What one measurement determines: "Latency" of L2Cache, whose key is "LatencyCycles". The property
 * GC_ELEMENT says whether the GPU has such an element at all. */
#define GC_ELEMENT "(element)"
struct gc_compared_property {
  enum gc_kind kind; /* GC_WHOLE_GPU: a fact of the GPU */
  const char *name;
  const char *key; /* NULL: no subject has a value so far */
  struct gc_difference_limit limit;
};

enum gc_value_state {
  GC_MISSING,  /* the record does not mention it */
  GC_NO_VALUE, /* absent, with a reason */
  GC_VALUE
};

struct gc_compared_value {
  double number;      /* GC_WITHIN properties only */
  const char *text;   /* the value or the reason; equal texts have equal pointers */
  const char *source; /* "measured", "api", "sysfs"; NULL: keys without a source */
  enum gc_value_state state;
};

/* Texts are never NULL; unknown ones are empty. */
struct gc_subject {
  char *name; /* for people: "gpu0", or a path */
  const char *id, *model, *driver, *vbios, *mig, *format, *method; /* of the record */
  const char *measured, *version, *clock, *ecc; /* date; program; MHz while it was measured */
  bool provisional;
  struct gc_compared_value *values;
  size_t count; /* properties that were known when it was added; it has none of the others */
};

/* What the key of an info means, found once for each kind of element. */
struct gc_compared_key {
  enum gc_kind kind;
  const char *key; /* NULL: an empty slot */
  long property;   /* negative: it is never compared */
  bool is_source;
};

/* Zero-initialized: empty. */
struct gc_subjects {
  struct gc_subject *array;
  size_t count;
  struct gc_compared_property *properties;
  size_t property_count;
  struct gc_compared_key *keys; /* a hash table */
  size_t key_size, key_count;
  struct gc_texts texts;
};

/* Appends a GPU; copies what it needs of the record. 0 or -ENOMEM. */
int gc_subjects_add(struct gc_subjects *subjects, const char *name, const struct gc_record *record);

void gc_subjects_free(struct gc_subjects *subjects);

/* The value of a property, valid until the next subject is added. */
const struct gc_compared_value *gc_subject_value(const struct gc_subject *subject, size_t property);

/* "L2Cache", or "GPU". */
const char *gc_property_element(const struct gc_compared_property *property);

/* The key if it is known, else the name. */
const char *gc_property_title(const struct gc_compared_property *property);

#endif
