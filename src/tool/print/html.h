/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes HTML. The text of a record or data file is not trusted: it reaches the page only through
 * these functions, which escape it. The page is also well-formed XML.
 */
#ifndef GC_TOOL_PRINT_HTML_H
#define GC_TOOL_PRINT_HTML_H

#include <stddef.h>
#include <stdio.h>

/* Writes text with & < > " ' escaped. Control characters and bytes that are not UTF-8 become
 * U+FFFD. */
void gc_html_text(FILE *out, const char *text);

/* Writes markup, in which each $ stands for the next text (escaped):
 * gc_html(out, "<td class='$'>$</td>", class, value). */
#define gc_html(out, ...)                                                                          \
  gc_html_fill((out), (const char *const[]){__VA_ARGS__},                                          \
               sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

/* parts[0] is the markup, the others are the texts; NULL: an empty text. */
void gc_html_fill(FILE *out, const char *const *parts, size_t count);

#endif
