/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which launches of a process are recorded by default, and how many launches each recorded one
 * stands for (doc/traces.md, "Which launches"): of each kind, the 1st, 2nd, 4th, 8th ... launch.
 * The launch just before one of them is recorded, too, because it leaves in L2 what that one may
 * read. It expects the kind of launch that followed last time. The caller
 * serializes the calls.
 */
#ifndef GC_TRACE_SAMPLE_H
#define GC_TRACE_SAMPLE_H

#include "predict/wanted.h"
#include "trace/part.h"

#include <stdbool.h>
#include <stdint.h>

#define GC_LAUNCH_SIZES 6 /* x, y, z of the grid and of the blocks */

/* Launches of one kernel with the same grid and blocks. */
struct gc_launch_kind {
  struct gc_launch_kind *next;
  struct gc_launch_kind *follower; /* kind of the launch after the last one of this kind; or NULL */
  uint64_t led; /* `due` of the follower for which a launch of this kind was recorded */
  char *name;
  uint32_t sizes[GC_LAUNCH_SIZES];
  bool wanted;
  uint64_t seen;   /* launches */
  uint64_t due;    /* the next launch that is recorded for its own sake, from 1 */
  uint64_t alone;  /* launches that no recorded launch stands for */
  long place;      /* of the last recorded launch in the part: its number of launches; 0: none */
  uint64_t stands; /* this number */
};

/* Adds it if it is new; it is not wanted without names. NULL: no memory. */
struct gc_launch_kind *gc_launch_kinds_find(const char *name, const uint32_t sizes[GC_LAUNCH_SIZES],
                                            const struct gc_wanted_names *names);

/* Whether its next launch is to be recorded: it is due, or that of the follower probably is. */
bool gc_launch_kind_is_due(const struct gc_launch_kind *kind);

/* A launch begins. _pass: it is not recorded. _take: it is; returns for how many launches it will
 * stand, which the caller must then pass to gc_launch_kind_recorded, or to _give_back if recording
 * failed. */
void gc_launch_kind_pass(struct gc_launch_kind *kind, const struct gc_part *part);
uint64_t gc_launch_kind_take(struct gc_launch_kind *kind);
void gc_launch_kind_give_back(struct gc_launch_kind *kind, uint64_t stands);

/* A launch that was taken is in the part; its number of launches is at this place. */
void gc_launch_kind_recorded(struct gc_launch_kind *kind, uint64_t stands, long place,
                             const struct gc_part *part);

/* Launches that no recorded one stands for. */
uint64_t gc_launch_kinds_alone(void);

/* Launches of an instantiated graph, as a kind with no name. It is wanted if the graph was
 * instantiated with our functions in its kernels: only then can it be launched with them. */
struct gc_launch_kind *gc_launch_kinds_find_graph(const void *graph);

#endif
