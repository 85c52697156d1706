/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The keys of a profile. A new key is one line in a table of keys.c, a field in profile.h and a
 * line in data/sim/README.
 */
#ifndef GC_MODEL_KEYS_H
#define GC_MODEL_KEYS_H

#include "model/values.h"

/* One key of a section. read() gets the text after the '=', never empty, and may change it. */
struct gc_profile_key {
  const char *name;
  int (*read)(const struct gc_profile_value *value, char *text, void *to);
  size_t offset;        /* of `to` in the struct of the section */
  bool required;
  uint64_t least, most; /* bounds for the numbers of the value */
};

/* Each table ends with a key without a name. The sections of the first two are in a struct
 * gc_profile, the others in a struct gc_profile_cache, _path, _tlb, _banks, _atomics and _bulk, and
 * in a struct gc_model_host. */
#define GC_PROFILE_KEYS_MAX 80 /* of a section */
extern const struct gc_profile_key gc_chip_keys[], gc_unified_keys[], gc_cache_keys[],
    gc_space_keys[], gc_tlb_keys[], gc_banks_keys[], gc_atomics_keys[], gc_bulk_keys[],
    gc_host_keys[], gc_peer_keys[];

#endif
