/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Records launches of kernels and graphs, in the callbacks before and after them.
 *
 * A mutex is held from the begin to the end of a recorded launch, and the launch waits for its
 * kernels. So recorded launches run one after another. gc_recorder.lock is held for lists, ptxas
 * and writing, and not while the driver is called for a launch. Both are recursive, because
 * functions of the API call back. A failure never ends the program: the launch is left out, and the
 * part says so.
 */
#ifndef GC_TRACE_RECORDER_H
#define GC_TRACE_RECORDER_H

#include "predict/wanted.h"
#include "trace/part.h"
#include "trace/sample.h"
#include "trace/sanitizer.h"
#include "trace/settings.h"
#include "util/error.h"

#include <pthread.h>
#include <stdbool.h>

extern struct gc_recorder {
  struct gc_trace_settings settings;
  bool sampling; /* a sample of the launches is recorded */
  struct gc_wanted_names names;
  pthread_mutex_t lock; /* of the following, and of the lists of contexts, modules and kinds */
  struct gc_part part;
  uint64_t seen, left_out, in_graphs; /* launches */
  struct gc_error why;                /* of the first launch that was left out */
  struct gc_error full;               /* why no more launches are traced; "": they are */
  const char *why_alone; /* why the first launch that no recorded one stands for was not recorded;
                          * NULL: not known */
  bool left_in; /* our functions may be in kernels although no launch is recorded */
} gc_recorder;

/* Of this thread, if sampling: the call of the driver that launches something. */
extern _Thread_local struct gc_recorder_call {
  struct gc_launch_kind *kind; /* NULL: not of a kernel alone */
  bool wanted;                 /* it is to be recorded */
  bool patched;                /* our functions are in kernels */
  const char *refused;         /* why a launch that is due is not recorded; NULL: it is not due */
} gc_recorder_call;

/* Whether no more launches are traced, and why. */
bool gc_recorder_is_full(struct gc_error *err);

void gc_recorder_begin_launch(const Sanitizer_LaunchData *data);
void gc_recorder_end_launch(const Sanitizer_LaunchData *data);
void gc_recorder_begin_graph(const Sanitizer_GraphLaunchData *data);
void gc_recorder_begin_node(const Sanitizer_LaunchData *data); /* a kernel of the graph */
void gc_recorder_end_graph(void);
bool gc_recorder_uploads(void); /* whether this thread is uploading a graph */

/* If the end of this thread's launch was not announced, it has failed. */
void gc_recorder_end_failed(void);

#endif
