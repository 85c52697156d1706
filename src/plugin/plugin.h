/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The plugin, as its files see each other: component.c is what hwloc calls, settings.c what the
 * environment asks for, obtain.c how each GPU's record is come by. Nothing here knows a vendor or a
 * benchmark.
 */
#ifndef GC_PLUGIN_PLUGIN_H
#define GC_PLUGIN_PLUGIN_H

#include "gpus/gpus.h"

enum gc_mode {
  GC_MODE_AUTO,    /* the record if it is valid, else measure */
  GC_MODE_CACHED,  /* never measure */
  GC_MODE_REFRESH, /* measure in any case */
  GC_MODE_OFF
};

/* Strings belong to the environment. */
struct gc_settings {
  enum gc_mode mode;
  double seconds;   /* one load waits that long at most */
  bool verbose;     /* say everything */
  bool failures;    /* say what went wrong */
  const char *root; /* where /proc and /sys are: "", or hwloc's own FSROOT */
  const char *sims; /* simulated GPUs, or NULL */
  const char *tool; /* path of hwloc-gpucache */
};

/* Reads $HWLOC_GPUCACHE*, nothing in a set-user-ID process. */
void gc_settings_read(struct gc_settings *settings);

/* One GPU's outcome. */
struct gc_outcome {
  struct gc_record *record; /* NULL: none to be had */
  bool fresh;               /* measured for this load */
  bool failed;              /* someone should hear of it, rather than: it was not to be had here */
  char status[800];         /* GPUCacheStatus */
};

/* The outcomes of all GPUs, in their order: from the store, else by starting the tool for all that
 * need it, side by side. Where that fails, what is known without measuring is in the GPU's known.
 * Caller frees the records. */
void gc_plugin_obtain(struct gc_gpus *gpus, const struct gc_settings *settings,
                      struct gc_outcome *outcomes);

/* One line on stderr. gpu may be NULL. */
void gc_plugin_say(const struct gc_gpu *gpu, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
