/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Errors as sentences. A function that can fail returns 0 or a negative errno value and, when it is
 * the one that knows why, writes one sentence for a person (no trailing newline or period) into the
 * struct gc_error it was given. Whoever decides to give up prints it, once, with the object concerned.
 */
#ifndef GC_UTIL_ERROR_H
#define GC_UTIL_ERROR_H

struct gc_error {
  char text[512];
};

/* A '?' in place of each control character: names of files, variables, sentences of libraries and what a user's
 * file says go to terminals and logs, and a sentence is one line. */
void gc_make_printable(char *text);

/* Formats the sentence (truncated to fit, and printable; err may be NULL) and returns status unchanged, so that a
 * failing function can end in: return gc_fail(err, -EINVAL, "…", …); */
int gc_fail(struct gc_error *err, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "prefix: " in front of the sentence already there. Returns status. */
int gc_fail_in(struct gc_error *err, int status, const char *prefix);

#endif
