/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Everything of one load that may block: finds the GPUs and obtains their records, within the time
 * that one load may take.
 *
 * This begins in a thread when hwloc makes the backend of the component, before it discovers the
 * machine. The thread lists the GPUs and reads their records. hwloc calls the component after all
 * other components, so the results are usually there by then. If a GPU has to be measured, a second
 * thread starts the command; that never happens earlier. If something blocks for ever, the load goes
 * on without it, and its thread stays (worker.h).
 */
#ifndef GC_PLUGIN_LOAD_H
#define GC_PLUGIN_LOAD_H

#include "gpus/gpus.h"
#include "plugin/gpu_records.h"
#include "plugin/settings.h"

/* The results of a load. */
struct gc_found {
  struct gc_gpus gpus;
  struct gc_outcome *outcomes; /* one for each GPU */
};

/* The state of a load whose deadline has passed. */
struct gc_late {
  const struct gc_gpu *gpus; /* in the order of gpu0, gpu1 …; NULL: they are not listed yet */
  size_t count;
  char why[200]; /* a sentence */
};

struct gc_load;

/* Starts a thread that lists the GPUs and reads their records. It does not measure, and does not
 * use the environment of the process, so other code may run meanwhile. The caller then calls
 * gc_load_end or gc_load_cancel. NULL: out of memory. */
struct gc_load *gc_load_begin(const struct gc_settings *settings);

/* Waits for the thread, measures the GPUs that need it, and frees load. All this ends before the
 * deadline, which begins with this call. True, and the caller calls gc_load_free. False: out of
 * memory, or something blocks. In the second case late(late, data) was called, which must not keep
 * pointers. Call this function with cancellation disabled. */
bool gc_load_end(struct gc_load *load, struct gc_found *found,
                 void (*late)(const struct gc_late *late, void *data), void *data);

/* Ends without results, after a short time even if something blocks. Call this function with
 * cancellation disabled. */
void gc_load_cancel(struct gc_load *load);
void gc_load_free(struct gc_found *found);

#endif
