/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Words of a profile as values. Every error names the file, the line and the word.
 */
#ifndef GC_MODEL_VALUES_H
#define GC_MODEL_VALUES_H

#include "model/profile.h"

/* The place of a value in the file, and the bounds for its numbers. */
struct gc_profile_value {
  const char *file;
  unsigned line;
  const char *key;
  uint64_t least, most;
  const struct gc_profile *profile; /* as far as it has been parsed */
  struct gc_error *err;
};

/* Writes the message "FILE:LINE: …" and returns -EINVAL. */
int gc_value_wrong(const struct gc_profile_value *value, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Removes the next word from *rest and returns it; NULL: there is none. Blanks and commas separate
 * words. Changes the text. */
char *gc_value_word(char **rest);

/* These convert a word to a whole number, or a decimal fraction. 0 or -EINVAL, also for a NULL word
 * and for numbers outside of the bounds. */
int gc_value_number(const struct gc_profile_value *value, const char *word, uint64_t *number);
int gc_value_fraction(const struct gc_profile_value *value, const char *word, double *number);
/* Up to `most` sizes in bytes, which one unit may follow: 8 16 32 KiB. */
int gc_value_sizes(const struct gc_profile_value *value, char *text, uint64_t *sizes, unsigned most,
                   unsigned *count);

/* The index of the word in "a|b|c", or -EINVAL. */
int gc_value_choice(const struct gc_profile_value *value, const char *word, const char *choices);

#endif
