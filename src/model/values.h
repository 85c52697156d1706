/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Words of a profile as values: the pieces of which keys.c is made. Every error names the file, the
 * line and the word.
 */
#ifndef GC_MODEL_VALUES_H
#define GC_MODEL_VALUES_H

#include "model/profile.h"

/* Where a value stands, and what is asked of it. */
struct gc_value {
  const char *file;
  unsigned line;
  const char *key;
  uint64_t least, most;
  const struct gc_profile *profile; /* as far as it is read */
  struct gc_error *err;
};

/* One key of a section. read() gets the text behind the '=', never empty, and may change it. */
struct gc_key {
  const char *name;
  int (*read)(const struct gc_value *value, char *text, void *to);
  size_t offset;        /* of `to` in what the section is about */
  bool required;
  uint64_t least, most; /* of its numbers */
};

/* keys.c: ended by a key without a name. The first two are about a struct gc_profile, the others
 * about a struct gc_profile_cache and a struct gc_profile_path. */
extern const struct gc_key gc_chip_keys[], gc_unified_keys[], gc_cache_keys[], gc_space_keys[];

/* Index of the cache, or -ENOENT. */
int gc_profile_find_cache(const struct gc_profile *profile, const char *name);

/* -EINVAL, with "FILE:LINE: " in front of the sentence. */
int gc_value_wrong(const struct gc_value *value, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Cuts the next word off; blanks and commas separate. NULL: there is none. */
char *gc_value_word(char **rest);

/* These return 0 or -EINVAL. A word that is NULL is wrong too. */
int gc_value_number(const struct gc_value *value, const char *word, uint64_t *number);
int gc_value_fraction(const struct gc_value *value, const char *word, double *number);
/* Up to `most` sizes with one unit behind them, like 8 16 32 KiB; without a unit they are bytes. */
int gc_value_sizes(const struct gc_value *value, char *text, uint64_t *sizes, unsigned most,
                   unsigned *count);

/* Index of the word in "a|b|c", or -EINVAL. */
int gc_value_choice(const struct gc_value *value, const char *word, const char *choices);

#endif
