/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Completes a measured record with what the kernel driver states, and with what the record of the
 * node says.
 */
#ifndef GC_RECORD_MERGE_H
#define GC_RECORD_MERGE_H

#include "record/elements.h"

/* Adds from the driver tables the elements that the record lacks, and the properties that have
 * no value in it. What the record has stays, whatever the tables state; so does the reason for a
 * capacity that was measured and not found. 0; -ENOMEM; -E2BIG when the tables have more infos
 * than a record may have. After a failure a part of the tables is merged. */
int gc_record_merge_tables(struct gc_record *record, const struct gc_record *tables);

/* The records of nodes, which tell how GPUs reach each other, have ids that begin with this. */
#define GC_NODE_PREFIX "node-"

bool gc_record_is_node(const struct gc_record *record);

/* Adds to a record of a node what was measured on GPU `from`: the Peer… infos of its DeviceMemory,
 * each with a name that begins with the id of the GPU and a period. 0 or -ENOMEM. */
int gc_record_add_to_node(struct gc_record *node, const struct gc_record *from);

/* Adds these infos of the node to the record of a GPU. 0 or -ENOMEM. */
int gc_record_merge_node(struct gc_record *record, const struct gc_record *node);

#endif
