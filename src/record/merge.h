/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Completes a measured record with what the kernel driver states, with a newer measurement of the
 * host, and with what the record of the node says.
 */
#ifndef GC_RECORD_MERGE_H
#define GC_RECORD_MERGE_H

#include "record/elements.h"

/* Adds from the driver tables the elements that the record lacks, and the properties that have
 * no value in it. What the record has stays, whatever the tables state; so does the reason for a
 * capacity that was measured and not found. 0; -ENOMEM; -E2BIG when the tables have more infos
 * than a record may have. After a failure a part of the tables is merged. */
int gc_record_merge_tables(struct gc_record *record, const struct gc_record *tables);

/* Replaces what the record has of the host by what `from` has: the properties of DeviceMemory whose
 * names begin with Host. 0 or -ENOMEM. */
int gc_record_take_host(struct gc_record *record, const struct gc_record *from);

/* The records of nodes, which tell how GPUs reach each other, have ids that begin with this. Infos
 * of their DeviceMemory have the id of a GPU, a period, and a key that begins with "Peer". */
#define GC_NODE_PREFIX "node-"
#define GC_PEER_KEYS "Peer"

/* Adds to the record of a GPU what the record of the node says about it. 0 or -ENOMEM. */
int gc_record_merge_node(struct gc_record *record, const struct gc_record *node);

#endif
