/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Text for people, mostly on stdout: no line is longer than GC_TEXT_WIDTH columns, or than the
 * terminal, and a terminal gets bold headings and dim side notes. $COLUMNS is the width of stdout,
 * terminal or file, as for git.
 */
#ifndef GC_TOOL_PRINT_TERMINAL_H
#define GC_TOOL_PRINT_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

#define GC_TEXT_WIDTH 100

#define GC_BOLD "\033[1m"
#define GC_DIM "\033[2m"
#define GC_PLAIN "\033[0m"

/* Whether this word can follow --color: "auto", "always" or "never". */
bool gc_terminal_can(const char *when);

/* Whether to use bold and dim text. when: the word after --color; NULL: "auto", that is, if stdout
 * is a terminal, $TERM is neither empty nor "dumb", and $NO_COLOR is not set or empty. */
bool gc_terminal_colour(const char *when);

/* The columns of the terminal that this descriptor is. 0: it is none, or does not say. */
size_t gc_terminal_real_width(int fd);

/* The width of stdout: $COLUMNS if it is a whole number above 0; else gc_terminal_real_width. */
size_t gc_terminal_width(void);

/* The longest line to print on stdout: GC_TEXT_WIDTH, or less if gc_terminal_width is less. */
size_t gc_terminal_text_width(void);

/* The columns that this text needs: its characters in UTF-8. */
size_t gc_terminal_columns(const char *text);

/* The number of bytes at the beginning of this text that fit in so many columns. The text ends
 * there, or is divided after a blank or comma; a longer word is divided anywhere. At least 1,
 * unless the text is empty. */
size_t gc_terminal_fit(const char *text, size_t columns);

/* Prints lines of text. A line that is too long continues on the next one, indented by two more
 * than the line itself. style: GC_BOLD or GC_DIM for all of it; NULL: none. */
void gc_terminal_print(const char *text, const char *style);

/* The same lines as one text, for a terminal with so many columns. The caller frees it. NULL: out
 * of memory. */
char *gc_terminal_wrap(const char *text, size_t columns);

/* Prints a text beside another one that ends in this column, in lines that are not longer than the
 * width if possible; they begin in this column, too. */
void gc_terminal_print_from(const char *text, size_t column);

/* Prints one line and a newline. Wraps it only if there is a gc_terminal_width, so that scripts find
 * whole lines in a file. */
void gc_terminal_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
