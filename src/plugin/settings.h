/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The settings of the plugin, from the environment variables.
 */
#ifndef GC_PLUGIN_SETTINGS_H
#define GC_PLUGIN_SETTINGS_H

#include <stdbool.h>

enum gc_mode {
  GC_MODE_AUTO,    /* use the record if it is valid, else measure */
  GC_MODE_CACHED,  /* never measure */
  GC_MODE_REFRESH, /* always measure */
  GC_MODE_OFF
};

/* The strings belong to the environment. */
struct gc_settings {
  enum gc_mode mode;
  double seconds;   /* how long one load may wait */
  bool verbose;     /* print everything */
  bool failures;    /* print what failed */
  const char *root; /* root directory of /proc and /sys: "", or HWLOC_FSROOT */
  const char *sims; /* comma list of simulated GPUs, or NULL */
  const char *tool; /* path of hwloc-gpucache */
};

/* Reads $HWLOC_GPUCACHE*; in a set-user-ID process all variables are ignored. Cannot fail: a
 * wrong value is replaced by the default, with a message if warn is true and failures are to be
 * printed. */
void gc_settings_read(struct gc_settings *settings, bool warn);

#endif
