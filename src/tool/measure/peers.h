/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * hwloc-gpucache measure --peers: how the GPUs of this machine reach each other.
 */
#ifndef GC_TOOL_MEASURE_PEERS_H
#define GC_TOOL_MEASURE_PEERS_H

#include "tool/gpus/targets.h"

/* Measures each pair of the GPUs of a vendor, stores one record for all of them, and prints it. All
 * GPUs take part, because the record is only valid for the whole set. An exit code, after a message
 * if it is not GC_EXIT_DONE. */
int gc_measure_peers(const struct gc_tool *tool, const struct gc_targets *targets);

#endif
