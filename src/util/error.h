/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Errors as sentences. A function that can fail returns 0 or a negative errno value. The function
 * that knows the reason writes one sentence for a person (without newline or period) into the
 * struct gc_error of its caller. The function that gives up prints it, once, with the object
 * concerned. Nothing here allocates memory or has a global state.
 */
#ifndef GC_UTIL_ERROR_H
#define GC_UTIL_ERROR_H

#include <stddef.h>

struct gc_error {
  char text[512];
};

/* The length of the UTF-8 character at the beginning of the text (ended by a NUL). 0: a control
 * character (also U+007F to U+009F), one that changes the direction of text or ends a line, or
 * bytes that are no character of XML. */
size_t gc_printable_character(const char *text);

/* Replaces each byte of what gc_printable_character does not take for a character by '?':
 * bytes of U+0080 to U+009F control some terminals. File names, variables, messages of libraries
 * and text from files go to terminals and logs, and a sentence is one line. */
void gc_make_printable(char *text);

/* Removes blanks around a word. Returns where the word begins in the text. */
char *gc_strip(char *word);

/* The largest number of bytes of the text, at most so many, with which no UTF-8 character is cut.
 */
size_t gc_whole_characters(const char *text, size_t bytes);

/* Formats the sentence (cut to fit, and printable; err may be NULL) and returns status
 * unchanged, so that a function can end with: return gc_fail(err, -EINVAL, "…", …); */
int gc_fail(struct gc_error *err, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "prefix: " before the sentence that is there. Returns status unchanged. */
int gc_fail_in(struct gc_error *err, int status, const char *prefix);

/* Names for a sentence, quoted: the first ones, and how many more there are. */
struct gc_few_names {
  const char *last;    /* the word before the number; NULL: "or" */
  char text[480];      /* "'a', 'b', 'c' or 17 more" */
  size_t count, shown; /* names; bytes of the first ones */
};

/* Appends a name, of which it keeps at most 120 bytes. The caller zeroes the struct first, except
 * for `last`. */
void gc_few_add(struct gc_few_names *few, const char *name);

#endif
