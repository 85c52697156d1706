/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Records from the objects of a topology: the opposite of src/graft.
 */
#ifndef GC_TOOL_SOURCES_OBJECTS_H
#define GC_TOOL_SOURCES_OBJECTS_H

#include "record/record.h"
#include "util/error.h"

#include <hwloc.h>

/* Makes a record from a DeviceMemory object and the elements inside it. Infos that hwloc or lstopo
 * added and objects of unknown kinds (of a later version) are left out. 0, and *record, which the
 * caller frees with gc_record_free; -EBADMSG with a sentence: a value that is not a number although
 * its key requires one, a value that is too long, or no identity; -ENOMEM. */
int gc_objects_record(hwloc_obj_t memory, struct gc_record **record, struct gc_error *err);

#endif
