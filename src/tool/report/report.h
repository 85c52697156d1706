/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The subcommand report: a page about a GPU, as one HTML file.
 */
#ifndef GC_TOOL_REPORT_REPORT_H
#define GC_TOOL_REPORT_REPORT_H

#include <stdbool.h>

/* Whether this can be the name of a page: it ends with .html or .htm. So a record that is named in
 * the place of the page is not overwritten. */
bool gc_report_can(const char *file);

#endif
