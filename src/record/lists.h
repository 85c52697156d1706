/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Values that are lists.
 */
#ifndef GC_RECORD_LISTS_H
#define GC_RECORD_LISTS_H

#include <stdbool.h>
#include <stdint.h>

/* Whether a word is in a comma list. NULL is an empty list. */
bool gc_list_has(const char *list, const char *word);

/* An entry of a CarveoutTable, "0:222208,15:189440,default:222208". */
struct gc_carveout_entry {
  bool is_default;  /* of a kernel that asks for nothing; percent is 0 */
  unsigned percent; /* 0 to 100 */
  uint64_t bytes;
};
#define GC_CARVEOUTS 101 /* percentages; so many entries at most, and the default */

/* "default" or "15 %". */
#define GC_CARVEOUT_ASKED 16
void gc_carveout_asked(const struct gc_carveout_entry *entry, char text[GC_CARVEOUT_ASKED]);

/* Each reads one entry and moves *list behind it. False: *list is the end of the list, or is an
 * entry of another form; nothing has changed. NULL is an empty list. */
bool gc_carveout_next(const char **list, struct gc_carveout_entry *entry);

/* SharedByCUs, "8x2,4x1": 8 instances serve 2 CUs each, 4 serve 1. */
bool gc_cu_group_next(const char **list, uint64_t *instances, uint64_t *cus);

/* SMGroups and CUGroups, "0,1,4 2,3": the numbers of SMs that share an instance; the next group
 * follows a blank. Reads one number; is_last: it is the last one of its group. */
bool gc_member_next(const char **list, uint64_t *number, bool *is_last);

/* SetIndexMasks, "0x2080,0x4100". No mask is 0. */
bool gc_mask_next(const char **list, uint64_t *mask);

/* HostReadGBps and the like, "0:50.8,1:38": the number of a NUMA node and its value. */
bool gc_node_value_next(const char **list, uint64_t *node, double *value);

/* PeerReadGBps and the like, "GPU-1c5a…:48.2,GPU-99d0…:47.9": the id of another GPU and its value.
 */
struct gc_peer_entry {
  char id[80], text[32]; /* the value as text: PeerPath has no numbers */
};
bool gc_peer_next(const char **list, struct gc_peer_entry *entry);

/* The value of this GPU in a list, which may be NULL. False: it has none. */
bool gc_peer_find(const char *list, const char *id, struct gc_peer_entry *entry);

/* SurvivalCurve, "1024:0.998,2048:0.71": numbers of fills and the share of lines, 0 to 1, that
 * survive them. */
bool gc_survival_next(const char **list, uint64_t *fills, double *share);

#endif
