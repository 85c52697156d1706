/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The lines of `show` about sharing: elements that are in one storage, and SMs that use one
 * instance of a cache. Each function writes one line, which may be long, or nothing. only: the
 * kinds of elements to show (gc_show_has).
 */
#ifndef GC_TOOL_DESCRIBE_SHARING_H
#define GC_TOOL_DESCRIBE_SHARING_H

#include "record/record.h"

#include <stdio.h>

/* "one storage: L1Cache, TextureCache; ...". */
void gc_show_storage(const struct gc_record *record, unsigned only, FILE *out);

/* "own storage: ...": the elements that share it with none of those that they were compared with.
 */
void gc_show_own_storage(const struct gc_record *record, unsigned only, FILE *out);

/* "SMs per instance: InstructionCache 2, ...": of elements that have several instances, but fewer
 * than one for each SM. */
void gc_show_instances(const struct gc_record *record, unsigned only, FILE *out);

#endif
