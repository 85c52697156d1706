/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Obtains the record of each GPU: from the store, or by starting the tool.
 */
#ifndef GC_PLUGIN_GPU_RECORDS_H
#define GC_PLUGIN_GPU_RECORDS_H

#include "gpus/gpus.h"
#include "plugin/settings.h"

/* The time after the deadline for measuring in which late commands are killed. On a busy machine,
 * the kernel may delay that. If a load takes longer, something blocks, and nobody waits for the
 * results any more. */
#define GC_GRACE_MS 700

/* The outcome for one GPU. */
struct gc_outcome {
  struct gc_record *record; /* NULL: none */
  bool wanted;              /* to be measured */
  bool fresh;               /* measured for this load */
  bool failed;              /* something went wrong that should be printed */
  bool late;                /* the deadline came before it was measured; failed is set, too */
  char status[800];         /* GPUCacheStatus */
};

/* Fills outcomes[i] for each GPU i from the store. If a GPU has no record and is not to be
 * measured, gpu->tables is read. *doing always points to a static text that names the present
 * action. The caller frees the records with gc_record_free. */
void gc_plugin_look_up(struct gc_gpus *gpus, const struct gc_settings *settings,
                       const char *_Atomic *doing, struct gc_outcome *outcomes);

/* Whether one of these outcomes is to be measured. */
bool gc_plugin_is_wanted(const struct gc_gpus *gpus, const struct gc_outcome *outcomes);

/* Completes the outcomes that are to be measured, by starting the tool with this environment, in
 * parallel for all of them, until the deadline (milliseconds of gc_now_ms). */
void gc_plugin_measure(struct gc_gpus *gpus, const struct gc_settings *settings,
                       char *const *environment, double deadline, const char *_Atomic *doing,
                       struct gc_outcome *outcomes);

#endif
