/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Where pages go.
 */
#ifndef GC_TOOL_PAGE_PLACE_H
#define GC_TOOL_PAGE_PLACE_H

#include "util/error.h"

#include <stdbool.h>
#include <stddef.h>

struct gc_page_place {
  const char *file; /* as on the command line */
  size_t folder;    /* the length of its directory, with the last '/' */
  int dir;          /* descriptor of that directory */
};

/* Whether this can be the name of a page: it ends with .html or .htm. So a record that is named in
 * the place of the page is not overwritten. */
bool gc_page_can(const char *file);

/* Makes sure that files can be written into the directory. 0, and the caller calls
 * gc_page_place_close; or a negative errno with a sentence. */
int gc_page_place_open(const char *file, struct gc_page_place *place, struct gc_error *err);
void gc_page_place_close(struct gc_page_place *place);

/* Puts a page into the directory, complete or not at all, and prints its path to stdout. 0, or a
 * negative errno with a sentence. */
int gc_page_place_put(const struct gc_page_place *place, const char *name, const char *page,
                      size_t size, struct gc_error *err);

#endif
