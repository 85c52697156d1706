/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The topology that lstopo or pyhwloc loads, and what hwloc did on the way.
 */
#ifndef GC_TOOL_DOCTOR_TOPOLOGY_H
#define GC_TOOL_DOCTOR_TOPOLOGY_H

#include "tool/tool.h"
#include "util/error.h"

#include <hwloc.h>

#include <limits.h>

/* What hwloc prints with HWLOC_PLUGINS_VERBOSE and HWLOC_COMPONENTS_VERBOSE. */
struct gc_hwloc_log {
  char directories[900]; /* where it searches for plugins, with colons; empty: nowhere */
  char file[PATH_MAX];   /* our plugin, without ".so"; empty: not found */
  char problem[400];     /* what hwloc said about it; empty: nothing */
  bool is_current;       /* the last line was about our plugin */
  bool is_loaded;        /* hwloc accepts the plugin */
  bool is_enabled;       /* for this topology */
};

struct gc_loaded {
  bool is_done;        /* gc_loaded_get was called */
  char by[PATH_MAX];   /* the program that loaded it, for people */
  int status;          /* 0, or as gc_errand_run; -EBADMSG: what it printed is no topology */
  struct gc_error how; /* if status is not 0 */
  struct gc_hwloc_log log;
  hwloc_topology_t topology; /* NULL if status is not 0 */
};

/* Loads a topology in a child: lstopo, or this program if `loader` is empty; with --python, pyhwloc in
 * that Python. Nothing is measured. A second call does nothing. */
void gc_loaded_get(struct gc_loaded *loaded, const struct gc_tool *tool, const char *loader);
void gc_loaded_free(struct gc_loaded *loaded);

/* How many elements of ours the GPU with this id has in the topology. */
unsigned gc_loaded_elements(const struct gc_loaded *loaded, const char *id);

/* The GPUCacheStatus of the GPU in the topology. NULL: there is none. */
const char *gc_loaded_status(const struct gc_loaded *loaded, const char *id, const char *bus_id);

/* For gc_loaded_get and its test: takes one line that hwloc has printed. */
void gc_hwloc_log_line(const char *line, struct gc_hwloc_log *log);

#endif
