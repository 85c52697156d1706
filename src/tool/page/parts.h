/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Parts of all pages.
 */
#ifndef GC_TOOL_PAGE_PARTS_H
#define GC_TOOL_PAGE_PARTS_H

#include "tool/print/table.h"

#include <stdio.h>

/* style.c: the style sheet, besides that of charts. */
extern const char gc_page_style[];

/* The start of a page, to the beginning of its body. */
void gc_page_head(FILE *out, const char *title);

/* A line of a list <dl>, unless value is NULL or "". */
void gc_page_item(FILE *out, const char *name, const char *value);

/* A table whose row 0 has the headings, and column 0 the names, indented by two blanks for each
 * level. id: of its caption, for this page only. */
void gc_page_table(FILE *out, const struct gc_table *table, const char *id, const char *class,
                   const char *caption);

#endif
