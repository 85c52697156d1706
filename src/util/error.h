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

struct gc_error {
  char text[512];
};

/* Replaces each control character by '?'. File names, variables, messages of libraries and text
 * from files go to terminals and logs, and a sentence is one line. */
void gc_make_printable(char *text);

/* Formats the sentence (cut to fit, and printable; err may be NULL) and returns status
 * unchanged, so that a function can end with: return gc_fail(err, -EINVAL, "…", …); */
int gc_fail(struct gc_error *err, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "prefix: " before the sentence that is there. Returns status unchanged. */
int gc_fail_in(struct gc_error *err, int status, const char *prefix);

#endif
