/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An ordered set of attributes with unique names. The set owns all strings, except those of
 * gc_infos_add_shared.
 */
#ifndef GC_RECORD_INFOS_H
#define GC_RECORD_INFOS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gc_info {
  char *name, *value;
  unsigned length; /* of the name: names of other lengths need not be compared */
  bool name_shared, value_shared; /* not owned */
};
struct gc_infos {
  struct gc_info *array;
  size_t count;
};

/* Set (or replace) an attribute; the strings are copied. 0 or -ENOMEM. */
int gc_infos_set(struct gc_infos *infos, const char *name, const char *value);
int gc_infos_setf(struct gc_infos *infos, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int gc_infos_set_u64(struct gc_infos *infos, const char *name, uint64_t value);

/* Add an attribute without copying the strings, which must stay as long as the set. 0, -EEXIST or
 * -ENOMEM. */
int gc_infos_add_shared(struct gc_infos *infos, char *name, char *value);

/* The value, valid until the attribute is set or removed; NULL when absent. */
const char *gc_infos_get(const struct gc_infos *infos, const char *name);

/* 0; -ENOENT when absent; -EINVAL when it is not a decimal number that fits. */
int gc_infos_get_u64(const struct gc_infos *infos, const char *name, uint64_t *value);

/* Copies all strings that the set does not own. 0 or -ENOMEM. */
int gc_infos_own(struct gc_infos *infos);

/* Removes the attributes whose names begin with the prefix. */
void gc_infos_drop(struct gc_infos *infos, const char *prefix);

/* Removes and frees all attributes. */
void gc_infos_clear(struct gc_infos *infos);

#endif
