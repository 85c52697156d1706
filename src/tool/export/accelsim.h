/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The parts of a gpgpusim.config fragment.
 */
#ifndef GC_TOOL_EXPORT_ACCELSIM_H
#define GC_TOOL_EXPORT_ACCELSIM_H

#include "tool/export/formats.h"
#include "tool/export/look_up.h"

/* Writes the reason why there is no such value, and a newline. element may be NULL. */
void gc_accelsim_why(const struct gc_element *element, const char *subtype, const char *property,
                     FILE *out);

/* Options that are never complete, with what is known: clocks, caches, device memory. */
void gc_accelsim_clocks(const struct gc_record *record, FILE *out);
void gc_accelsim_caches(const struct gc_record *record, FILE *out);
void gc_accelsim_memory(const struct gc_record *record, FILE *out);

#endif
