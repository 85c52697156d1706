/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The environment variables of this process. They change once, at the start of main() and before
 * there is a second thread: setenv is not safe while the threads of a driver may call getenv.
 */
#ifndef GC_TOOL_PROCESS_ENVIRONMENT_H
#define GC_TOOL_PROCESS_ENVIRONMENT_H

#include <stdbool.h>

/* First notes the root directory that the user's variables name. Then changes the variables of
 * hwloc, so that hwloc loads no plugin in this process (plugins of vendors open devices, and ours
 * would start this program again) and uses no other topology. Call it while the process has one
 * thread. */
void gc_environment_take(void);

/* The root directory of /proc and /sys, for gc_gpus_list: "", or HWLOC_FSROOT when
 * HWLOC_THISSYSTEM=1 declares it to be this system, as in the plugin. Static. */
const char *gc_environment_root(void);

/* Whether HWLOC_FSROOT is set and ignored, because HWLOC_THISSYSTEM=1 is missing. */
bool gc_environment_root_ignored(void);

/* The value that the user gave to a variable that gc_environment_take changes; NULL: not set. */
const char *gc_environment_user(const char *name);

/* All these variables as the user set them, for gc_spawn_options.set_env: "NAME=VALUE", or "NAME"
 * for one that was not set. Ends with NULL. Static. */
const char *const *gc_environment_user_entries(void);

/* Sets these variables to the values of the user again. Call it while the process has one thread. */
void gc_environment_give_back(void);

/* Whether a load of a topology started this program: the plugin sets HWLOC_GPUCACHE=off for it. */
bool gc_environment_for_load(void);

#endif
